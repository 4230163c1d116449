//! Kills a set of processes and all their descendants, faster than they can multiply.
//!
//! All are stopped first: a stopped process cannot fork, and still counts towards the limit on processes, so
//! a fork bomb runs dry. Then they are killed and reaped a generation at a time. A dead parent's children are
//! inherited by the process that runs this, and only it can reap them, so no id is reused before its process
//! was counted.

use std::io;
use std::time::{Duration, Instant};

use crate::process_table::{Process, ProcessTable};
use crate::raw::{self, Reaped};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Were alive and have been killed.
    pub killed: usize,
    /// Are still there.
    pub unkillable: usize,
}

/// Kills every process for which `is_root` holds and all their descendants, until only unkillable ones are
/// left, if any. Calls `on_reaped` with the id and the wait status of each. The roots must be children of
/// this process, and it must be a subreaper.
pub(crate) fn extinguish(
    table: &mut ProcessTable,
    is_root: impl Fn(&Process) -> bool,
    mut on_reaped: impl FnMut(i32, i32),
) -> Tally {
    let mut killed = 0;
    loop {
        let generations = stop(table, &is_root);
        let mut round = Round::default();
        for generation in 1..=generations {
            round.kill(table, generation, &mut on_reaped);
        }
        killed += round.killed;
        if round.gone == 0 {
            return Tally { killed, unkillable: round.unkillable };
        }
    }
}

/// Stops all of them, until a scan finds none running. Returns the number of generations.
fn stop(table: &mut ProcessTable, is_root: &impl Fn(&Process) -> bool) -> u32 {
    let mut generations = 0;
    for _ in 0..STOP_PASSES {
        let mut moving = 0;
        generations = table.refresh(is_root, |process| {
            if !process.is_zombie() {
                let stopped = raw::kill(process.id, libc::SIGSTOP);
                moving += usize::from(stopped.is_ok() && process.is_moving());
            }
        });
        if moving == 0 {
            break;
        }
        raw::pause(STOPPING);
    }
    generations
}

#[derive(Default)]
struct Round {
    killed: usize,
    gone: usize,
    unkillable: usize,
}

impl Round {
    fn kill(&mut self, table: &ProcessTable, generation: u32, on_reaped: &mut impl FnMut(i32, i32)) {
        for process in table.generation(generation) {
            // Zombies too: one whose first thread has left looks like a zombie while its other threads run.
            let _ = raw::kill(process.id, libc::SIGKILL);
        }
        let deadline = Instant::now() + DYING;
        for process in table.generation(generation) {
            if is_forbidden(process.id) {
                self.unkillable += 1;
                continue;
            }
            match reap_until(process.id, deadline) {
                Reaped::NotYet => self.unkillable += 1,
                outcome => {
                    if let Reaped::Child(id, wait_status) = outcome {
                        on_reaped(id, wait_status);
                        self.gone += 1;
                    }
                    self.killed += usize::from(!process.is_zombie());
                }
            }
        }
    }
}

fn is_forbidden(id: i32) -> bool {
    raw::kill(id, 0).is_err_and(|error: io::Error| error.raw_os_error() == Some(libc::EPERM))
}

fn reap_until(id: i32, deadline: Instant) -> Reaped {
    loop {
        match raw::reap(id) {
            Reaped::NotYet if Instant::now() < deadline => raw::pause(REAPING),
            outcome => return outcome,
        }
    }
}

const STOP_PASSES: usize = 64;
const STOPPING: Duration = Duration::from_micros(200);
const REAPING: Duration = Duration::from_micros(100);
/// How long a killed process may take to end: one that frees gigabytes needs some time, one that hangs in the
/// kernel never ends.
const DYING: Duration = Duration::from_secs(5);
