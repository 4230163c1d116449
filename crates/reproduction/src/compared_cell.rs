//! A cell of a comparison as a figure.

use tlslab_comparison::{Change, Outcome};

use crate::model::{Figure, Here};

/// A cell's ratio, converted for display, or the reason for its absence.
pub(crate) fn here(change: &Change, shown: impl Fn(f64) -> f64) -> Here {
    match &change.outcome {
        Outcome::Compared(effect) => {
            let bounds = match effect.interval {
                Some(interval) if !effect.exact => [interval.lower, interval.upper],
                _ if effect.exact => [effect.ratio; 2],
                _ => return Here::Figure(Figure::plain(shown(effect.ratio))),
            };
            Here::Figure(Figure::within(shown(effect.ratio), bounds.map(&shown)))
        }
        Outcome::Missing { baseline_missing, candidate_missing } => {
            let hole = candidate_missing.as_ref().or(baseline_missing.as_ref()).cloned();
            Here::Hole { hole: hole.unwrap_or_else(|| "failed: nothing was compared".to_owned()) }
        }
    }
}
