//! Restores the previous values of settings.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use crate::access::{boot_id, set, value_of};
use crate::error::Error;
use crate::machine::{Machine, is_root};
use crate::setting::Setting;
use crate::state::{Previous, State, StateFile};

/// The result of [`undo`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The settings that have exactly their previous value again.
    pub restored: Vec<Setting>,
    /// Interrupts of devices that no longer exist.
    pub gone: Vec<Setting>,
    /// The settings that could not be restored, and why; the state file keeps their previous values.
    pub remaining: Vec<(Setting, String)>,
}

/// Restores the previous values in reverse order, and removes the state file once all are restored.
///
/// # Errors
/// Returns the reason why nothing was restored, or fails if the state file cannot be replaced afterwards.
pub fn undo(machine: &dyn Machine, file: &StateFile) -> Result<Undone, Error> {
    if !is_root(machine) {
        return Err(Error::NotRoot);
    }
    let boot_id = boot_id(machine)?;
    if file.path().symlink_metadata().is_err_and(|cause| cause.kind() == ErrorKind::NotFound) {
        return Err(Error::NothingToUndo(file.path().to_owned()));
    }
    let _lock = file.lock()?;
    let state = file.load()?.ok_or_else(|| Error::NothingToUndo(file.path().to_owned()))?;
    if state.boot_id != boot_id {
        return Err(Error::Restarted(file.path().to_owned()));
    }
    // Some settings change others: the first round restores all but those, the second round those, too.
    let mut failures = BTreeMap::new();
    for _ in 0..2 {
        for Previous { setting, value } in state.previous.iter().rev() {
            match restore(machine, *setting, value) {
                Ok(()) => failures.remove(setting),
                Err(cause) => failures.insert(*setting, cause.to_string()),
            };
        }
    }
    let mut undone = Undone::default();
    let mut previous = Vec::new();
    for entry in state.previous {
        let setting = entry.setting;
        match check(machine, &entry) {
            Restored::Yes => undone.restored.push(setting),
            Restored::Gone => undone.gone.push(setting),
            Restored::No(reason) => {
                let reason = failures.remove(&setting).unwrap_or(reason);
                undone.remaining.push((setting, reason));
                previous.push(entry);
            }
        }
    }
    match previous.is_empty() {
        true => file.remove()?,
        false => file.save(&State { boot_id, cpus: state.cpus, previous })?,
    }
    Ok(undone)
}

enum Restored {
    Yes,
    Gone,
    No(String),
}

/// Writes a value unless the setting already has it.
fn restore(machine: &dyn Machine, setting: Setting, value: &str) -> std::io::Result<()> {
    match value_of(machine, setting)? == value {
        true => Ok(()),
        false => set(machine, setting, setting.written_for(value)),
    }
}

/// Whether a setting has its previous value.
fn check(machine: &dyn Machine, Previous { setting, value }: &Previous) -> Restored {
    let is_irq = matches!(setting, Setting::IrqCpus(_));
    match value_of(machine, *setting) {
        Ok(now) if now == *value => Restored::Yes,
        Ok(now) => Restored::No(format!("the kernel keeps {}", now.trim())),
        Err(cause) if is_irq && cause.kind() == ErrorKind::NotFound => Restored::Gone,
        Err(cause) => Restored::No(cause.to_string()),
    }
}
