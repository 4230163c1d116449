//! What is loaded into drivers that are started to be weighed or counted.

use std::path::{Path, PathBuf};

use crate::bench::{Bench, program};
use crate::halt::Halt;
use crate::inputs::Inputs;
use crate::lab_crates::is_built;
use crate::product::Product;
use crate::stage::Stage;
use crate::toolchain::Toolchain;
use crate::tree::Snapshot;

/// Libraries that are loaded before a driver's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preloads {
    /// Counts allocations, forges chance and time, and hides the process's number.
    pub heap: PathBuf,
    /// Hides the process's number.
    pub process: PathBuf,
}

/// The libraries, from a snapshot of the lab's tree.
pub struct Preload {
    snapshot: Snapshot,
    inputs: Inputs,
}

impl Preload {
    /// Reads the lab's tree.
    pub fn plan(root: &Path, toolchain: &Toolchain) -> Result<Self, Halt> {
        let mut snapshot = Snapshot::default();
        snapshot.add_folder(root, Path::new("preload"), is_built)?;
        let inputs = Inputs::new(Stage::Preload.name())
            .with("cc", toolchain.version_of(CC))
            .with("target", &toolchain.target)
            .with_all("compile", FLAGS)
            .with_all("file", snapshot.digests().map(|(path, digest)| format!("{path} {digest}")));
        Ok(Self { snapshot, inputs })
    }

    /// The library that counts allocations, within the product.
    pub fn heap(product: &Path) -> PathBuf {
        product.join(HEAP)
    }

    /// The library that hides the process's number alone, within the product.
    pub fn process(product: &Path) -> PathBuf {
        product.join(PROCESS)
    }
}

impl Product for Preload {
    fn stage(&self) -> Stage {
        Stage::Preload
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, bench: &Bench<'_>) -> Result<(), Halt> {
        self.snapshot.bring_to(scratch, &[])?;
        let is_c = |path: &&Path| path.extension().is_some_and(|extension| extension == "c");
        let sources = self.snapshot.paths().filter(is_c);
        let cc = program(CC, scratch).args(FLAGS).args(sources).arg("-o").arg(Self::heap(place));
        bench.run(cc.arg("-ldl"))?;
        let cc = program(CC, scratch).args(FLAGS).arg("preload/process.c").arg("-o");
        bench.run(cc.arg(Self::process(place)))
    }
}

const CC: &str = "cc";

const HEAP: &str = "libtlslab_heap.so";
const PROCESS: &str = "libtlslab_process.so";

const FLAGS: [&str; 6] = ["-std=gnu11", "-O2", "-g1", "-Wall", "-fPIC", "-shared"];
