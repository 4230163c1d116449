//! A channel from a program to the lab, beside its standard streams: a socket, so that no process can open it
//! by its name in `/proc`.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::raw;

/// The lab's end.
#[derive(Debug)]
pub struct Channel(OwnedFd);

/// The program's end, which it has as descriptor [`Channel::NUMBER`].
#[derive(Clone, Debug)]
pub struct ChannelEnd(Arc<OwnedFd>);

impl Channel {
    /// The number of the program's end. Programs and libraries open low ones, and a limit of 1,024 is common.
    pub const NUMBER: RawFd = 900;

    /// The longest message, bytes.
    pub const LONGEST: usize = 4096;

    /// Both ends. Neither waits: what finds no place is lost to its sender.
    ///
    /// # Errors
    /// If the system has no descriptors left.
    pub fn pair() -> io::Result<(Self, ChannelEnd)> {
        let mut ends = [0; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: there is place for two descriptors.
        raw::check(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })?;
        // SAFETY: both were just made and belong to nobody else.
        let [ours, theirs] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        Ok((Self(ours), ChannelEnd(Arc::new(theirs))))
    }

    /// The next message; none if there is none within this time.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn receive(&self, within: Duration) -> io::Result<Option<Vec<u8>>> {
        let deadline = Instant::now() + within;
        let mut bytes = vec![0; Self::LONGEST];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match raw::poll([self.0.as_raw_fd()], Some(left)) {
                Ok([true]) => match raw::read(self.0.as_raw_fd(), &mut bytes) {
                    Ok(0) => return Ok(None),
                    Ok(length) => {
                        bytes.truncate(length);
                        return Ok(Some(bytes));
                    }
                    Err(error) if is_passing(&error) => {}
                    Err(error) => return Err(error),
                },
                Ok([false]) if left.is_zero() => return Ok(None),
                Ok([false]) => {}
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

impl ChannelEnd {
    pub(crate) fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl PartialEq for ChannelEnd {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ChannelEnd {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    fn shell(script: &str, end: ChannelEnd) -> crate::Supervised {
        let program = Program::new("/bin/bash").args(["-c", script]).env("PATH", "/usr/bin:/bin");
        program.channel(end).spawn().unwrap()
    }

    #[test]
    fn a_program_writes_messages_and_nothing_opens_its_end_anew() {
        let (channel, end) = Channel::pair().unwrap();
        let script = "echo one >&900; (echo two >/proc/self/fd/900) 2>/dev/null || echo refused >&900";
        let mut running = shell(script, end);
        let next = || channel.receive(Duration::from_secs(20)).unwrap().unwrap();
        assert_eq!(next(), b"one\n");
        assert_eq!(next(), b"refused\n");
        assert!(running.wait().unwrap().success());
        assert_eq!(channel.receive(Duration::ZERO).unwrap(), None);
    }

    #[test]
    fn a_program_that_writes_too_much_does_not_wait() {
        let (channel, end) = Channel::pair().unwrap();
        let mut running = shell("for n in $(seq 5000); do echo $n >&900; done 2>/dev/null", end);
        assert!(running.wait_timeout(Duration::from_secs(60)).unwrap().is_some());
        assert_eq!(channel.receive(Duration::ZERO).unwrap().unwrap(), b"1\n");
    }
}
