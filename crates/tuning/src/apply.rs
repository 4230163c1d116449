//! Changes settings, after their previous values have been saved to disk.

use std::collections::BTreeSet;

use crate::access::{boot_id, set, value_of};
use crate::error::Error;
use crate::machine::{Machine, is_root};
use crate::plan::Plan;
use crate::probe::probe;
use crate::setting::Setting;
use crate::state::{Previous, State, StateFile};
use crate::value::cpu_list_text;

/// The result of [`apply`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The plan that was carried out.
    pub plan: Plan,
    /// The settings that have their new value.
    pub changed: Vec<Setting>,
    /// Interrupts that the kernel does not move.
    pub immovable: Vec<Setting>,
    /// The settings that could not be changed, and why.
    pub failed: Vec<(Setting, String)>,
}

/// The CPUs for measuring that the last [`apply`] since the boot has chosen, from the state file; `None` if
/// there is no such state.
///
/// # Errors
/// Fails if the state file is unusable.
pub fn chosen_before(machine: &dyn Machine, file: &StateFile) -> Result<Option<BTreeSet<u32>>, Error> {
    let state = current(file.load()?, &boot_id(machine)?);
    Ok(state.map(|state| state.cpus).filter(|cpus| !cpus.is_empty()))
}

/// Ignores the state of an earlier boot, whose changes the restart has undone.
fn current(state: Option<State>, boot_id: &str) -> Option<State> {
    state.filter(|state| state.boot_id == boot_id)
}

/// Changes the settings that can be changed. A second call adds to the state file only settings that are not
/// in it.
///
/// # Errors
/// Returns the reason why nothing was changed.
pub fn apply(
    machine: &dyn Machine,
    chosen: Option<&BTreeSet<u32>>,
    file: &StateFile,
) -> Result<Applied, Error> {
    if !is_root(machine) {
        return Err(Error::NotRoot);
    }
    let boot_id = boot_id(machine)?;
    let _lock = file.lock()?;
    let before = current(file.load()?, &boot_id);
    let used = before.as_ref().map(|state| &state.cpus).filter(|cpus| !cpus.is_empty());
    if let (Some(used), Some(chosen)) = (used, chosen)
        && used != chosen
    {
        let (chosen, before) = (cpu_list_text(chosen), cpu_list_text(used));
        return Err(Error::OtherCpus { chosen, before });
    }
    let plan = probe(machine, used.or(chosen))?;
    let mut state = before.unwrap_or(State { boot_id, cpus: BTreeSet::new(), previous: Vec::new() });
    state.cpus.clone_from(plan.cpus.measuring());
    let known: BTreeSet<Setting> = state.previous.iter().map(|previous| previous.setting).collect();
    for (setting, now, _) in plan.changes().filter(|(setting, ..)| !known.contains(setting)) {
        state.previous.push(Previous { setting, value: now.to_owned() });
    }
    if !state.previous.is_empty() {
        file.save(&state)?;
    }
    let (mut changed, mut immovable, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for (setting, _, wanted) in plan.changes() {
        match change(machine, setting, wanted) {
            Ok(()) => changed.push(setting),
            Err(_) if matches!(setting, Setting::IrqCpus(_)) => immovable.push(setting),
            Err(reason) => failed.push((setting, reason)),
        }
    }
    Ok(Applied { plan, changed, immovable, failed })
}

/// Sets a setting and reads it back.
fn change(machine: &dyn Machine, setting: Setting, wanted: &str) -> Result<(), String> {
    set(machine, setting, wanted).map_err(|cause| cause.to_string())?;
    let now = value_of(machine, setting).map_err(|cause| cause.to_string())?;
    match setting.is_at(&now, wanted) {
        true => Ok(()),
        false => Err(format!("the kernel keeps {}", now.trim())),
    }
}
