//! The whole of what a run says about its host.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tree::Tree;
use crate::{Cpu, LoadAverages, System, Topology, Tuning, Virtualisation};

/// A host as it showed itself at one moment to one process.
///
/// Every item that it does not show is `None`, so two hosts are only known to agree where both show something.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct Fingerprint {
    /// Which processor.
    pub cpu: Cpu,
    /// How many of it, and how they share cores.
    pub topology: Topology,
    /// Kernel, operating system, memory.
    pub system: System,
    /// Hypervisor and container around this process.
    pub virtualisation: Virtualisation,
    /// Settings that change how fast the same instructions run.
    pub tuning: Tuning,
    /// How busy it was when the fingerprint was taken.
    pub load: Option<LoadAverages>,
}

impl Fingerprint {
    /// Reads the host whose files lie under `root`: `/` for the one this runs on.
    pub fn read(root: &Path) -> Self {
        let tree = Tree::new(root);
        let cpu = Cpu::read(tree);
        Self {
            topology: Topology::read(tree),
            system: System::read(tree),
            virtualisation: Virtualisation::read(tree, &cpu),
            tuning: Tuning::read(tree),
            load: LoadAverages::read(tree),
            cpu,
        }
    }
}
