//! Readiness of sockets for reading, from the kernel (epoll).

use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A set of sockets, each with a token chosen by the caller.
pub(super) struct Readiness {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Readiness {
    /// An empty set, which reports up to `most` sockets at once.
    pub(super) fn new(most: usize) -> io::Result<Self> {
        // SAFETY: the call takes no pointer, and its result is checked before it is owned.
        let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if epoll < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and has no other owner.
        let epoll = unsafe { OwnedFd::from_raw_fd(epoll) };
        Ok(Self { epoll, events: vec![libc::epoll_event { events: 0, u64: 0 }; most] })
    }

    /// Watches a socket: it is reported as long as it has input. Closing it ends this.
    pub(super) fn watch(&self, socket: &impl AsRawFd, token: u64) -> io::Result<()> {
        self.change(libc::EPOLL_CTL_ADD, socket, token)
    }

    /// Stops watching a socket.
    pub(super) fn forget(&self, socket: &impl AsRawFd) -> io::Result<()> {
        self.change(libc::EPOLL_CTL_DEL, socket, 0)
    }

    fn change(&self, operation: libc::c_int, socket: &impl AsRawFd, token: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: token };
        // SAFETY: both descriptors are open, and the structure lives for the call.
        let result =
            unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), operation, socket.as_raw_fd(), &mut event) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Waits for up to `most_ms`, and puts the tokens of the ready sockets into a list.
    pub(super) fn wait(&mut self, most_ms: i32, ready: &mut Vec<u64>) -> io::Result<()> {
        ready.clear();
        let room = self.events.len() as libc::c_int;
        // SAFETY: the kernel writes at most as many events as there is room for.
        let count =
            unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), self.events.as_mut_ptr(), room, most_ms) };
        let Ok(count) = usize::try_from(count) else {
            let cause = io::Error::last_os_error();
            return if cause.kind() == ErrorKind::Interrupted { Ok(()) } else { Err(cause) };
        };
        ready.extend(self.events[..count].iter().map(|event| event.u64));
        Ok(())
    }
}
