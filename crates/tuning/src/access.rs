//! Reads and sets a setting, in a file or through systemd.

use std::io;

use crate::error::Error;
use crate::machine::{Machine, read};
use crate::setting::Setting;

/// The value of a setting, exactly as read.
pub(crate) fn value_of(machine: &dyn Machine, setting: Setting) -> io::Result<String> {
    match setting {
        Setting::Unit(unit) => Ok(machine.unit_states(&[unit])?.concat()),
        Setting::Slice(slice) => machine.slice_cpus(slice),
        _ => read(machine, &setting.file().unwrap_or_default()),
    }
}

/// Sets a setting.
pub(crate) fn set(machine: &dyn Machine, setting: Setting, value: &str) -> io::Result<()> {
    match setting {
        Setting::Unit(unit) => machine.run_unit(unit, value == "active"),
        Setting::Slice(slice) => machine.set_slice_cpus(slice, value),
        _ => machine.write(&setting.file().unwrap_or_default(), value),
    }
}

/// The ID of this boot of the machine.
pub(crate) fn boot_id(machine: &dyn Machine) -> Result<String, Error> {
    let text = read(machine, "proc/sys/kernel/random/boot_id").map_err(Error::BootId)?;
    Ok(text.trim().to_owned())
}
