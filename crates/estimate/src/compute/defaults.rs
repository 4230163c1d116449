//! What each library does if nothing is configured, from the proofs.

use tlslab_record::{Defaults, RunRecord};

use super::cells::proof;
use crate::model::StackDefaults;

/// Every stack in every scenario that leaves libraries at their defaults.
pub(super) fn defaults(record: &RunRecord) -> Vec<StackDefaults> {
    let plan = &record.plan;
    let mut found = Vec::new();
    for (at, scenario) in plan.scenarios.iter().enumerate().filter(|(_, scenario)| scenario.defaults) {
        for (place, stack) in plan.stacks.iter().enumerate() {
            let defaults = proof(record, at, place).and_then(|proof| Defaults::of(scenario, proof));
            found.extend(defaults.map(|defaults| StackDefaults {
                scenario: scenario.name.clone(),
                stack: stack.name.clone(),
                defaults,
            }));
        }
    }
    found
}

/// What holds wherever such figures are shown.
pub(super) const NOTE: &str = "With their defaults libraries do different work: they offer and pick other groups, suites and \
     tickets. A difference of time or of bytes there is one of these choices as well as of code.";
