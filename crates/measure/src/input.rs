//! A driver's standard input: the lab writes with a deadline, as a driver that stops reading fills its pipe.

use std::io::{ErrorKind, Write};
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The interval at which a wait checks for cancellation.
const GLANCE: Duration = Duration::from_millis(50);

/// The lab's end of the pipe.
pub(crate) struct DriverInput {
    pipe: ChildStdin,
}

/// Why a line was not written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unwritten {
    /// The driver has closed its end.
    Closed,
    /// It did not read in time.
    TimedOut,
    /// The run is cancelled.
    Interrupted,
}

impl DriverInput {
    pub(crate) fn new(pipe: ChildStdin) -> std::io::Result<Self> {
        let flags = rustix::fs::fcntl_getfl(&pipe)?;
        rustix::fs::fcntl_setfl(&pipe, flags | rustix::fs::OFlags::NONBLOCK)?;
        Ok(Self { pipe })
    }

    /// Writes a line, however often the pipe is full, until the deadline or cancellation.
    pub(crate) fn write(
        &mut self,
        mut line: &[u8],
        deadline: Instant,
        cancel: &AtomicBool,
    ) -> Result<(), Unwritten> {
        while !line.is_empty() {
            match self.pipe.write(line) {
                Ok(written) => line = &line[written..],
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => self.wait(deadline, cancel)?,
                Err(_) => return Err(Unwritten::Closed),
            }
        }
        Ok(())
    }

    /// Waits until the pipe has room.
    fn wait(&self, deadline: Instant, cancel: &AtomicBool) -> Result<(), Unwritten> {
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(Unwritten::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Unwritten::TimedOut);
            }
            let glance = left.min(GLANCE);
            let glance = Timespec { tv_sec: 0, tv_nsec: i64::from(glance.subsec_nanos()) };
            match poll(&mut [PollFd::new(&self.pipe, PollFlags::OUT)], Some(&glance)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(_) => return Err(Unwritten::Closed),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn start(script: &str) -> (Child, DriverInput) {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let input = DriverInput::new(child.stdin.take().unwrap()).unwrap();
        (child, input)
    }

    fn write(script: &str, bytes: usize, within: Duration, cancel: bool) -> Result<(), Unwritten> {
        let (mut child, mut input) = start(script);
        let outcome = input.write(&vec![b'x'; bytes], Instant::now() + within, &AtomicBool::new(cancel));
        child.kill().unwrap();
        child.wait().unwrap();
        outcome
    }

    #[test]
    fn what_a_driver_reads_is_written_however_long_it_is() {
        assert_eq!(write("cat", 3_000_000, Duration::from_secs(60), false), Ok(()));
    }

    #[test]
    fn a_driver_that_does_not_read_has_a_deadline() {
        let outcome = write("exec sleep 1000", 3_000_000, Duration::from_millis(200), false);
        assert_eq!(outcome, Err(Unwritten::TimedOut));
    }

    #[test]
    fn the_end_of_the_run_ends_the_wait() {
        let outcome = write("exec sleep 1000", 3_000_000, Duration::from_secs(1000), true);
        assert_eq!(outcome, Err(Unwritten::Interrupted));
    }

    #[test]
    fn a_driver_that_has_closed_its_input_is_not_waited_for() {
        let outcome = write("exec <&-; exec sleep 1000", 3_000_000, Duration::from_secs(60), false);
        assert_eq!(outcome, Err(Unwritten::Closed));
    }
}
