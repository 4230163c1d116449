//! What makes the rounds of a comparison scatter, in a sentence.

use tlslab_stats::median;
use tlslab_text::number::{measured_percent, rough_percent};

use crate::compared::Compared;
use crate::model::Comparison;
use crate::spread::Spread;

/// What scatters the most in a comparison, and what would make intervals narrower. None where nothing was
/// timed.
pub(super) fn scatter(comparison: &Comparison) -> Option<String> {
    let timed = comparison.changes.iter().filter(|change| change.metric == Compared::Time);
    let spreads: Vec<Spread> = timed.filter_map(|change| change.effect()?.spread).collect();
    let of = |which: fn(&Spread) -> f64| spreads.iter().map(which).collect::<Vec<f64>>();
    let rounds = of(|spread| spread.round);
    let (least, most) = (rounds.iter().copied().reduce(f64::min)?, rounds.iter().copied().reduce(f64::max)?);
    let share = median(&of(|spread| spread.share_of_slices())).ok()?;
    let (cause, remedy) = match share > 0.5 {
        true => ("slices of a process differ most", "longer visits or more rounds make intervals narrower"),
        false => (
            "processes (their code layout, their placement of memory) differ most",
            "more rounds make intervals narrower, longer visits hardly do",
        ),
    };
    Some(format!(
        "Rounds scatter by {} to {} ({} in the middle); {} of that variance is between slices of a process: {cause}, and {remedy}.",
        measured_percent(least),
        measured_percent(most),
        measured_percent(median(&rounds).ok()?),
        rough_percent(share)
    ))
}
