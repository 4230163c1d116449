//! The versions that a stack names, brought into a driver's lock file.
//!
//! Each version is first set alone, so that everything else stays as committed. Two named versions can
//! exclude each other on that way: setting the first moves its dependencies to their newest releases, which
//! may refuse the second. Cargo is then asked for all of them at once, and moves whatever stands between
//! them.

use std::fs;
use std::path::Path;

use tlslab_artifact::{Doing, Halt, Workspace};
use tlslab_process::Program;

use crate::lab_crates::{parsed, written};
use crate::lockfile::Lockfile;
use crate::manifest::with_pins;

/// Brings the named versions into the lock file of a manifest. `pins` are packages (`NAME` or
/// `NAME@VERSION`) with the version that each must have; `update` is `cargo update` of that manifest.
///
/// # Errors
/// Fails if no set of releases has all these versions, with what cargo says about it.
pub(crate) fn pin(
    pins: &[(&str, &str)],
    manifest: &Path,
    update: &dyn Fn() -> Program,
    workspace: &Workspace<'_>,
) -> Result<(), Halt> {
    let lock_file = manifest.with_file_name("Cargo.lock");
    let committed = fs::read_to_string(&lock_file).doing("read", &lock_file)?;
    match one_by_one(pins, &lock_file, update, workspace) {
        Ok(true) => Ok(()),
        Ok(false) | Err(Halt::Step { .. }) if pins.len() > 1 => {
            fs::write(&lock_file, committed).doing("write", &lock_file)?;
            together(pins, manifest, update, workspace)
        }
        other => other.map(drop),
    }
}

/// Sets each version alone. Whether all are set then: a later one may have moved an earlier one.
fn one_by_one(
    pins: &[(&str, &str)],
    lock_file: &Path,
    update: &dyn Fn() -> Program,
    workspace: &Workspace<'_>,
) -> Result<bool, Halt> {
    let lock = || parsed(lock_file, Lockfile::parse);
    for (name, version) in pins {
        if !lock()?.satisfies(name, version) {
            workspace.fetch(update().args([name, "--precise", version]))?;
        }
    }
    let settled = lock()?;
    Ok(pins.iter().all(|(name, version)| settled.satisfies(name, version)))
}

/// Asks cargo for all versions at once: for a moment the driver's manifest requires each of them exactly.
fn together(
    pins: &[(&str, &str)],
    manifest: &Path,
    update: &dyn Fn() -> Program,
    workspace: &Workspace<'_>,
) -> Result<(), Halt> {
    let own = fs::read_to_string(manifest).doing("read", manifest)?;
    let exact = written(&parsed(manifest, |text| with_pins(text, pins))?);
    fs::write(manifest, exact).doing("write", manifest)?;
    workspace.fetch(update().arg("--workspace"))?;
    fs::write(manifest, own).doing("write", manifest)?;
    // What is locked stays; what only the added requirements need is removed.
    workspace.fetch(update().args(["--workspace", "--offline"]))
}
