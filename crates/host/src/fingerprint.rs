//! A run's record of its host.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tree::Tree;
use crate::{Cpu, LoadAverages, System, Topology, Tuning, Virtualisation};

/// A host at one moment, as one process sees it.
///
/// Every item that it does not show is `None`, so two hosts are only known to agree if both show an item.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct Fingerprint {
    /// The processor.
    pub cpu: Cpu,
    /// The number of CPUs, and how they share cores.
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
    /// Reads the host whose files are under `root`: `/` for the one this runs on.
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

    /// The machine in a few words: processor, usable CPUs, kernel, hypervisor; missing items are omitted.
    /// Names are as the host reports them: escape the text for its destination.
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.cpu.name.clone());
        let cpus = self.topology.allowed_cpus.or(self.topology.logical_cpus);
        parts.extend(cpus.map(|cpus| if cpus == 1 { "1 CPU".to_owned() } else { format!("{cpus} CPUs") }));
        parts.extend(self.system.kernel.as_deref().map(|kernel| match kernel.starts_with("Linux") {
            true => kernel.to_owned(),
            false => format!("Linux {kernel}"),
        }));
        parts.extend(self.virtualisation.hypervisor.clone());
        if parts.is_empty() { "not described".to_owned() } else { parts.join(" · ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_names_what_the_host_shows() {
        let mut host = Fingerprint::default();
        assert_eq!(host.summary(), "not described");
        host.cpu.name = Some("Example 9000".to_owned());
        host.topology.logical_cpus = Some(4);
        host.topology.allowed_cpus = Some(2);
        host.system.kernel = Some("6.1.0".to_owned());
        assert_eq!(host.summary(), "Example 9000 · 2 CPUs · Linux 6.1.0");
        host.virtualisation.hypervisor = Some("KVM".to_owned());
        host.topology.allowed_cpus = Some(1);
        assert_eq!(host.summary(), "Example 9000 · 1 CPU · Linux 6.1.0 · KVM");
    }
}
