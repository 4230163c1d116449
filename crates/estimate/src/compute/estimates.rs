//! Observations, one per visit, become an estimate with its interval, or with the reason why it has none.

use tlslab_protocol::Side;
use tlslab_stats::{Refused, estimate, hodges_lehmann};

use super::slices::VisitSlices;
use crate::model::{Estimated, Interval, Metric};
use tlslab_text::number::{counted, percent};

/// The estimate over observations in their own unit.
pub(super) fn estimated(observations: &[f64], confidence: f64) -> Result<Estimated, String> {
    match estimate(observations, confidence) {
        Ok(found) => {
            let (lower, upper, confidence) = (found.lower, found.upper, found.confidence);
            let interval = Some(Interval { lower, upper, confidence });
            Ok(Estimated { n: found.n, value: found.value, interval, no_interval: None })
        }
        Err(refused) => {
            let value = hodges_lehmann(observations).map_err(|refused| refused.to_string())?;
            let no_interval = Some(too_few(&refused, confidence));
            Ok(Estimated { n: observations.len(), value, interval: None, no_interval })
        }
    }
}

fn too_few(refused: &Refused, confidence: f64) -> String {
    match refused {
        Refused::TooFew { n, needed } => {
            let (visits, are) = (counted(*n, "visit"), if *n == 1 { "is" } else { "are" });
            format!("{visits} {are} too few for a {} interval: {needed} are needed", percent(confidence))
        }
        other => other.to_string(),
    }
}

/// One stack's value per visit, ns per iteration. Visits without its slices are excluded.
pub(super) fn visit_values(
    visits: &[VisitSlices],
    stack: usize,
    side: Side,
    metric: Metric,
) -> Result<Vec<(u32, f64)>, Refused> {
    let of_visit =
        |visit: &VisitSlices| Some(visit.value(stack, side, metric)?.map(|value| (visit.round, value)));
    visits.iter().filter_map(of_visit).collect()
}

/// ln(b/a) per visit, over the blocks in which both have a slice. Visits without such a block are excluded.
pub(super) fn log_ratios(
    visits: &[VisitSlices],
    (a, b): (usize, usize),
    side: Side,
    metric: Metric,
) -> Result<Vec<(u32, f64)>, Refused> {
    let of_visit =
        |visit: &VisitSlices| Some(visit.log_ratio(a, b, side, metric)?.map(|log| (visit.round, log)));
    visits.iter().filter_map(of_visit).collect()
}

/// Drops the rounds.
pub(super) fn values(of_rounds: &[(u32, f64)]) -> Vec<f64> {
    of_rounds.iter().map(|(_, value)| *value).collect()
}

impl Estimated {
    /// The same under a function that keeps order.
    pub(super) fn rising(&self, f: impl Fn(f64) -> f64) -> Self {
        let interval = self.interval.map(|interval| Interval {
            lower: f(interval.lower),
            upper: f(interval.upper),
            ..interval
        });
        Self { value: f(self.value), interval, ..self.clone() }
    }

    /// The same under a function that turns order round: the bounds change places.
    pub(super) fn falling(&self, f: impl Fn(f64) -> f64) -> Self {
        let interval = self.interval.map(|interval| Interval {
            lower: f(interval.upper),
            upper: f(interval.lower),
            ..interval
        });
        Self { value: f(self.value), interval, ..self.clone() }
    }
}
