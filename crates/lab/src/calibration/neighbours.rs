//! How far times on a host depend on neighbours.

use std::path::Path;

use tlslab_record::{NeighbourEffect, Plan};
use tlslab_store::Store;

use crate::results::notes;

/// The kind of these notes: for each stack and scenario on a kind of host, a list.
const KIND: &str = "neighbours";
/// The file in which earlier versions of the lab stored them, in the results folder.
const FILE: &str = "neighbours.json";

/// The records that apply to a plan's times: of the same kind of host, by the same rule.
///
/// # Errors
/// Fails if the notes cannot be read.
pub fn effects_for_plan(store: &dyn Store, out: &Path, plan: &Plan) -> anyhow::Result<Vec<NeighbourEffect>> {
    let class = tlslab_history::figures::runner_class(&plan.host);
    let holds = |effect: &NeighbourEffect| {
        effect.host == class
            && (effect.slice_ns, effect.slices, effect.warm_up) == (plan.slice_ns, plan.slices, plan.warm_up)
    };
    let older = grouped(&notes::older::<Vec<NeighbourEffect>>(&out.join(FILE))?);
    let known = notes::read(store, KIND, "", older)?;
    Ok(known.into_iter().flat_map(|(_, effects)| effects).filter(holds).collect())
}

/// Records the effect, in place of older ones for the same host.
///
/// # Errors
/// Fails if the database rejects it.
pub fn keep(store: &mut dyn Store, found: &[NeighbourEffect]) -> anyhow::Result<()> {
    notes::write(store, KIND, &grouped(found))
}

/// By host, scenario and stack.
fn grouped(effects: &[NeighbourEffect]) -> Vec<(String, Vec<NeighbourEffect>)> {
    let mut groups: Vec<(String, Vec<NeighbourEffect>)> = Vec::new();
    for effect in effects {
        let key = format!("{}/{}/{}", effect.stack, effect.scenario, effect.host);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(effect.clone()),
            None => groups.push((key, vec![effect.clone()])),
        }
    }
    groups
}
