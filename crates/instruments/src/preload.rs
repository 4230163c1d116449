//! Libraries that are preloaded into drivers whose memory or instructions are counted.

use std::path::{Path, PathBuf};

use tlslab_artifact::{
    Artifact, Halt, Inputs, Snapshot, Stage, Stamp, Toolchain, Workspace, copy_files, is_source, program,
};

/// Libraries to preload, and their programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preloads {
    /// Counts allocations, makes random numbers and clocks deterministic, and hides the process ID.
    pub heap: PathBuf,
    /// Hides the process ID.
    pub process: PathBuf,
    /// Makes random numbers and clocks deterministic, and hides the process ID.
    pub deterministic: PathBuf,
    /// Holds an agent's counts of blocks of code, makes random numbers and clocks deterministic, and hides
    /// the process ID.
    pub blocks: PathBuf,
    /// The program that starts a driver with such an agent.
    pub attach: PathBuf,
    /// Hides features of the processor.
    pub cpuid: PathBuf,
    /// The program that prints the processor's features.
    pub features: PathBuf,
}

/// The libraries, from a snapshot of `instruments/`.
pub(crate) struct Preload {
    snapshot: Snapshot,
    inputs: Inputs,
    is_x86: bool,
}

impl Preload {
    /// Reads the folder `instruments/`.
    pub(crate) fn plan(sources: &Path, toolchain: &Toolchain) -> Result<Self, Halt> {
        let mut snapshot = Snapshot::default();
        for folder in ["preload", AGENT] {
            snapshot.add_folder(sources, Path::new(folder), is_source)?;
        }
        let inputs = Inputs::new(Stage::Preload.name())
            .with("cc", toolchain.version_of(CC))
            .with("target", &toolchain.target)
            .with_all("made with", toolchain.files_for([]))
            .with_all("compile", FLAGS)
            .with_all("counted", COUNTED)
            .with_all("same code", SAME_CODE)
            .with_all("file", snapshot.digests().map(|(path, digest)| format!("{path} {digest}")));
        let is_x86 = toolchain.target.starts_with("x86_64-");
        Ok(Self { snapshot, inputs, is_x86 })
    }

    /// The files in the product.
    pub(crate) fn built(product: &Path) -> Preloads {
        Preloads {
            heap: product.join(HEAP),
            process: product.join(PROCESS),
            deterministic: product.join(DETERMINISTIC),
            blocks: product.join(BLOCKS),
            attach: product.join(AGENT).join("attach.py"),
            cpuid: product.join(CPUID),
            features: product.join(FEATURES),
        }
    }
}

impl Artifact for Preload {
    fn stage(&self) -> Stage {
        Stage::Preload
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        self.snapshot.bring_to(scratch, &[])?;
        let built = Self::built(place);
        let cc = |sources: &[&str], library: &Path| {
            let sources = sources.iter().map(|source| format!("preload/{source}.c"));
            program(CC, scratch).args(FLAGS).args(sources).arg("-o").arg(library).arg("-ldl")
        };
        workspace.run(cc(&["forge", "heap", "process", "starts", "table"], &built.heap))?;
        workspace.run(cc(&["process"], &built.process))?;
        workspace.run(cc(&["forge", "process"], &built.deterministic).args(SAME_CODE))?;
        workspace.run(cc(&["blocks", "forge", "process"], &built.blocks).args(COUNTED))?;
        // Other processors have no CPUID.
        if self.is_x86 {
            workspace.run(cc(&["cpuid"], &built.cpuid).arg("-Wl,-z,initfirst"))?;
            let cc = program(CC, scratch).args(["-std=gnu11", "-O2", "-Wall", "preload/features.c", "-o"]);
            workspace.run(cc.arg(&built.features))?;
        }
        let is_agent = |path: &&Path| path.starts_with(AGENT);
        let texts: Vec<PathBuf> = self.snapshot.paths().filter(is_agent).map(Path::to_owned).collect();
        copy_files(scratch, place, &texts, Stamp::Fixed)
    }
}

const CC: &str = "cc";

const HEAP: &str = "libtlslab_heap.so";
const PROCESS: &str = "libtlslab_process.so";

/// Its C sources keep their names: their digest is part of the epoch of every series of memory figures.
const DETERMINISTIC: &str = "libtlslab_forge.so";
const BLOCKS: &str = "libtlslab_blocks.so";
const CPUID: &str = "libtlslab_cpuid.so";
const FEATURES: &str = "features";
const AGENT: &str = "stalker";

/// Libraries select the same functions as without it.
const SAME_CODE: [&str; 1] = ["-DTLSLAB_SAME_CODE"];

/// Threads outside of the driver have real random numbers and time.
const COUNTED: [&str; 1] = ["-DTLSLAB_COUNTED"];

const FLAGS: [&str; 6] = ["-std=gnu11", "-O2", "-g1", "-Wall", "-fPIC", "-shared"];
