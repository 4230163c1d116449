//! Which processors measure, and which one the lab itself uses.

use std::path::Path;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The role of each CPU.
///
/// When this is dropped, the lab returns to its former CPUs: later builds may use every processor again.
pub struct Cpus {
    /// Where drivers run, if the lab may choose.
    pub driver: Option<usize>,
    /// Where the threads of a driver may run if it has several.
    pub all: Vec<usize>,
    before: Option<CpuSet>,
}

impl Drop for Cpus {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
    }
}

/// Moves the lab to another processor and returns those on which drivers run.
pub fn choose_cpus() -> Cpus {
    let Some(cpus) = tlslab_host::measurement_cpus(Path::new("/")) else {
        return Cpus { driver: None, all: vec![], before: None };
    };
    let all = tlslab_host::usable_cpus(Path::new("/")).into_iter().map(|cpu| cpu as usize).collect();
    let before = sched_getaffinity(None).ok();
    let mut lab_cpu = CpuSet::new();
    lab_cpu.set(cpus.lab_cpu as usize);
    // If the system does not let the lab move, drivers are not bound either.
    let is_moved = sched_setaffinity(None, &lab_cpu).is_ok();
    let before = before.filter(|_| is_moved);
    Cpus { driver: is_moved.then_some(cpus.driver_cpu as usize), all, before }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lab_has_one_cpu_while_drivers_run_and_its_own_afterwards() {
        let of_this_thread = || sched_getaffinity(None).unwrap();
        let before = of_this_thread();
        let cpus = choose_cpus();
        if let Some(driver) = cpus.driver {
            assert_eq!(of_this_thread().count(), 1);
            assert!(!of_this_thread().is_set(driver) || cpus.all.len() == 1);
        }
        drop(cpus);
        assert_eq!(of_this_thread(), before);
    }
}
