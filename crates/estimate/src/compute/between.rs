//! Differences between runs, as part of every interval.

use tlslab_record::{BetweenRuns, BetweenRunsPolicy, Deviation, RunRecord};
use tlslab_stats::{normal_quantile, student_quantile};

use crate::model::{Between, Estimated, Interval};
use tlslab_text::number::{counted, percent};

impl Between {
    /// That of a run, on its kind of host.
    pub(super) fn of(record: &RunRecord) -> Self {
        let policy = &record.plan.policy;
        // Runs of earlier versions keep their intervals.
        if policy.between_runs == BetweenRunsPolicy::NONE {
            return Self::default();
        }
        let half = |of_ratios| {
            let known = BetweenRuns::deviation(&record.between_runs, &policy.between_runs, of_ratios);
            let outside = f64::midpoint(1.0, policy.confidence);
            let quantile = match known.runs {
                Some(runs) => student_quantile(outside, f64::from(runs.max(2)) - 1.0),
                None => normal_quantile(outside),
            };
            // An invalid confidence has no intervals.
            Some(known.deviation * quantile).filter(|half| half.is_finite()).unwrap_or(0.0)
        };
        Self { time: half(false), ratio: half(true) }
    }

    /// A time.
    pub(super) fn time(self, estimated: Estimated) -> Estimated {
        if self.time == 0.0 {
            return estimated;
        }
        let value = estimated.value;
        widened(estimated, |bound| {
            let (own, way) = ((bound / value).ln().abs(), if bound < value { -1.0 } else { 1.0 });
            match value > 0.0 && bound > 0.0 {
                true => value * (way * own.hypot(self.time)).exp(),
                false => bound,
            }
        })
    }

    /// The logarithm of a ratio.
    pub(super) fn log_ratio(self, estimated: Estimated) -> Estimated {
        if self.ratio == 0.0 {
            return estimated;
        }
        let value = estimated.value;
        widened(estimated, |bound| {
            let way = if bound < value { -1.0 } else { 1.0 };
            value + way * (bound - value).hypot(self.ratio)
        })
    }
}

/// With its bounds moved. Bounds that are equal to the estimate are the lower and the upper one by their
/// place.
fn widened(estimated: Estimated, moved: impl Fn(f64) -> f64) -> Estimated {
    let value = estimated.value;
    let interval = estimated.interval.map(|interval| Interval {
        lower: moved(interval.lower.min(value.next_down())),
        upper: moved(interval.upper.max(value.next_up())),
        ..interval
    });
    Estimated { interval, ..estimated }
}

/// The note on intervals in reports of times. None if intervals exclude differences between runs.
pub(super) fn note(record: &RunRecord) -> Option<String> {
    let policy = &record.plan.policy.between_runs;
    if *policy == BetweenRunsPolicy::NONE {
        return None;
    }
    let of = |of_ratios| BetweenRuns::deviation(&record.between_runs, policy, of_ratios);
    let (times, ratios) = (of(false), of(true));
    let shown = |of: Deviation| {
        let share = percent((of.deviation * 1e5).round() / 1e5);
        let source = of.runs.map_or_else(
            || "the policy's figure".to_owned(),
            |runs| format!("measured with {} on this kind of host", counted(runs, "run")),
        );
        (share, source)
    };
    let ((of_times, source), (of_ratios, other)) = (shown(times), shown(ratios));
    let by = match source == other {
        true => format!("{of_times} of times and {of_ratios} of ratios ({source})"),
        false => format!("{of_times} of times ({source}) and {of_ratios} of ratios ({other})"),
    };
    let advice = match record.between_runs.is_empty() {
        true => {
            "; `tlslab run --repeat 20 --busy-loop` shows whether runs differ by more on this kind of host"
        }
        false => "",
    };
    Some(format!(
        "Intervals also contain what differs between runs minutes apart: a standard deviation of {by}{advice}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimated(lower: f64, value: f64, upper: f64) -> Estimated {
        Estimated {
            n: 16,
            value,
            interval: Some(Interval { lower, upper, confidence: 0.99 }),
            no_interval: None,
        }
    }

    #[test]
    fn half_widths_add_in_squares() {
        let between = Between { time: 0.04, ratio: 0.04 };
        let bounds =
            |estimated: Estimated| estimated.interval.map(|found| (found.lower, found.upper)).unwrap();
        let (lower, upper) = bounds(between.log_ratio(estimated(0.97, 1.0, 1.0)));
        assert!((lower - 0.95).abs() < 1e-12 && (upper - 1.04).abs() < 1e-12, "{lower} {upper}");
        let (lower, upper) = bounds(between.time(estimated((-0.03_f64).exp(), 1.0, 0.03_f64.exp())));
        assert!((lower.ln() + 0.05).abs() < 1e-12 && (upper.ln() - 0.05).abs() < 1e-12, "{lower} {upper}");
        let bare = Estimated { interval: None, ..estimated(1.0, 1.0, 1.0) };
        assert_eq!(between.time(bare.clone()), bare);
        let none = Between { time: 0.0, ratio: 0.0 };
        let (lower, upper) = bounds(none.time(estimated(0.9, 1.0, 1.25)));
        assert!((lower - 0.9).abs() < 1e-12 && (upper - 1.25).abs() < 1e-12);
    }
}
