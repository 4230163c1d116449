//! The CPU on which drivers are measured, and the lab's own CPU meanwhile.

use std::path::Path;

use crate::topology::{allowed_cpus, core_by_cpu};
use crate::tree::Tree;

/// Two CPUs that this process may use; the same one twice if it may use only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasurementCpus {
    /// The lab's CPU: the lowest that shares no core with the driver's, else the lowest other one.
    pub lab_cpu: u32,
    /// The drivers' CPU: the highest, as the kernel's own work gathers on the lowest.
    pub driver_cpu: u32,
}

/// The CPUs that this process may use, under `root`; none if the mask is not shown.
pub fn usable_cpus(root: &Path) -> Vec<u32> {
    allowed_cpus(Tree::new(root)).unwrap_or_default().into_iter().collect()
}

/// The CPUs to use, from the affinity mask of this process under `root`; `None` if the mask is not shown.
pub fn measurement_cpus(root: &Path) -> Option<MeasurementCpus> {
    let tree = Tree::new(root);
    let allowed = allowed_cpus(tree)?;
    let driver_cpu = *allowed.last()?;
    let cores = core_by_cpu(tree);
    let shares_core = |cpu: u32| cores.get(&cpu).is_some_and(|core| cores.get(&driver_cpu) == Some(core));
    let others = allowed.into_iter().filter(|&cpu| cpu != driver_cpu);
    let lab_cpu = others.min_by_key(|&cpu| (shares_core(cpu), cpu)).unwrap_or(driver_cpu);
    Some(MeasurementCpus { lab_cpu, driver_cpu })
}
