//! Turns: the excluded warm-up, and the influence of the stack measured before.

use tlslab_protocol::Measure;
use tlslab_record::{Neighbour, NeighbourEffect, RunRecord};

use super::steady;
use crate::model::{Cell, Modes, SteadyShare, Turns, WarmUpShare};
use tlslab_text::number::{bare_signed_percent, significant};

/// The summary of a run with times; other runs have no turns.
pub(super) fn turns(record: &RunRecord, steady: Vec<SteadyShare>) -> Option<Turns> {
    if !record.plan.has(Measure::Time) {
        return None;
    }
    let warm_ups = record.plan.stacks.iter().enumerate().filter_map(|(stack, taking_part)| {
        let (mut warm_up_ns, mut slices_ns, mut iterations) = (0_u128, 0_u128, 0_u64);
        for sample in record.samples.iter().filter(|sample| sample.stack == stack) {
            slices_ns += u128::from(sample.measurement.elapsed_ns);
            if let Some(warm_up) = &sample.measurement.warm_up {
                warm_up_ns += u128::from(warm_up.elapsed_ns);
                iterations = iterations.saturating_add(warm_up.iterations);
            }
        }
        let all_ns = (warm_up_ns + slices_ns) as f64;
        let share = if all_ns > 0.0 { warm_up_ns as f64 / all_ns } else { 0.0 };
        (slices_ns > 0).then(|| WarmUpShare { stack: taking_part.name.clone(), iterations, share })
    });
    let warm_ups: Vec<WarmUpShare> = warm_ups.collect();
    let sentences = [Some(left_out(record, &warm_ups)), steady::sentence(&steady), Some(influence(record))];
    let summary = sentences.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Some(Turns { warm_ups, steady, summary })
}

fn left_out(record: &RunRecord, warm_ups: &[WarmUpShare]) -> String {
    if record.plan.warm_up.is_none() {
        return "warm-up: none.".to_owned();
    }
    let shares = warm_ups.iter().map(|one| one.share);
    let (lowest, highest) =
        shares.fold((f64::INFINITY, 0.0_f64), |(low, high), share| (low.min(share), high.max(share)));
    let iterations = warm_ups.iter().fold(0_u64, |sum, one| sum.saturating_add(one.iterations));
    let percent = |share: f64| significant(100.0 * share, 2);
    format!(
        "warm-up: {iterations} iterations at the beginning of turns are excluded, {} to {} % of each stack's time.",
        percent(if lowest.is_finite() { lowest } else { 0.0 }),
        percent(highest)
    )
}

/// The largest influence of a neighbour, per family.
fn influence(record: &RunRecord) -> String {
    let of_families = NeighbourEffect::largest(&record.neighbours);
    if of_families.is_empty() {
        return "neighbours: the influence of other stacks on times has not been measured on this runner class; measure it \
                with `tlslab validate --neighbours`."
            .to_owned();
    }
    let each: Vec<String> = of_families.into_iter().map(largest).collect();
    format!("neighbours: the largest influence of the stack measured before on a time: {}.", each.join("; "))
}

fn largest(effect: &NeighbourEffect) -> String {
    let percent = |ratio: f64| bare_signed_percent(ratio - 1.0, 2);
    let before = match &effect.beside {
        Neighbour::Stack(stack) => stack.as_str(),
        Neighbour::Itself | Neighbour::OnePiece => "another process of itself",
    };
    let interval = match (effect.lower, effect.upper) {
        (Some(lower), Some(upper)) => format!(" [{}, {}]", percent(lower), percent(upper)),
        _ => String::new(),
    };
    let NeighbourEffect { family, stack, side, ratio, .. } = effect;
    format!("{} {} %{interval} ({stack} after {before}, {side})", family.to_lowercase(), percent(*ratio))
}

/// Warnings that come before the figures.
pub(super) fn warnings(record: &RunRecord) -> Vec<String> {
    if !record.plan.has(Measure::Time) || record.samples.is_empty() {
        return Vec::new();
    }
    if record.plan.warm_up.is_none() {
        let several = record.plan.stacks.len() > 1;
        return several
            .then(|| {
                "The stacks had no warm-up at the beginning of their turns, so each time contains cold caches and depends on \
                 the other stacks of the run, in handshakes by 15 % and more. Measure again with a warm-up."
                    .to_owned()
            })
            .into_iter()
            .collect();
    }
    let cold = |scenario: usize| {
        let scenario = &record.plan.scenarios[scenario];
        scenario.start == tlslab_protocol::Start::Cold
    };
    let mut warnings = Vec::new();
    for (stack, taking_part) in record.plan.stacks.iter().enumerate() {
        let of_stack = record.samples.iter().filter(|sample| sample.stack == stack && !cold(sample.scenario));
        let (mut all, mut with) = (0_u64, 0_u64);
        for sample in of_stack {
            all += 1;
            with += u64::from(sample.measurement.warm_up.is_some());
        }
        if all > 0 && with == 0 {
            warnings.push(format!(
                "{}: its driver reports no warm-up, so its times depend on the other stacks of the run; build it with the \
                 present driver kit.",
                taking_part.name
            ));
        }
    }
    warnings
}

/// Cells whose processes fall into two groups: the estimate is then one of a mixture.
pub(super) fn modes(record: &RunRecord, cells: &[Cell]) -> Vec<String> {
    let line = |cell: &Cell| Some(of_modes(record, cell, &cell.outcome.measured()?.modes?));
    cells.iter().filter_map(line).collect()
}

/// The two groups of a cell's processes.
pub(super) fn of_modes(record: &RunRecord, cell: &Cell, modes: &Modes) -> String {
    let Modes { lower, upper, upper_share } = *modes;
    let of = |value: f64| match record.plan.stacks.len() {
        1 => format!("{} µs", significant(value, 3)),
        _ => format!("{} times {}", significant(value, 3), record.plan.baseline),
    };
    format!(
        "{}, {}, {}: processes fall into two groups, {} % at {} and {} % at {}; the estimate is of this mixture, and the \
         shares may differ in another run.",
        cell.stack,
        cell.scenario,
        cell.side,
        significant(100.0 * (1.0 - upper_share), 2),
        of(lower),
        significant(100.0 * upper_share, 2),
        of(upper)
    )
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::Side;

    use super::*;

    #[test]
    fn an_influence_names_both_stacks() {
        let effect = NeighbourEffect {
            host: "h".to_owned(),
            measured_unix_ms: 0,
            slice_ns: 1,
            slices: 8,
            warm_up: None,
            family: "Full handshake".to_owned(),
            scenario: "s".to_owned(),
            stack: "a".to_owned(),
            side: Side::Client,
            beside: Neighbour::Stack("b".to_owned()),
            ratio: 1.0123,
            lower: Some(1.008),
            upper: Some(1.0161),
            confidence: 0.99,
            rounds: 10,
        };
        assert_eq!(largest(&effect), "full handshake +1.23 % [+0.80, +1.61] (a after b, client)");
        let bare = NeighbourEffect { lower: None, upper: None, beside: Neighbour::Itself, ..effect };
        assert_eq!(largest(&bare), "full handshake +1.23 % (a after another process of itself, client)");
    }
}
