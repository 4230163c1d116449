//! The library that counts allocations, for drivers that are started to be weighed.

use std::path::{Path, PathBuf};

use crate::bench::{Bench, program};
use crate::halt::Halt;
use crate::inputs::Inputs;
use crate::lab_crates::is_built;
use crate::product::Product;
use crate::stage::Stage;
use crate::toolchain::Toolchain;
use crate::tree::Snapshot;

/// The library, from a snapshot of the lab's tree.
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

    /// The library within the product.
    pub fn library(product: &Path) -> PathBuf {
        product.join(LIBRARY)
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
        let cc = program(CC, scratch).args(FLAGS).args(sources).arg("-o").arg(Self::library(place));
        bench.run(cc.arg("-ldl"))
    }
}

const CC: &str = "cc";

const LIBRARY: &str = "libtlslab_heap.so";

const FLAGS: [&str; 6] = ["-std=gnu11", "-O2", "-g1", "-Wall", "-fPIC", "-shared"];
