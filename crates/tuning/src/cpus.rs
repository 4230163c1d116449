//! The CPUs for measuring, those for the system, and those that go offline.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::machine::{Machine, read};
use crate::value::{cpu_list_text, cpu_set};

/// The CPUs of a machine by use. Each has one use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpus {
    measuring: BTreeSet<u32>,
    siblings: BTreeSet<u32>,
    system: BTreeSet<u32>,
}

impl Cpus {
    /// The CPUs for measuring: `chosen`, or else the highest one, on which `tlslab` runs drivers. Empty on a
    /// machine without a second CPU, or that does not list its CPUs.
    ///
    /// # Errors
    /// Fails if a chosen CPU is not online, or if none is left for the system.
    pub fn find(machine: &dyn Machine, chosen: Option<&BTreeSet<u32>>) -> Result<Self, Error> {
        let online =
            read(machine, &format!("{CPUS}/online")).ok().and_then(|text| cpu_set(&text)).unwrap_or_default();
        let highest = online.last().copied().filter(|_| online.len() > 1).into_iter().collect();
        let measuring = chosen.cloned().unwrap_or(highest);
        if !measuring.is_subset(&online) {
            return Err(Error::CpusNotOnline {
                chosen: cpu_list_text(&measuring),
                online: cpu_list_text(&online),
            });
        }
        let others = &online - &measuring;
        if others.is_empty() && !measuring.is_empty() {
            return Err(Error::NoCpuForTheSystem { chosen: cpu_list_text(&measuring) });
        }
        let siblings: BTreeSet<u32> = measuring.iter().flat_map(|cpu| siblings(machine, *cpu)).collect();
        let siblings = &siblings & &others;
        let system = &others - &siblings;
        Ok(match system.is_empty() {
            // The siblings are the only other CPUs, and the system needs one.
            true => Self { measuring, siblings: BTreeSet::new(), system: others },
            false => Self { measuring, siblings, system },
        })
    }

    /// The CPUs for measuring.
    pub fn measuring(&self) -> &BTreeSet<u32> {
        &self.measuring
    }

    /// The other CPUs of the same cores, which go offline.
    pub fn siblings(&self) -> &BTreeSet<u32> {
        &self.siblings
    }

    /// All other CPUs.
    pub fn system(&self) -> &BTreeSet<u32> {
        &self.system
    }

    /// The CPUs that only the lab uses.
    pub fn cleared(&self) -> BTreeSet<u32> {
        &self.measuring | &self.siblings
    }
}

/// The CPUs of a CPU's core, from the kernel's list under its newer or older name.
fn siblings(machine: &dyn Machine, cpu: u32) -> BTreeSet<u32> {
    let of = |file: &str| cpu_set(&read(machine, &format!("{CPUS}/cpu{cpu}/topology/{file}")).ok()?);
    of("core_cpus_list").or_else(|| of("thread_siblings_list")).unwrap_or_default()
}

pub(crate) const CPUS: &str = "sys/devices/system/cpu";
