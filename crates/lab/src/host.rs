//! This machine: who it is, what disturbs it, which CPU measures, and that nobody else does.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use tlslab_host::{Fingerprint, Readings};

use crate::session::Session;

/// The fingerprint as it goes into results.
pub fn fingerprint() -> Fingerprint {
    Fingerprint::read(Path::new("/"))
}

/// Looks at the machine before and after.
pub struct Watch {
    before: Readings,
    fingerprint: Fingerprint,
}

impl Watch {
    /// Looks now: before the lab binds itself to a CPU, or it would take its own doing for the host's.
    pub fn start() -> Self {
        Self { before: Readings::take(Path::new("/")), fingerprint: Fingerprint::read(Path::new("/")) }
    }

    /// What disturbed the time in between, one sentence each, with what to do about it.
    pub fn warnings(&self) -> Vec<String> {
        let after = Readings::take(Path::new("/"));
        let warnings = tlslab_host::check(&self.before, &after, &self.fingerprint);
        warnings.iter().map(ToString::to_string).collect()
    }
}

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

/// Holds the right to measure until it is dropped.
pub struct Alone {
    _lock: File,
}

/// Waits until no other lab measures on this host, whoever runs it and wherever its cache is.
pub fn measure_alone(session: &Session<'_>) -> anyhow::Result<Alone> {
    let path = std::env::temp_dir().join("tlslab-measure.lock");
    // Another user's file can be read, and that is all that a lock needs.
    let lock = File::open(&path)
        .or_else(|_| File::create(&path).and_then(|_| File::open(&path)))
        .with_context(|| format!("cannot open {}", path.display()))?;
    let mut described = false;
    while lock.try_lock().is_err() {
        if !described {
            session.note("another run is measuring on this host; waiting for it to end");
            described = true;
        }
        anyhow::ensure!(!session.is_cancelled(), "interrupted while waiting for another run to end");
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(Alone { _lock: lock })
}
