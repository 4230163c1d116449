//! How long a run takes at least, whatever its budget is.

use tlslab_protocol::WarmUpRule;
use tlslab_record::Plan;

/// What a fresh process and its calibration take, s: of a driver in C or Rust on a machine that does nothing else.
const PROCESS_S: f64 = 0.03;

/// Blocks of turns in a visit at least.
const BLOCKS: f64 = 3.0;

/// How long timing takes: the budget, or what the fewest turns of all visits take with the processes that they need.
pub fn timing_s(plan: &Plan) -> f64 {
    let slicing = plan.slicing();
    let warm_up_s = slicing.warm_up.map_or(0.0, |WarmUpRule { least_ns, .. }| least_ns as f64 / 1e9);
    let turn_s = warm_up_s + slicing.slice_ns as f64 / 1e9 * f64::from(slicing.slices);
    let stacks = plan.stacks.len() as f64;
    let round_s = stacks * (PROCESS_S + plan.timed().count() as f64 * BLOCKS * turn_s);
    plan.budget_s.max(f64::from(plan.rounds) * round_s)
}
