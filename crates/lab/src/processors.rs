//! Which processors measure, and which one the lab itself uses.

use std::path::Path;

/// Which CPU does what.
///
/// The lab goes back to where it was when this is dropped: what it builds then may use every processor again.
pub struct Cpus {
    /// Where drivers run, if the lab may choose.
    pub driver: Option<usize>,
    /// Where a driver's threads may run if it has several.
    pub all: Vec<usize>,
    before: Option<libc::cpu_set_t>,
}

impl Drop for Cpus {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: the set is one that the kernel gave, and outlives the call.
            unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), before) };
        }
    }
}

/// Moves the lab to another processor and returns those on which drivers run.
pub fn choose_cpus() -> Cpus {
    let Some(cpus) = tlslab_host::measurement_cpus(Path::new("/")) else {
        return Cpus { driver: None, all: vec![], before: None };
    };
    let all = tlslab_host::usable_cpus(Path::new("/")).into_iter().map(|cpu| cpu as usize).collect();
    // SAFETY: all-zero is an empty set, which the call fills.
    let before = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        (libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) == 0).then_some(set)
    };
    // SAFETY: all-zero is an empty set, and the set outlives the call.
    let moved = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpus.lab_cpu as usize, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    // Where the system does not let the lab move, drivers stay free too.
    let is_moved = moved == 0;
    let before = before.filter(|_| is_moved);
    Cpus { driver: is_moved.then_some(cpus.driver_cpu as usize), all, before }
}
