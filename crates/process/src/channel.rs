//! A channel between a program and the lab, in addition to its standard streams: a socket, so that no process
//! can open it by its name in `/proc`.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::raw;

/// The lab's end.
#[derive(Debug)]
pub struct Channel(Arc<OwnedFd>);

/// The program's end, which it has as descriptor [`Channel::NUMBER`].
#[derive(Clone, Debug)]
pub struct ChannelEnd(Arc<OwnedFd>);

/// The outcome of receiving from a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message.
    Message(Vec<u8>),
    /// Nothing within the time.
    Nothing,
    /// No process has the other end any longer.
    End,
}

impl Channel {
    /// The number of the program's end. Programs and libraries open low ones, and a limit of 1,024 is common.
    pub const NUMBER: RawFd = 900;

    /// The longest message, bytes.
    pub const LONGEST: usize = 4096;

    /// Both ends. Neither blocks: a message for which there is no space is lost.
    ///
    /// # Errors
    /// Fails if the system has no descriptors left.
    pub fn pair() -> io::Result<(Self, ChannelEnd)> {
        let mut ends = [0; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: there is space for two descriptors.
        raw::check(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })?;
        // SAFETY: both are new and have no other owner.
        let [ours, theirs] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        Ok((Self(Arc::new(ours)), ChannelEnd(Arc::new(theirs))))
    }

    /// The channel that this process was started with. Its children do not get it.
    ///
    /// # Errors
    /// Fails if the descriptor [`Channel::NUMBER`] is not such a socket.
    pub fn inherited() -> io::Result<Self> {
        // A program with a channel of its own needs the number.
        // SAFETY: this command takes integers.
        let moved = raw::check(unsafe { libc::fcntl(Self::NUMBER, libc::F_DUPFD_CLOEXEC, 3) })?;
        // SAFETY: it is new and has no other owner.
        let channel = Self(Arc::new(unsafe { OwnedFd::from_raw_fd(moved) }));
        let (mut kind, mut length) = (0, size_of::<libc::c_int>() as libc::socklen_t);
        // SAFETY: there is place for an int, and `length` says so.
        raw::check(unsafe {
            let place = (&raw mut kind).cast();
            libc::getsockopt(moved, libc::SOL_SOCKET, libc::SO_TYPE, place, &raw mut length)
        })?;
        if kind != libc::SOCK_SEQPACKET {
            return Err(io::Error::from_raw_os_error(libc::EPROTOTYPE));
        }
        raw::close(Self::NUMBER);
        Ok(channel)
    }

    /// Sends a message.
    ///
    /// # Errors
    /// Fails if it is empty or longer than [`Channel::LONGEST`], if there is no space for it, or if no
    /// process has the other end.
    pub fn send(&self, message: &[u8]) -> io::Result<()> {
        if message.is_empty() || message.len() > Self::LONGEST {
            return Err(io::Error::from_raw_os_error(libc::EMSGSIZE));
        }
        // SAFETY: the pointer and the length describe `message`.
        let sent = unsafe {
            libc::send(self.0.as_raw_fd(), message.as_ptr().cast(), message.len(), libc::MSG_NOSIGNAL)
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// The next message; `None` if none arrives within this time.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub fn receive(&self, within: Duration) -> io::Result<Option<Vec<u8>>> {
        Ok(match self.hear(within)? {
            Heard::Message(message) => Some(message),
            Heard::Nothing | Heard::End => None,
        })
    }

    /// The same, and whether another may arrive.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub fn hear(&self, within: Duration) -> io::Result<Heard> {
        let deadline = Instant::now() + within;
        let mut bytes = vec![0; Self::LONGEST];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match raw::poll([self.0.as_raw_fd()], Some(left)) {
                Ok([true]) => match raw::read(self.0.as_raw_fd(), &mut bytes) {
                    Ok(0) => return Ok(Heard::End),
                    Ok(length) => {
                        bytes.truncate(length);
                        return Ok(Heard::Message(bytes));
                    }
                    Err(error) if is_passing(&error) => {}
                    // Messages that the other side had not read when it ended.
                    Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(Heard::End),
                    Err(error) => return Err(error),
                },
                Ok([false]) if left.is_zero() => return Ok(Heard::Nothing),
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

/// For tests that play the program within their own process.
impl From<ChannelEnd> for Channel {
    fn from(end: ChannelEnd) -> Self {
        Self(end.0)
    }
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
    fn a_program_is_answered_and_its_end_is_heard() {
        let (channel, end) = Channel::pair().unwrap();
        // A shell's own `read` takes a byte of a message and drops the rest.
        let script =
            "echo ask >&900; sleep 0.5; text=$(dd bs=99 count=1 <&900 2>/dev/null); echo $text! >&900";
        let mut running = shell(script, end);
        assert_eq!(channel.hear(Duration::from_secs(20)).unwrap(), Heard::Message(b"ask\n".to_vec()));
        channel.send(b"answer\n").unwrap();
        assert_eq!(channel.hear(Duration::from_secs(20)).unwrap(), Heard::Message(b"answer!\n".to_vec()));
        running.wait().unwrap();
        assert_eq!(channel.hear(Duration::from_secs(20)).unwrap(), Heard::End);
        assert!(channel.send(b"too late").is_err() && channel.send(b"").is_err());
        assert!(Channel::inherited().is_err(), "this process was started without one");
    }

    #[test]
    fn a_program_that_writes_too_much_does_not_wait() {
        let (channel, end) = Channel::pair().unwrap();
        let mut running = shell("for n in $(seq 5000); do echo $n >&900; done 2>/dev/null", end);
        assert!(running.wait_timeout(Duration::from_secs(60)).unwrap().is_some());
        assert_eq!(channel.receive(Duration::ZERO).unwrap().unwrap(), b"1\n");
    }
}
