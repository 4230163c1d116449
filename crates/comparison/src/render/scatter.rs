//! The main source of scatter between rounds, in one or two sentences.

use tlslab_stats::median;
use tlslab_text::number::{measured_percent, rough_percent};

use crate::compared::Compared;
use crate::model::Comparison;
use crate::spread::Spread;

/// The main source of scatter, and what would narrow the intervals. None if nothing was timed.
pub(super) fn scatter(comparison: &Comparison) -> Option<String> {
    let timed = comparison.changes.iter().filter(|change| change.metric == Compared::Time);
    let spreads: Vec<Spread> = timed.filter_map(|change| change.effect()?.spread).collect();
    let of = |which: fn(&Spread) -> f64| spreads.iter().map(which).collect::<Vec<f64>>();
    let rounds = of(|spread| spread.round);
    let (least, most) = (rounds.iter().copied().reduce(f64::min)?, rounds.iter().copied().reduce(f64::max)?);
    let share = median(&of(|spread| spread.share_of_slices())).ok()?;
    let remedy = match share > 0.5 {
        true => "Longer visits or more rounds narrow the intervals",
        false => "More rounds narrow the intervals; longer visits hardly do",
    };
    Some(format!(
        "Rounds scatter by {} to {} (median {}); {} of that variance is within processes, the rest between them (code layout, memory placement). {remedy}.",
        measured_percent(least),
        measured_percent(most),
        measured_percent(median(&rounds).ok()?),
        rough_percent(share)
    ))
}
