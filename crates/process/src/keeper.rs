//! The process between the lab and a program.
//!
//! The keeper is the child that the standard library forked. It forks again; that child returns to the
//! standard library, which executes the program, and the keeper stays until the program ends or the lifeline
//! is cut. No descriptor of the lab stays open in it, or readers would wait for the end of a pipe that never
//! comes.
//!
//! It is a fork of a process with threads: nothing here allocates, locks or panics.

use std::io;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use crate::descriptors;
use crate::extinguish::{Tally, extinguish};
use crate::message::{Message, Step};
use crate::process_table::ProcessTable;
use crate::raw::{self, Reaped};
use crate::settings::Settings;

pub(crate) struct Keeper {
    lifeline: RawFd,
    status: RawFd,
    table: ProcessTable,
}

impl Keeper {
    /// Called in the lab: allocations must happen here.
    pub(crate) fn new(lifeline: RawFd, status: RawFd) -> Self {
        Self { lifeline, status, table: ProcessTable::reserve() }
    }

    /// Splits the calling process in two: it becomes the keeper and does not return, its child returns to
    /// execute the program. On an error the caller is whichever process it was when the step failed.
    pub(crate) fn split(&mut self, settings: &Settings) -> io::Result<()> {
        self.try_split(settings).map_err(|(step, error)| {
            Message::Refused { step, errno: error.raw_os_error().unwrap_or(0) }.send(self.status);
            error
        })
    }

    fn try_split(&mut self, settings: &Settings) -> Result<(), (Step, io::Error)> {
        let refused = |step| move |error| (step, error);
        // Away from the terminal, whose Ctrl-C is for the lab to act on.
        raw::new_session().map_err(refused(Step::Keeper))?;
        raw::become_subreaper().map_err(refused(Step::Keeper))?;
        raw::default_signals();
        raw::block_signals(true);
        let signals = raw::child_signals().map_err(refused(Step::Keeper))?;
        let keeper_id = raw::own_id();
        match raw::fork().map_err(refused(Step::Fork))? {
            0 => settings.apply(keeper_id),
            program_id => self.keep(signals, program_id),
        }
    }

    fn keep(&mut self, signals: RawFd, program_id: i32) -> ! {
        Message::Started { program_id }.send(self.status);
        settle(self.lifeline, self.status, signals);
        let mut family = Family { program_id, wait_status: None };
        family.watch();
        let ended_by_itself = family.wait_status.is_some();
        if ended_by_itself {
            family.grant_grace();
        }
        let tally = family.end(&mut self.table);
        // Processes killed with the program on the lab's request are not orphans.
        let left_behind = if ended_by_itself { tally.killed } else { 0 };
        let message = match family.wait_status {
            Some(wait_status) => Message::Ended {
                wait_status,
                left_behind: left_behind as i32,
                unkillable: tally.unkillable as i32,
            },
            None => Message::Ended {
                wait_status: libc::SIGKILL,
                left_behind: 0,
                unkillable: tally.unkillable.max(1) as i32,
            },
        };
        message.send(STATUS);
        // SAFETY: _exit runs no code of the lab's.
        unsafe { libc::_exit(0) }
    }
}

/// Moves the three descriptors that the keeper needs to the places of the standard ones and closes all
/// others.
fn settle(lifeline: RawFd, status: RawFd, signals: RawFd) {
    for (from, to) in [(lifeline, LIFELINE), (status, STATUS), (signals, SIGNALS)] {
        let _ = raw::rename_descriptor(from, to);
    }
    descriptors::close_from(SIGNALS + 1);
    // SAFETY: both strings end with a NUL. Neither call matters if it fails: the name is for people who look at a list
    // of processes, and the directory so as not to keep a file system from being unmounted.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, c"tlslab-keeper".as_ptr());
        libc::chdir(c"/".as_ptr());
    }
}

/// The program and its descendants, as the keeper sees them.
struct Family {
    program_id: i32,
    wait_status: Option<i32>,
}

impl Family {
    /// Waits until the program has ended or the lifeline is cut.
    fn watch(&mut self) {
        loop {
            self.reap();
            if self.wait_status.is_some() {
                return;
            }
            match raw::poll([LIFELINE, SIGNALS], None) {
                Ok([true, _]) => return,
                Ok([false, _]) => drain(SIGNALS),
                Err(_) => raw::pause(RETRY),
            }
        }
    }

    /// A program's children that are ending as it exits get a moment for that.
    fn grant_grace(&mut self) {
        let deadline = Instant::now() + GRACE;
        while self.reap() {
            let left = deadline.saturating_duration_since(Instant::now());
            match raw::poll([LIFELINE, SIGNALS], Some(left)) {
                Ok([false, true]) => drain(SIGNALS),
                _ => return,
            }
        }
    }

    fn end(&mut self, table: &mut ProcessTable) -> Tally {
        if !self.reap() {
            return Tally::default();
        }
        let own_id = raw::own_id();
        let mut tally =
            extinguish(table, |process| process.parent == own_id, |id, status| self.note(id, status));
        if self.reap() {
            // There are children that `/proc` did not show: known ids can still be killed.
            let _ = raw::kill(-self.program_id, libc::SIGKILL);
            tally.unkillable = tally.unkillable.max(1);
        }
        tally
    }

    /// Reaps ended processes. Returns whether children are left.
    fn reap(&mut self) -> bool {
        loop {
            match raw::reap(-1) {
                Reaped::Child(id, status) => self.note(id, status),
                Reaped::NotYet => return true,
                Reaped::NoChild => return false,
            }
        }
    }

    fn note(&mut self, id: i32, wait_status: i32) {
        // Once the program has been reaped, its id can come back as a descendant's.
        if id == self.program_id && self.wait_status.is_none() {
            self.wait_status = Some(wait_status);
        }
    }
}

fn drain(signals: RawFd) {
    let mut buffer = [0; size_of::<libc::signalfd_siginfo>()];
    while raw::read(signals, &mut buffer).is_ok_and(|length| length > 0) {}
}

const LIFELINE: RawFd = 0;
const STATUS: RawFd = 1;
const SIGNALS: RawFd = 2;
/// A program that leaves no descendants is reported at once.
const GRACE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(10);
