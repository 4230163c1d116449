//! Arrivals at a rate: how long they took from their intended time, and how busy they kept both sides.

use tlslab_protocol::{Measurement, OpenLoop};
use tlslab_stats::median;

use super::estimates::estimated;
use super::percentiles::{Iterations, percentile};
use super::slices::VisitSlices;
use crate::model::{Estimated, Measured, Metric, Outcome};
use tlslab_text::number::{significant, whole};

/// A stack that serves less than this share of the offered load falls behind for as long as the load lasts.
const KEEPS_UP: f64 = 0.95;

/// One slice's arrivals, with the slice that has how many came and how long it took.
type Arrivals<'r> = (&'r Measurement, &'r OpenLoop);

fn of_visit<'r>(visit: &VisitSlices<'r>, stack: usize) -> Vec<Arrivals<'r>> {
    visit.stack_slices(stack).filter_map(|slice| Some((slice, slice.open_loop.as_ref()?))).collect()
}

/// A percentile of responses in µs; none if the stack does not keep up.
pub(super) fn response(visits: &[VisitSlices<'_>], stack: usize, share: f64, confidence: f64) -> Outcome {
    let unsupported = |unsupported| Outcome::Unsupported { unsupported };
    if let Some(reason) = saturated(visits, stack) {
        return unsupported(reason);
    }
    let of_visits: Vec<(u32, Iterations)> =
        visits.iter().map(|visit| (visit.round, responses(&of_visit(visit, stack)))).collect();
    let of_visits: Vec<_> = of_visits.into_iter().filter(|(_, responses)| responses.total() > 0).collect();
    match percentile(&of_visits, share, confidence) {
        Ok(ns) => measured(ns.rising(|ns| ns / 1000.0)),
        Err(reason) => unsupported(reason),
    }
}

fn responses(arrivals: &[Arrivals<'_>]) -> Iterations {
    let mut all = Iterations::default();
    for (slice, open_loop) in arrivals {
        all.add(&open_loop.responses);
        all.add_endless(slice.iterations.saturating_sub(open_loop.served));
    }
    all
}

/// Anything else that is known of arrivals.
pub(super) fn load(visits: &[VisitSlices<'_>], stack: usize, metric: Metric, confidence: f64) -> Outcome {
    let values: Vec<f64> = visits.iter().filter_map(|visit| value(&of_visit(visit, stack), metric)).collect();
    if values.is_empty() {
        return Outcome::Unsupported { unsupported: "no arrival was served".to_owned() };
    }
    match estimated(&values, confidence) {
        Ok(estimated) => measured(estimated),
        Err(failed) => Outcome::Failed { failed },
    }
}

/// The reason for missing figures of a side's work on arriving connections if none was served.
pub(super) fn nothing_served(visits: &[VisitSlices<'_>], stack: usize) -> Option<Outcome> {
    let mut all = visits.iter().flat_map(|visit| of_visit(visit, stack)).peekable();
    let is_any = all.peek().is_some();
    (is_any && all.all(|(_, open_loop)| open_loop.served == 0)).then(|| {
        let unsupported = saturated(visits, stack).unwrap_or_else(|| "no arrival was served".to_owned());
        Outcome::Unsupported { unsupported }
    })
}

/// A visit's value in the unit of its cell.
fn value(arrivals: &[Arrivals<'_>], metric: Metric) -> Option<f64> {
    let sum = |of: fn(&Arrivals<'_>) -> u64| arrivals.iter().map(|one| of(one) as f64).sum::<f64>();
    let came = |(slice, _): &Arrivals<'_>| slice.iterations;
    let elapsed_ns = |(slice, _): &Arrivals<'_>| slice.elapsed_ns;
    let served = |(_, open_loop): &Arrivals<'_>| open_loop.served;
    let (part, whole, scale) = match metric {
        Metric::Offered => (sum(came), sum(|(_, open_loop)| open_loop.span_ns), 1e9),
        Metric::Achieved => (sum(served), sum(elapsed_ns), 1e9),
        Metric::Unserved => (sum(came) - sum(served), sum(came), 100.0),
        Metric::ClientBusy => (sum(|(_, open_loop)| open_loop.client_busy_ns), sum(elapsed_ns), 100.0),
        Metric::ServerBusy => (sum(|(_, open_loop)| open_loop.server_busy_ns), sum(elapsed_ns), 100.0),
        Metric::Late => (sum(|(_, open_loop)| open_loop.late_ns), sum(served), 1e-3),
        _ => return None,
    };
    (whole > 0.0).then(|| scale * part / whole)
}

/// Why there are no percentiles, if a stack does not keep up: half of its slices served less than a share of
/// the offered load.
fn saturated(visits: &[VisitSlices<'_>], stack: usize) -> Option<String> {
    let all: Vec<Arrivals<'_>> = visits.iter().flat_map(|visit| of_visit(visit, stack)).collect();
    let kept_up = |one: &Arrivals<'_>| {
        let one = std::slice::from_ref(one);
        Some(value(one, Metric::Achieved)? / value(one, Metric::Offered)?)
    };
    let shares: Vec<f64> = all.iter().filter_map(kept_up).collect();
    if median(&shares).ok()? >= KEEPS_UP {
        return None;
    }
    let of = |metric| value(&all, metric).unwrap_or_default();
    let per_s = |metric| whole(of(metric).round() as usize);
    Some(format!(
        "saturated: {}/s were offered and {}/s served, with the client's thread busy for {} % of the time and the server's for {} %; \
         responses grow for as long as that lasts",
        per_s(Metric::Offered),
        per_s(Metric::Achieved),
        significant(of(Metric::ClientBusy), 2),
        significant(of(Metric::ServerBusy), 2),
    ))
}

fn measured(estimated: Estimated) -> Outcome {
    Outcome::Measured(Measured { estimated, ratio: None, no_ratio: None, modes: None })
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{Latencies, SideMeasurement};

    use super::*;

    /// A slice of 100 arrivals at 1,000 a second, each served after so many µs; it takes so many ms.
    fn slice(served: u64, response_us: u64, elapsed_ms: u64) -> Measurement {
        let open_loop = OpenLoop {
            served,
            span_ns: 100_000_000,
            client_busy_ns: 25_000_000,
            server_busy_ns: 50_000_000,
            late_ns: served * 3_000,
            responses: Latencies { counts: vec![(Latencies::bucket(1_000 * response_us), served)] },
        };
        Measurement {
            iterations: 100,
            client: SideMeasurement::default(),
            server: SideMeasurement::default(),
            elapsed_ns: elapsed_ms * 1_000_000,
            threads: vec![],
            warm_up: None,
            open_loop: Some(open_loop),
            faults: 0,
        }
    }

    fn value_of(outcome: Outcome) -> f64 {
        outcome.measured().unwrap_or_else(|| panic!("{outcome:?}")).estimated.value
    }

    #[test]
    fn loads_are_shares_of_all_slices_of_a_visit() {
        let slices = [slice(100, 500, 100), slice(98, 500, 100)];
        let visits = [VisitSlices::of_one_stack(&slices)];
        let of = |metric| value_of(load(&visits, 0, metric, 0.99));
        assert_eq!((of(Metric::Offered), of(Metric::Achieved)), (1_000.0, 990.0));
        assert_eq!((of(Metric::Unserved), of(Metric::Late)), (1.0, 3.0));
        assert_eq!((of(Metric::ClientBusy), of(Metric::ServerBusy)), (25.0, 50.0));
    }

    #[test]
    fn responses_count_what_was_not_served_as_longest() {
        let slices: Vec<Measurement> = (0..10).map(|_| slice(98, 500, 100)).collect();
        let visits = [VisitSlices::of_one_stack(&slices)];
        let median = value_of(response(&visits, 0, 0.5, 0.99));
        assert!((median - 500.0).abs() < 4.0, "{median}");
        let hole = response(&visits, 0, 0.99, 0.99);
        let (kind, reason) = hole.hole().unwrap();
        assert_eq!(kind, "unsupported");
        assert!(reason.starts_with("20 of 1000 arrivals were not served"), "{reason}");
    }

    #[test]
    fn a_stack_that_does_not_keep_up_has_no_percentiles() {
        let slices = [slice(100, 500, 100), slice(100, 9_000, 120), slice(90, 9_000, 125)];
        let visits = [VisitSlices::of_one_stack(&slices)];
        let hole = response(&visits, 0, 0.5, 0.99);
        let (_, reason) = hole.hole().unwrap();
        let expected = "saturated: 1,000/s were offered and 841/s served, with the client's thread busy for 22 % of the time and \
                        the server's for 43 %";
        assert!(reason.starts_with(expected), "{reason}");
        let none = [slice(0, 0, 200), slice(0, 0, 200)];
        let hole = nothing_served(&[VisitSlices::of_one_stack(&none)], 0).unwrap();
        let (_, reason) = hole.hole().unwrap();
        assert!(reason.starts_with("saturated: 1,000/s were offered and 0/s served"), "{reason}");
        assert!(load(&[VisitSlices::of_one_stack(&none)], 0, Metric::Late, 0.99).measured().is_none());
        assert!(nothing_served(&visits, 0).is_none());
        // One slice of three that was disturbed is no saturation.
        let slices = [slice(100, 500, 100), slice(100, 500, 101), slice(90, 9_000, 125)];
        assert!(saturated(&[VisitSlices::of_one_stack(&slices)], 0).is_none());
    }
}
