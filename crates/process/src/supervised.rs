//! A running program whose end is assured.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crate::descendants::children;
use crate::ended::Ended;
use crate::error::ProcessError;
use crate::message::{Message, Received};
use crate::{orphans, raw, settings};

/// A running program. Dropping it kills the program and everything the program has started.
#[derive(Debug)]
pub struct Supervised {
    /// The pipe to standard input, if requested; [`Supervised::wait`] closes it.
    pub stdin: Option<ChildStdin>,
    /// The pipe from standard output, if requested.
    pub stdout: Option<ChildStdout>,
    /// The pipe from standard error, if requested.
    pub stderr: Option<ChildStderr>,
    program: PathBuf,
    program_id: u32,
    keeper: Child,
    keeper_started_ticks: u64,
    lifeline: Option<OwnedFd>,
    status: OwnedFd,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    Ended { ended: Ended, left_behind: usize },
    KeeperLost,
    Unkillable { count: usize },
}

impl Supervised {
    pub(crate) fn new(
        program: PathBuf,
        mut keeper: Child,
        keeper_started_ticks: u64,
        lifeline: OwnedFd,
        status: OwnedFd,
    ) -> Result<Self, ProcessError> {
        let (stdin, stdout, stderr) = (keeper.stdin.take(), keeper.stdout.take(), keeper.stderr.take());
        let mut supervised = Self {
            stdin,
            stdout,
            stderr,
            program,
            program_id: 0,
            keeper,
            keeper_started_ticks,
            lifeline: Some(lifeline),
            status,
            outcome: None,
        };
        match supervised.receive(None)? {
            Received::Message(Message::Started { program_id }) => {
                supervised.program_id = program_id.unsigned_abs();
                Ok(supervised)
            }
            _ => {
                supervised.settle(Outcome::KeeperLost);
                Err(supervised.lost())
            }
        }
    }

    /// The program's process id; its keeper has another.
    #[must_use]
    pub fn program_id(&self) -> u32 {
        self.program_id
    }

    /// The id of the program's only child's only child and so on, so many generations below; `None` if a
    /// generation does not have exactly one child.
    #[must_use]
    pub fn descendant(&self, generations: usize) -> Option<u32> {
        let below = |process: u32| match children(process)[..] {
            [child] => Some(child),
            _ => None,
        };
        (0..generations).try_fold(self.program_id, |process, _| below(process))
    }

    /// Binds the first thread of a descendant so many generations below, and threads that it starts from now
    /// on, to these CPUs.
    pub fn move_to(&self, generations: usize, cpus: &[usize]) -> io::Result<()> {
        let process =
            self.descendant(generations).ok_or_else(|| io::Error::other("its process is not found"))?;
        settings::rebind(process, cpus)
    }

    /// Waits for the program to end on its own. Closes the pipe to its standard input first, if that has not
    /// been taken.
    ///
    /// # Errors
    /// Fails if the keeper was killed, or if the program left an orphan that cannot be killed.
    pub fn wait(&mut self) -> Result<Ended, ProcessError> {
        drop(self.stdin.take());
        self.wait_until(None)?.ok_or_else(|| self.lost())
    }

    /// Waits for the program to end on its own, but no longer than this; `None` if it still runs then.
    ///
    /// # Errors
    /// As [`Supervised::wait`].
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<Option<Ended>, ProcessError> {
        // A deadline beyond the clock's range means none.
        self.wait_until(Instant::now().checked_add(timeout))
    }

    /// Asks the program to end, by SIGTERM. One that has ended already is left alone.
    ///
    /// # Errors
    /// Fails if the signal cannot be sent.
    pub fn terminate(&mut self) -> io::Result<()> {
        // It has not been reaped until its keeper reports so, so the id is its own.
        match (self.outcome, i32::try_from(self.program_id)) {
            (None, Ok(program)) => raw::kill(program, libc::SIGTERM),
            _ => Ok(()),
        }
    }

    /// Kills the program and all its descendants, and waits until all are gone. A program that had ended
    /// before is reported as it ended.
    ///
    /// # Errors
    /// As [`Supervised::wait`].
    pub fn kill(&mut self) -> Result<Ended, ProcessError> {
        if self.outcome.is_none() {
            drop(self.lifeline.take());
            // It may be stopped. It has not been reaped, so the id is its own.
            let _ = raw::kill(self.keeper_id(), libc::SIGCONT);
            if self.wait_timeout(PATIENCE)?.is_none() {
                let _ = raw::kill(self.keeper_id(), libc::SIGKILL);
            }
        }
        self.wait_until(None)?.ok_or_else(|| self.lost())
    }

    /// How many of the program's processes were still alive when it had ended on its own, and were killed
    /// then; 0 while it runs, and when the lab killed it.
    #[must_use]
    pub fn left_behind(&self) -> usize {
        match self.outcome {
            Some(Outcome::Ended { left_behind, .. }) => left_behind,
            _ => 0,
        }
    }

    fn wait_until(&mut self, deadline: Option<Instant>) -> Result<Option<Ended>, ProcessError> {
        if self.outcome.is_none() {
            let outcome = match self.receive(deadline)? {
                Received::TimedOut => return Ok(None),
                Received::Message(Message::Ended { wait_status, left_behind, unkillable: 0 }) => {
                    let ended = Ended::from_wait_status(wait_status);
                    Outcome::Ended { ended, left_behind: left_behind.unsigned_abs() as usize }
                }
                Received::Message(Message::Ended { unkillable, .. }) => {
                    Outcome::Unkillable { count: unkillable.unsigned_abs() as usize }
                }
                Received::Message(_) | Received::Closed => Outcome::KeeperLost,
            };
            self.settle(outcome);
        }
        match self.outcome {
            Some(Outcome::Ended { ended, .. }) => Ok(Some(ended)),
            Some(Outcome::Unkillable { count }) => {
                Err(ProcessError::Unkillable { program: self.program.clone(), count })
            }
            Some(Outcome::KeeperLost) | None => Err(self.lost()),
        }
    }

    /// Reaps the keeper, and does its work if it was killed.
    fn settle(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        orphans::reap_registered(&mut self.keeper);
        if let Outcome::KeeperLost = outcome {
            let count = orphans::sweep(self.keeper_started_ticks);
            if count > 0 {
                self.outcome = Some(Outcome::Unkillable { count });
            }
        }
    }

    fn receive(&self, deadline: Option<Instant>) -> Result<Received, ProcessError> {
        Message::receive(self.status.as_raw_fd(), deadline).map_err(|cause: io::Error| {
            ProcessError::Unsupervised {
                what: "the keeper's report cannot be read",
                cause,
                next_step: "run it again; if it persists, this is a defect of the lab",
            }
        })
    }

    fn lost(&self) -> ProcessError {
        ProcessError::KeeperLost { program: self.program.clone() }
    }

    pub(crate) fn keeper_id(&self) -> i32 {
        self.keeper.id() as i32
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        if self.outcome.is_none() {
            let _ = self.kill();
        }
    }
}

/// How long a keeper may take to kill a program with all its descendants. It gives up on unkillable processes
/// well before that.
const PATIENCE: Duration = Duration::from_secs(60);
