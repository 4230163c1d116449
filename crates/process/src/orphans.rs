//! Handling of a killed keeper: its program's descendants become the lab's, and are killed here.
//!
//! They carry no mark, and are found by elimination. A child of the lab that is not a keeper, is in another
//! session than the lab's and is not older than the lost keeper must come from a killed keeper; other child
//! processes of the lab share the lab's session.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use crate::error::ProcessError;
use crate::extinguish::extinguish;
use crate::process_table::{Process, ProcessTable};
use crate::raw;

/// Makes the lab inherit the orphans of a keeper that was killed. The first
/// [`Program::spawn`](crate::Program::spawn) does so too; a lab that starts programs by other means can do it
/// earlier.
///
/// # Errors
/// Fails if the kernel refuses, or if `/proc` cannot be read.
pub fn adopt_orphans() -> Result<(), ProcessError> {
    static ADOPTED: OnceLock<()> = OnceLock::new();
    if ADOPTED.get().is_some() {
        return Ok(());
    }
    std::fs::metadata("/proc/self/stat").map_err(|cause| ProcessError::Unsupervised {
        what: "/proc/self/stat cannot be read, so orphans of a program cannot be found",
        cause,
        next_step: "mount /proc",
    })?;
    raw::become_subreaper().map_err(|cause| ProcessError::Unsupervised {
        what: "the kernel refuses to make this process a subreaper",
        cause,
        next_step: "check what the container's seccomp profile forbids",
    })?;
    let _ = ADOPTED.set(());
    Ok(())
}

/// Starts a command that becomes a keeper. Returns it with a lower bound of its start time, in ticks since
/// boot.
pub(crate) fn spawn_registered(command: &mut Command) -> io::Result<(Child, u64)> {
    let _no_sweep = SWEEP.read().unwrap_or_else(PoisonError::into_inner);
    let started = raw::ticks_since_boot();
    let child = command.spawn()?;
    KEEPERS.lock().unwrap_or_else(PoisonError::into_inner).insert(child.id());
    Ok((child, started))
}

/// Does something while this library starts no program. A file that is open for writing now is then in no
/// other process, and can be executed as soon as it is closed.
pub fn while_nothing_starts<T>(work: impl FnOnce() -> T) -> T {
    let _no_spawn = SWEEP.write().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Reaps a keeper whose status pipe has closed.
pub(crate) fn reap_registered(keeper: &mut Child) {
    // The lock is held across both, or another keeper could be given this one's id in between.
    let mut keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    // If SIGCHLD is ignored, there is nothing to reap, which is fine.
    let _ = keeper.wait();
    keepers.remove(&keeper.id());
}

/// Kills orphans of killed keepers that started at `since` ticks or later. Returns how many processes could
/// not be killed.
pub(crate) fn sweep(since: u64) -> usize {
    let _no_spawn = SWEEP.write().unwrap_or_else(PoisonError::into_inner);
    let keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (own_id, own_session) = (raw::own_id(), raw::own_session());
    let is_orphan = |process: &Process| {
        process.parent == own_id
            && process.session != own_session
            && process.started_ticks >= since
            && !keepers.contains(&process.id.unsigned_abs())
    };
    extinguish(&mut ProcessTable::reserve(), is_orphan, |_, _| {}).unkillable
}

/// Read-locked while a keeper starts. Write-locked while orphans are searched, as an unregistered keeper
/// looks like one, and while a program's file is written.
static SWEEP: RwLock<()> = RwLock::new(());
static KEEPERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
