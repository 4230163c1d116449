//! Figures and verdicts as text.

use crate::model::{Entry, Figure, Here, Took};

/// A value with three significant digits, or whole if it has more before the point.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let (scale, power) = scale(value);
    let value = value / scale;
    let digits = (2 - value.abs().log10().floor() as i32).max(0);
    // A ratio close to 1 is reported by its distance from it.
    let beyond = (value - 1.0).abs();
    let near = if (1e-6..0.01).contains(&beyond) { 1 - beyond.log10().floor() as i32 } else { 0 };
    let decimals = digits.max(near) as usize;
    format!("{value:.decimals$}{power}")
}

/// A value with its bounds.
pub fn figure(figure: &Figure) -> String {
    match figure.bounds {
        Some([lower, upper]) if lower < upper => {
            let (scale, power) = scale(figure.value);
            let [value, lower, upper] = [figure.value, lower, upper].map(|one| one / scale);
            // As many digits as distinguish the bounds.
            let width = (upper - lower) / 2.0;
            let decimals = (1 - width.abs().log10().floor() as i32).clamp(0, 6) as usize;
            format!("{value:.decimals$}{power} [{lower:.decimals$}{power}, {upper:.decimals$}{power}]")
        }
        _ => short(figure.value),
    }
}

/// The divisor of small values, and the power of ten after their digits.
fn scale(value: f64) -> (f64, String) {
    if value == 0.0 || value.abs() >= 1e-3 {
        return (1.0, String::new());
    }
    let power = value.abs().log10().floor() as i32;
    (10_f64.powi(power), format!("e{power}"))
}

/// The measured figure, or the reason for its absence.
pub fn here(here: &Here) -> String {
    match here {
        Here::Figure(found) => figure(found),
        Here::Hole { hole } => hole.clone(),
    }
}

/// Units of counts.
const COUNTS: [&str; 6] = ["accesses", "blocks", "bytes", "instructions", "operations", "records"];

/// The measured figure in a unit: a whole count has no decimals.
pub(super) fn here_in(unit: &str, found: &Here) -> String {
    match found {
        Here::Figure(Figure { value, bounds, .. })
            if COUNTS.contains(&unit)
                && value.fract() == 0.0
                && bounds.is_none_or(|[lower, upper]| lower == upper) =>
        {
            format!("{value:.0}")
        }
        found => here(found),
    }
}

/// The published value, or an empty text.
pub(super) fn published(entry: &Entry) -> String {
    entry.published.map(short).unwrap_or_default()
}

/// How long a document took.
pub fn took(took: &Took) -> String {
    let minutes = |seconds: f64| format!("{:.1} min", seconds / 60.0);
    format!(
        "{} in all: {} for uncached sources and builds, {} for measurements, counts, confirmations and trials",
        minutes(took.builds_s + took.measuring_s),
        minutes(took.builds_s),
        minutes(took.measuring_s),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_that_mean_something() {
        assert_eq!(short(353.0), "353");
        assert_eq!(short(2828.116), "2828");
        assert_eq!(short(0.000_758_8), "7.59e-4");
        assert_eq!([1.0, 1.000_726, 0.998, 1.04].map(short), ["1.00", "1.00073", "0.9980", "1.04"]);
        assert_eq!(figure(&Figure::within(1.0423, [1.0391, 1.0452])), "1.0423 [1.0391, 1.0452]");
        assert_eq!(figure(&Figure::within(353.4, [351.0, 356.0])), "353.4 [351.0, 356.0]");
        assert_eq!(figure(&Figure::within(7.0, [7.0, 7.0])), "7.00");
    }

    #[test]
    fn whole_numbers_of_what_is_counted_have_no_decimals() {
        let of = |value| Here::Figure(Figure::plain(value));
        assert_eq!([here_in("records", &of(1.0)), here_in("blocks", &of(1026.0))], ["1", "1026"]);
        assert_eq!([here_in("ratio", &of(1.0)), here_in("bytes", &of(1.5))], ["1.00", "1.50"]);
        let ranging = Here::Figure(Figure::within(4.0, [3.0, 5.0]));
        assert_eq!(here_in("blocks", &ranging), "4.0 [3.0, 5.0]");
    }

    #[test]
    fn how_long_it_took_is_reported_in_minutes() {
        assert_eq!(
            took(&Took { builds_s: 90.0, measuring_s: 600.0 }),
            "11.5 min in all: 1.5 min for uncached sources and builds, 10.0 min for measurements, counts, confirmations and \
             trials"
        );
    }

    #[test]
    fn small_figures_have_a_power_of_ten_and_as_many_digits_as_others() {
        let of = |value: f64, width: f64| Figure::within(value, [value - width, value + width]);
        assert_eq!(figure(&of(2.36e-6, 0.02e-6)), "2.360e-6 [2.340e-6, 2.380e-6]");
        assert_eq!(figure(&of(1.5, 0.3)), "1.50 [1.20, 1.80]");
    }
}
