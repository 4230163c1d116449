//! The lock file of a Rust driver whose recipe asks for other versions than the committed one.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Artifact, Doing, Halt, Inputs, OUTSIDE, Stage, Workspace, program};

use crate::driver_rust::RustProject;
use crate::lab_crates::parsed;
use crate::lockfile::Lockfile;

/// A lock file that holds what a recipe asks for.
pub struct Versions {
    project: RustProject,
    inputs: Inputs,
}

impl Versions {
    /// What would be settled.
    pub fn plan(project: RustProject) -> Self {
        let inputs = project.manifest_inputs();
        Self { project, inputs }
    }

    /// The lock file within the product.
    pub fn lock(product: &Path) -> PathBuf {
        product.join("Cargo.lock")
    }
}

impl Artifact for Versions {
    fn stage(&self) -> Stage {
        Stage::Versions
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        self.project.bring_to(scratch, workspace)?;
        let folder = scratch.join(self.project.folder());
        let lock_file = folder.join("Cargo.lock");
        let manifest = folder.join("Cargo.toml");
        let cargo = || {
            program("cargo", Path::new(OUTSIDE))
                .args(["update", "--color=never", "--manifest-path"])
                .arg(&manifest)
        };
        let mut lock = parsed(&lock_file, Lockfile::parse)?;
        for package in self.project.replaced() {
            // What the source needs is on this machine as a rule, and then nobody has to be asked.
            match workspace.fetch(cargo().args([package, "--offline"])) {
                Err(Halt::Step { .. }) => workspace.fetch(cargo().arg(package))?,
                other => other?,
            }
        }
        for (name, version) in self.project.pins() {
            lock = parsed(&lock_file, Lockfile::parse)?;
            if !lock.satisfies(name, version) {
                workspace.fetch(cargo().args([name, "--precise", version]))?;
            }
        }
        self.check(&parsed(&lock_file, Lockfile::parse).unwrap_or(lock))?;
        let kept = Self::lock(place);
        fs::copy(&lock_file, &kept).doing("copy", &lock_file).map(drop)
    }
}

impl Versions {
    /// Cargo says little when it ignores a wish.
    fn check(&self, lock: &Lockfile) -> Result<(), Halt> {
        if let Some((name, version)) =
            self.project.pins().into_iter().find(|(name, version)| !lock.satisfies(name, version))
        {
            return Err(Halt::wrong(
                format!("{name} {version}"),
                "the driver's graph has another version of it as well, or none",
                "pin one of several as \"name@version\", or correct the recipe",
            ));
        }
        let is_ours = |package: &str| lock.named(package).any(|found| found.checksum.is_none());
        match self.project.replaced().find(|package| !is_ours(package)) {
            None => Ok(()),
            Some(package) => Err(Halt::wrong(
                format!("the source of {package}"),
                "the driver asks for another version than the source has",
                "widen the version in the driver's Cargo.toml, or choose another revision",
            )),
        }
    }
}
