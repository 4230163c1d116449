//! Whether processes came to a steady state while they were measured, from the slices of each visit in their
//! order.

use tlslab_protocol::{Measurement, Start};
use tlslab_record::RunRecord;
use tlslab_stats::{SteadyState, steady_state};

use super::slices::Slices;
use crate::model::SteadyShare;
use tlslab_text::number::{counted, significant};

/// Slices of a level, two turns of eight: a level that lasts for one turn is no state of the process.
const SHORTEST: usize = 16;
/// With fewer slices there is no test.
const FEWEST: usize = 3 * SHORTEST;
/// Levels that differ by less are one: a host without a runtime moves them by a percent or two.
const TOLERANCE: f64 = 0.05;
/// Stacks with a smaller share of steady visits are named in a warning.
const ENOUGH: f64 = 0.9;

/// Of each stack that has visits long enough.
pub(super) fn shares(record: &RunRecord, slices: &Slices) -> Vec<SteadyShare> {
    if record.plan.evictor.is_some() {
        return Vec::new();
    }
    let stacks = record.plan.stacks.iter().enumerate();
    stacks.map(|(at, stack)| share(record, slices, at, &stack.name)).filter(|one| one.visits > 0).collect()
}

fn share(record: &RunRecord, slices: &Slices, stack: usize, name: &str) -> SteadyShare {
    let mut share = SteadyShare { stack: name.to_owned(), ..SteadyShare::default() };
    let mut most = 0;
    let warm = |scenario: &usize| record.plan.scenarios[*scenario].start == Start::Warm;
    for scenario in record.plan.timed().filter(warm) {
        let before = share.not_reached;
        for visit in slices.visits(scenario) {
            let times: Vec<f64> =
                visit.stack_slices(stack).map(ns).filter(|ns| *ns > 0.0).map(f64::ln).collect();
            if times.len() < FEWEST {
                continue;
            }
            let Ok(found) = steady_state(&times, SHORTEST, TOLERANCE) else { continue };
            share.visits += 1;
            *match found {
                SteadyState::Flat => &mut share.flat,
                SteadyState::WarmedUp => &mut share.warmed_up,
                SteadyState::SlowedDown => &mut share.slowed_down,
                SteadyState::NotReached => &mut share.not_reached,
            } += 1;
        }
        if share.not_reached - before > most {
            most = share.not_reached - before;
            share.most_in = Some(record.plan.scenarios[scenario].name.clone());
        }
    }
    share
}

/// The time of an iteration of both sides together.
fn ns(slice: &Measurement) -> f64 {
    let total = slice.client.phases.total_ns().saturating_add(slice.server.phases.total_ns());
    total as f64 / slice.iterations as f64
}

/// A sentence for every report.
pub(super) fn sentence(shares: &[SteadyShare]) -> Option<String> {
    let each: Vec<String> =
        shares.iter().filter_map(|one| Some((one, one.reached()?))).map(described).collect();
    (!each.is_empty()).then(|| {
        format!(
            "steady state (no change of {} % or more in the second half of a visit), share of visits: {}.",
            100.0 * TOLERANCE,
            each.join(", ")
        )
    })
}

fn described((share, reached): (&SteadyShare, f64)) -> String {
    format!("{} {} %", share.stack, significant(100.0 * reached, 3))
}

/// Stacks whose processes often reached no steady state.
pub(super) fn warnings(shares: &[SteadyShare]) -> Vec<String> {
    let is_unsteady = |one: &&SteadyShare| one.reached().is_some_and(|reached| reached < ENOUGH);
    let line = |one: &SteadyShare| {
        format!(
            "{}: processes reached no steady state in {} of {}, most often in {}: times changed by {} % or \
             more in the second half of a visit. The cause was not seen: a library that still warms up does this, \
             and a processor whose speed changes. A longer --budget shows which.",
            one.stack,
            one.not_reached,
            counted(one.visits, "visit"),
            one.most_in.as_deref().unwrap_or_default(),
            100.0 * TOLERANCE
        )
    };
    shares.iter().filter(is_unsteady).map(line).collect()
}
