//! The driver kit as a static library, for drivers in C.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::{
    Access, Artifact, Doing, Halt, Happening, Inputs, Key, Lock, Snapshot, Stage, Stamp, Toolchain,
    Workspace, copy_files, files, program,
};

use tlslab_recipe::Target;

use crate::driver_rust::offline;
use crate::lab_crates::{lab_crates, lab_lock};

/// The kit, from a snapshot of the lab's tree.
pub(crate) struct Kit {
    snapshot: Snapshot,
    target: Option<Target>,
    inputs: Inputs,
}

impl Kit {
    /// Reads the lab's tree. Without a target it is for this machine.
    pub(crate) fn plan(root: &Path, toolchain: &Toolchain, target: Option<Target>) -> Result<Self, Halt> {
        let mut snapshot = lab_crates(root, true)?;
        snapshot.add("Cargo.lock", lab_lock(root)?);
        let inputs = Inputs::new(Stage::Kit.name())
            .with("rustc", &toolchain.rustc)
            .with_all("cargo", ARGUMENTS)
            .with_all("for", target.map(Target::triple))
            .with_all("file", snapshot.digests().map(|(path, digest)| format!("{path} {digest}")));
        Ok(Self { snapshot, target, inputs })
    }

    /// The library within the product.
    pub(crate) fn library(product: &Path) -> PathBuf {
        product.join(LIBRARY)
    }

    /// The folder of the header within the product.
    pub(crate) fn include(product: &Path) -> PathBuf {
        product.join("include")
    }
}

impl Artifact for Kit {
    fn stage(&self) -> Stage {
        Stage::Kit
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, _scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let work_key: Key = Inputs::new("kit work").key();
        let (work, cache) = (workspace.context.cache.work(&work_key), workspace.context.cache);
        let _lock = Lock::take(&cache.lock("work", &work_key), workspace.context.cancel, || {
            (workspace.report)(Happening::Waiting)
        })?;
        self.snapshot.bring_to(&work, &["target"])?;
        let triple = self.target.map(Target::triple);
        let cargo = program("cargo", &work).args(ARGUMENTS).args(["--target-dir", "target"]);
        let cargo = cargo.args(triple.map(|triple| format!("--target={triple}")));
        let cargo = cargo.arg("--jobs").arg(workspace.jobs.to_string());
        let cargo = offline(cargo, &work.join("Cargo.toml"), workspace)?;
        workspace.run_with(cargo, Access { write: &[(&work, &work)], ..Access::default() })?;
        let built = work.join("target").join(triple.unwrap_or("")).join("release").join(LIBRARY);
        fs::copy(&built, Self::library(place)).doing("copy", &built)?;
        let include = work.join("crates/driver-kit/include");
        let headers = files(&include, &|_| true).doing("read", &include)?;
        copy_files(&include, &Self::include(place), &headers, Stamp::Fixed)
    }
}

const LIBRARY: &str = "libtlslab_driver_kit.a";

const ARGUMENTS: [&str; 8] = [
    "rustc",
    "--locked",
    "--release",
    "--package=tlslab-driver-kit",
    "--lib",
    "--features=c",
    "--crate-type=staticlib",
    "--color=never",
];
