//! The lock file of a Rust driver whose recipe needs other versions than the committed one.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Artifact, Doing, Halt, Inputs, OUTSIDE, Stage, Workspace, program};

use tlslab_process::Program;
use tlslab_recipe::AsOf;
use tlslab_record::Dependencies;

use crate::as_of::{self, Move, WayBack};
use crate::driver_rust::RustProject;
use crate::lab_crates::parsed;
use crate::lockfile::Lockfile;
use crate::pins::pin;
use crate::published::Published;

/// A lock file with the versions that a recipe needs.
pub(crate) struct Versions {
    project: RustProject,
    inputs: Inputs,
}

impl Versions {
    /// The planned lock file.
    pub(crate) fn plan(project: RustProject) -> Self {
        let inputs = project.manifest_inputs();
        Self { project, inputs }
    }

    /// The lock file within the product.
    pub(crate) fn lock(product: &Path) -> PathBuf {
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
        for package in self.project.replaced() {
            // The source's dependencies are usually on this machine, so the network is not needed.
            match workspace.fetch(cargo().args([package, "--offline"])) {
                Err(Halt::Step { .. }) => workspace.fetch(cargo().arg(package))?,
                other => other?,
            }
        }
        pin(&self.project.pins(), &manifest, &cargo, workspace)?;
        if let Some(as_of) = self.project.as_of() {
            let found = self.go_back(as_of, &lock_file, &cargo, workspace)?;
            let facts = Self::dependencies(place);
            // Plain data always serialises.
            let text = serde_json::to_vec_pretty(&found).expect("dependencies serialise");
            fs::write(&facts, text).doing("write", &facts)?;
        }
        self.check(&parsed(&lock_file, Lockfile::parse)?)?;
        let kept = Self::lock(place);
        fs::copy(&lock_file, &kept).doing("copy", &lock_file).map(drop)
    }
}

impl Versions {
    /// Downgrades the library's dependencies to a day, one by one: cargo decides for each whether the
    /// driver's graph allows it.
    fn go_back(
        &self,
        as_of: AsOf,
        lock_file: &Path,
        cargo: &dyn Fn() -> Program,
        workspace: &Workspace<'_>,
    ) -> Result<Dependencies, Halt> {
        let published = Published::new(workspace.context);
        let entries = |name: &str| published.entries(name);
        let library = self.project.package();
        let lock = || parsed(lock_file, Lockfile::parse);
        let day = match as_of {
            AsOf::Day(day) => day,
            AsOf::Release => {
                let lock = lock()?;
                let found = lock.named(library).next();
                let found = found.ok_or_else(|| as_of::unknown_day(library, "in the driver's lock file"))?;
                as_of::published(found, &entries(library)?)?
            }
        };
        let chosen = self.project.pins().into_iter().map(|(pin, _)| pin.split('@').next().unwrap_or(pin));
        let mut back = WayBack::new(library, day, chosen.chain(self.project.replaced()).collect());
        while let Some(Move { name, from, to }) = back.next(&lock()?, &entries)? {
            let package = format!("{name}@{from}");
            let mut has_moved = false;
            for version in &to {
                has_moved = match workspace.fetch(cargo().args([&*package, "--precise", version])) {
                    Err(Halt::Step { .. }) => false,
                    other => other.map(|()| true)?,
                };
                has_moved &= lock()?.named(&name).all(|found| found.version != from);
                if has_moved {
                    break;
                }
            }
            if !has_moved {
                let locked = lock()?;
                let needed = locked.needed_by(library);
                let found = locked.named(&name).find(|found| found.version == from);
                let others = found.into_iter().flat_map(|found| locked.dependents(found));
                let others = others.filter(|other| other.name != library && !needed.contains(other));
                let others: Vec<&str> = others.map(|other| other.name.as_str()).collect();
                let cause = match &others[..] {
                    [] => format!("cargo cannot replace it with {}", to.join(" or ")),
                    others => format!("{} is too old for {}", to[0], others.join(", ")),
                };
                back.stays(&name, &from, cause);
            }
        }
        back.found(&lock()?, &entries)
    }

    /// The library's dependencies as of a day, within the product; `None` if they are the newest.
    pub(crate) fn dependencies(product: &Path) -> PathBuf {
        product.join("dependencies.json")
    }

    /// Cargo does not report every request that it ignores.
    fn check(&self, lock: &Lockfile) -> Result<(), Halt> {
        if let Some((name, version)) =
            self.project.pins().into_iter().find(|(name, version)| !lock.satisfies(name, version))
        {
            return Err(Halt::wrong(
                format!("{name} {version}"),
                "the driver's dependencies contain another version of it, or none",
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
