//! Messages from the keeper, and from the program before its execution, to the lab over the status pipe.
//!
//! A message has sixteen bytes, which a pipe transfers completely or not at all.

use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use crate::raw;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// The program has this id.
    Started { program_id: i32 },
    /// This step before the program's execution was refused.
    Refused { step: Step, errno: i32 },
    /// The program ended, and so did all its orphans.
    Ended { wait_status: i32, left_behind: i32, unkillable: i32 },
}

/// A setting of the program's process before its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Keeper,
    Fork,
    Session,
    Cpu,
    Addresses,
    Nice,
    Channel,
}

/// The outcome of reading the status pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Message(Message),
    /// No process has the other end any longer.
    Closed,
    TimedOut,
}

impl Message {
    pub(crate) fn send(self, status: RawFd) {
        // Without a reader the lab has ended, so a failure does not matter.
        let _ = raw::write(status, &self.encode());
    }

    /// Waits for the next message; without a deadline, forever.
    pub(crate) fn receive(status: RawFd, deadline: Option<Instant>) -> io::Result<Received> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match raw::poll([status], left) {
                Ok([true]) => return Self::read(status),
                Ok([false]) if left == Some(Duration::ZERO) => return Ok(Received::TimedOut),
                Ok([false]) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn read(status: RawFd) -> io::Result<Received> {
        let mut bytes = [0; SIZE];
        loop {
            match raw::read(status, &mut bytes) {
                Ok(0) => return Ok(Received::Closed),
                Ok(_) => match Self::decode(bytes) {
                    Some(message) => return Ok(Received::Message(message)),
                    None => return Err(ErrorKind::InvalidData.into()),
                },
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn encode(self) -> [u8; SIZE] {
        let words = match self {
            Self::Started { program_id } => [1, program_id, 0, 0],
            Self::Refused { step, errno } => [2, step as i32, errno, 0],
            Self::Ended { wait_status, left_behind, unkillable } => [3, wait_status, left_behind, unkillable],
        };
        let mut bytes = [0; SIZE];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    fn decode(bytes: [u8; SIZE]) -> Option<Self> {
        let mut words = [0; 4];
        for (word, place) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = i32::from_ne_bytes(place.try_into().ok()?);
        }
        match words {
            [1, program_id, _, _] => Some(Self::Started { program_id }),
            [2, step, errno, _] => {
                let step = Step::ALL.into_iter().find(|known| *known as i32 == step)?;
                Some(Self::Refused { step, errno })
            }
            [3, wait_status, left_behind, unkillable] => {
                Some(Self::Ended { wait_status, left_behind, unkillable })
            }
            _ => None,
        }
    }
}

impl Step {
    const ALL: [Self; 7] =
        [Self::Keeper, Self::Fork, Self::Session, Self::Cpu, Self::Addresses, Self::Nice, Self::Channel];

    /// Completes "the kernel refuses to …".
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Keeper => "set up its keeper",
            Self::Fork => "start another process",
            Self::Session => "give it a session of its own",
            Self::Cpu => "bind it to the CPU that was asked for",
            Self::Addresses => "turn address-space randomisation off",
            Self::Nice => "set its nice value",
            Self::Channel => "hand it a channel to the lab",
        }
    }

    pub(crate) fn next_step(self) -> &'static str {
        match self {
            Self::Keeper | Self::Session => "check what the container's seccomp profile forbids",
            Self::Fork => "end other processes, or raise `ulimit -u` or the container's limit on processes",
            Self::Cpu => "choose one of those that `nproc` and `taskset -p $$` report",
            Self::Addresses => "allow `personality` in the container's seccomp profile",
            Self::Nice => "ask for a higher value, or run as a user who may lower it",
            Self::Channel => {
                "allow 1,024 open files with `ulimit -n`, and start the lab with fewer than 900 open"
            }
        }
    }
}

const SIZE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_step_survives_the_pipe() {
        for step in Step::ALL {
            let message = Message::Refused { step, errno: libc::EPERM };
            assert_eq!(Message::decode(message.encode()), Some(message));
        }
    }

    proptest! {
        #[test]
        fn every_end_survives_the_pipe(wait_status: i32, left_behind: i32, unkillable: i32) {
            let message = Message::Ended { wait_status, left_behind, unkillable };
            prop_assert_eq!(Message::decode(message.encode()), Some(message));
        }

        #[test]
        fn no_bytes_panic(bytes: [u8; SIZE]) {
            let _ = Message::decode(bytes);
        }
    }
}
