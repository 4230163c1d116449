//! How far code layout alone moves times on a host.

use tlslab_record::{Fingerprint, LayoutEffect};
use tlslab_store::Store;

use crate::results::notes;

/// The kind of these notes: for each stack and scenario on a kind of host, a list.
const KIND: &str = "layouts";

/// The effects on a kind of host.
///
/// # Errors
/// Fails if the notes cannot be read.
pub fn effects_of_host(store: &dyn Store, host: &Fingerprint) -> anyhow::Result<Vec<LayoutEffect>> {
    let class = tlslab_history::figures::runner_class(host);
    let known = notes::read::<Vec<LayoutEffect>>(store, KIND, "", Vec::new())?;
    Ok(known.into_iter().flat_map(|(_, effects)| effects).filter(|effect| effect.host == class).collect())
}

/// Records the effect, in place of older ones for the same stack, scenario and host.
///
/// # Errors
/// Fails if the database rejects it.
pub fn keep(store: &mut dyn Store, found: &[LayoutEffect]) -> anyhow::Result<()> {
    let mut groups: Vec<(String, Vec<LayoutEffect>)> = Vec::new();
    for effect in found {
        let key = format!("{}/{}/{}", effect.stack, effect.scenario, effect.host);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(effect.clone()),
            None => groups.push((key, vec![effect.clone()])),
        }
    }
    notes::write(store, KIND, &groups)
}
