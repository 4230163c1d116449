//! How far times on a host depend on neighbours: a file beside the runs.

use std::path::Path;

use tlslab_record::{NeighbourEffect, Plan};

/// The file's name, in the folder of the runs.
const FILE: &str = "neighbours.json";

/// All that is known; nothing where there is no file.
fn load(out: &Path) -> anyhow::Result<Vec<NeighbourEffect>> {
    super::load(out, FILE, "tlslab validate --neighbours")
}

/// What is known that holds for a plan's times: of the same kind of host, by the same rule.
pub fn holding_for(out: &Path, plan: &Plan) -> anyhow::Result<Vec<NeighbourEffect>> {
    let class = tlslab_figures::runner_class(&plan.host);
    let holds = |effect: &NeighbourEffect| {
        effect.host == class
            && (effect.slice_ns, effect.slices, effect.warm_up) == (plan.slice_ns, plan.slices, plan.warm_up)
    };
    Ok(load(out)?.into_iter().filter(holds).collect())
}

/// Keeps what was found, in the place of what was known of the same host.
pub fn keep(out: &Path, found: &[NeighbourEffect]) -> anyhow::Result<()> {
    let mut all = load(out)?;
    let key = |one: &NeighbourEffect| (one.host.clone(), one.scenario.clone(), one.stack.clone());
    all.retain(|old| !found.iter().any(|fresh| key(fresh) == key(old)));
    all.extend(found.iter().cloned());
    super::store(out, FILE, &all)
}
