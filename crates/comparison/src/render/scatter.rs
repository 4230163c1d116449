//! What makes the rounds of a comparison scatter, in a sentence.

use tlslab_stats::median;

use crate::model::{Comparison, Metric};
use crate::spread::Spread;

/// What scatters the most in a comparison, and what would make intervals narrower. None where nothing was timed.
pub(super) fn scatter(comparison: &Comparison) -> Option<String> {
    let timed = comparison.changes.iter().filter(|change| change.metric == Metric::Time);
    let spreads: Vec<Spread> = timed.filter_map(|change| change.effect()?.spread).collect();
    let of = |which: fn(&Spread) -> f64| spreads.iter().map(which).collect::<Vec<f64>>();
    let rounds = of(|spread| spread.round);
    let (least, most) = (rounds.iter().copied().reduce(f64::min)?, rounds.iter().copied().reduce(f64::max)?);
    let share = median(&of(|spread| spread.share_of_slices())).ok()?;
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let (cause, remedy) = match share > 0.5 {
        true => ("slices of a process differ most", "longer visits or more rounds make intervals narrower"),
        false => (
            "processes (their code layout, their placement of memory) differ most",
            "more rounds make intervals narrower, longer visits hardly do",
        ),
    };
    Some(format!(
        "Rounds scatter by {} to {} ({} in the middle); {:.0} % of that variance is between slices of a process: {cause}, and {remedy}.",
        percent(least),
        percent(most),
        percent(median(&rounds).ok()?),
        100.0 * share
    ))
}
