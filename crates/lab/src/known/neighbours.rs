//! How far times on a host depend on neighbours: a file beside the runs.

use std::path::Path;

use anyhow::Context;
use tlslab_record::{NeighbourEffect, Plan};

/// The file's name, in the folder of the runs.
const FILE: &str = "neighbours.json";

/// All that is known; nothing where there is no file.
fn load(out: &Path) -> anyhow::Result<Vec<NeighbourEffect>> {
    let path = out.join(FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| {
            format!(
                "{} was not written by `tlslab validate --neighbours`; delete it and run that again",
                path.display()
            )
        }),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(cause) => Err(cause).with_context(|| format!("cannot read {}", path.display())),
    }
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
    std::fs::create_dir_all(out).with_context(|| format!("cannot create the folder {}", out.display()))?;
    let path = out.join(FILE);
    let text = serde_json::to_string_pretty(&all).context("cannot serialise the effects")?;
    let fresh = path.with_extension("json.new");
    std::fs::write(&fresh, text).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, &path).with_context(|| format!("cannot write {}", path.display()))
}
