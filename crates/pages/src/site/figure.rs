//! Values with their bounds, as pages show them.

pub use tlslab_estimate::Quantity as Figure;
use tlslab_estimate::digits::whole;

/// The day of a time in RFC 3339.
pub(crate) fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}

/// A metric in words: `count.instructions` is instructions. Others keep their names.
#[must_use]
pub fn metric_words(metric: &str) -> &str {
    match metric {
        "count.instructions" => "instructions",
        "heap.peak" => "peak heap",
        "idle.heap" => "heap per idle connection",
        "latency.p99" => "99th percentile of service time",
        "response.p99" => "99th percentile of response time, open loop",
        other => other,
    }
}

/// How many there are of something: `1 run`, `2 runs`.
#[must_use]
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", whole(number)) }
}

/// A change as a signed share: `+1.36 %`, with a true minus.
#[must_use]
pub(crate) fn signed(ratio: f64) -> String {
    let percent = 100.0 * (ratio - 1.0);
    let digits = if percent.abs() >= 10.0 { 1 } else { 2 };
    format!("{percent:+.digits$} %").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_something_is_singular() {
        assert_eq!([0, 1, 1200].map(|number| counted(number, "run")), ["0 runs", "1 run", "1,200 runs"]);
    }

    #[test]
    fn changes_have_a_sign() {
        assert_eq!(signed(0.97), "−3.00 %");
        assert_eq!(signed(2.156), "+115.6 %");
    }
}
