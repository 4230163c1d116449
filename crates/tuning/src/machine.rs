//! The only code that changes a machine.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::units::{Slice, Unit};

/// A machine whose settings can be read and changed. File names are relative to its root.
pub trait Machine {
    /// The folder that its files are in.
    fn root(&self) -> &Path;
    /// Writes a value to an existing file, in one call.
    ///
    /// # Errors
    /// Fails as the kernel does.
    fn write(&self, file: &str, value: &str) -> io::Result<()>;
    /// Opens a file for writing without writing to it.
    ///
    /// # Errors
    /// Returns the kernel's error.
    fn may_write(&self, file: &str) -> io::Result<()>;
    /// The answers of `systemctl is-active`, one per unit, in order.
    ///
    /// # Errors
    /// Fails if systemctl cannot be started.
    fn unit_states(&self, units: &[Unit]) -> io::Result<Vec<String>>;
    /// Starts or stops a unit until the next restart; it stays enabled or disabled.
    ///
    /// # Errors
    /// Fails if systemctl does.
    fn run_unit(&self, unit: Unit, runs: bool) -> io::Result<()>;
    /// The CPUs that a slice may use, as systemd lists them; empty for all.
    ///
    /// # Errors
    /// Fails if systemctl does.
    fn slice_cpus(&self, slice: Slice) -> io::Result<String>;
    /// Sets the CPUs that a slice may use, until the next restart.
    ///
    /// # Errors
    /// Fails if systemctl does.
    fn set_slice_cpus(&self, slice: Slice, cpus: &str) -> io::Result<()>;
}

/// The exact content of a file as text. Values that are changed are ASCII.
pub(crate) fn read(machine: &dyn Machine, file: &str) -> io::Result<String> {
    fs::read_to_string(machine.root().join(file))
}

/// The names in a folder; none if it does not exist.
pub(crate) fn names(machine: &dyn Machine, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(machine.root().join(folder)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Whether this process runs as root, as /proc reports it.
pub(crate) fn is_root(machine: &dyn Machine) -> bool {
    let status = read(machine, "proc/self/status").unwrap_or_default();
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    uids.and_then(|uids| uids.split_whitespace().nth(1)) == Some("0")
}

/// The real machine.
pub struct Host {
    root: PathBuf,
}

impl Host {
    /// This machine.
    pub fn this() -> Self {
        Self { root: PathBuf::from("/") }
    }
}

impl Machine for Host {
    fn root(&self) -> &Path {
        &self.root
    }

    fn write(&self, file: &str, value: &str) -> io::Result<()> {
        // Never creates a file: a missing setting is not created.
        OpenOptions::new().write(true).open(self.root.join(file))?.write_all(value.as_bytes())
    }

    fn may_write(&self, file: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.root.join(file)).map(drop)
    }

    fn unit_states(&self, units: &[Unit]) -> io::Result<Vec<String>> {
        let names: Vec<&str> = units.iter().map(|unit| unit.name()).collect();
        // The exit status only shows whether all of them are active.
        let output = systemctl().arg("is-active").args(&names).output()?;
        let states: Vec<String> =
            String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
        match states.len() == units.len() {
            true => Ok(states),
            false => Err(failure("systemctl is-active", &output)),
        }
    }

    fn run_unit(&self, unit: Unit, runs: bool) -> io::Result<()> {
        done(systemctl().arg(if runs { "start" } else { "stop" }).arg(unit.name())).map(drop)
    }

    fn slice_cpus(&self, slice: Slice) -> io::Result<String> {
        let text = done(systemctl().args(["show", "--property=AllowedCPUs", "--value"]).arg(slice.name()))?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    fn set_slice_cpus(&self, slice: Slice, cpus: &str) -> io::Result<()> {
        let property = format!("AllowedCPUs={cpus}");
        done(systemctl().args(["set-property", "--runtime"]).arg(slice.name()).arg(property)).map(drop)
    }
}

/// The only program that this crate starts.
fn systemctl() -> Command {
    let mut command = Command::new(SYSTEMCTL);
    command.args(["--no-pager", "--no-ask-password"]).env_clear().env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// The output of a command that has succeeded.
fn done(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(failure("systemctl", &output)),
    }
}

fn failure(what: &str, output: &std::process::Output) -> io::Error {
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("no reason given").to_owned();
    io::Error::other(format!("{what} failed ({}): {said}", output.status))
}

/// An absolute path, so that root does not search folders of the caller's environment.
const SYSTEMCTL: &str = "/usr/bin/systemctl";
