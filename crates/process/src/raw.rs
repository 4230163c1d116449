//! The system calls of the keeper, each with a safe signature.
//!
//! Nothing here allocates, locks or panics, so all of it may run in a fork of a process with threads.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// A bare `fork`, without the handlers that libraries register with the C library's: those may allocate or
/// lock. Returns 0 in the child.
pub(crate) fn fork() -> io::Result<i32> {
    // SAFETY: without flags and with all pointers null, clone is fork: the child has its own copy of the memory and
    // goes on on its own copy of this stack.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD as libc::c_long, 0, 0, 0, 0) };
    if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(pid as i32) }
}

/// The result of `waitpid` without waiting.
pub(crate) enum Reaped {
    /// This child ended with this wait status.
    Child(i32, i32),
    /// There is such a child, and it lives.
    NotYet,
    /// There is no such child.
    NoChild,
}

/// Reaps one child, or any for -1, without waiting.
pub(crate) fn reap(pid: i32) -> Reaped {
    let mut status = 0;
    loop {
        // SAFETY: `status` is valid memory for an int.
        let result = unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG | libc::__WALL) };
        match result {
            0 => return Reaped::NotYet,
            -1 if io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            -1 => return Reaped::NoChild,
            child => return Reaped::Child(child, status),
        }
    }
}

/// Sends a signal to one process.
pub(crate) fn kill(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: kill takes two integers and touches no memory of ours.
    check(unsafe { libc::kill(pid, signal) }).map(drop)
}

/// This process's id.
pub(crate) fn own_id() -> i32 {
    // SAFETY: getpid has no preconditions.
    unsafe { libc::getpid() }
}

/// The parent's id.
pub(crate) fn parent_id() -> i32 {
    // SAFETY: getppid has no preconditions.
    unsafe { libc::getppid() }
}

/// This process's session.
pub(crate) fn own_session() -> i32 {
    // SAFETY: getsid takes an integer and touches no memory of ours.
    unsafe { libc::getsid(0) }
}

/// Begins a session, and so leaves the terminal and the process group.
pub(crate) fn new_session() -> io::Result<()> {
    // SAFETY: setsid has no preconditions.
    check(unsafe { libc::setsid() }).map(drop)
}

/// Makes this process the subreaper of its descendants.
pub(crate) fn become_subreaper() -> io::Result<()> {
    // SAFETY: this option takes an integer and touches no memory of ours.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }).map(drop)
}

/// Sets every signal's disposition to the default.
pub(crate) fn default_signals() {
    // The kernel's `struct sigaction`: the default handler, no flags, no restorer, an empty mask.
    let default = [0_u64; 4];
    for signal in 1..=64 {
        // The system call, not the C library's function, which reserves two signals, so that they would stay
        // ignored if the lab's parent ignored them. SAFETY: `default` is as large as the structure and
        // installs no code of ours.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), 0, size_of::<u64>()) };
    }
}

/// Blocks every signal that can be blocked, or none.
pub(crate) fn block_signals(all: bool) {
    // SAFETY: `set` is initialised by sigemptyset or sigfillset before it is read.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        if all {
            libc::sigfillset(&mut set)
        } else {
            libc::sigemptyset(&mut set)
        };
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
    }
}

/// A descriptor that can be read when a child has changed state. SIGCHLD has to be blocked.
pub(crate) fn child_signals() -> io::Result<RawFd> {
    // SAFETY: `set` is initialised by sigemptyset before it is read.
    check(unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    })
}

/// Waits until one of the descriptors can be read or has hung up, and returns which. Without a timeout, waits
/// forever.
pub(crate) fn poll<const N: usize>(fds: [RawFd; N], timeout: Option<Duration>) -> io::Result<[bool; N]> {
    let mut polled = fds.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    // Rounded up, or the last millisecond would be spent spinning.
    let milliseconds = timeout.map_or(-1, |t| t.as_nanos().div_ceil(1_000_000).min(i32::MAX as u128) as i32);
    // SAFETY: the pointer and the length describe `polled`.
    check(unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, milliseconds) })?;
    Ok(polled.map(|fd| fd.revents != 0))
}

/// Reads once; 0 is the end.
pub(crate) fn read(fd: RawFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the length describe `buffer`.
    let count = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Writes once.
pub(crate) fn write(fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the length describe `bytes`.
    let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Opens for reading (or writing), relative to a directory's descriptor. `path` ends with a NUL.
pub(crate) fn open_at(directory: RawFd, path: &[u8], flags: i32) -> io::Result<RawFd> {
    if path.last() != Some(&0) {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: `path` ends with a NUL, as was just checked.
    check(unsafe { libc::openat(directory, path.as_ptr().cast(), flags | libc::O_CLOEXEC) })
}

/// Reads directory entries; 0 bytes is the end.
pub(crate) fn read_directory(fd: RawFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the length describe `buffer`.
    let count = unsafe { libc::syscall(libc::SYS_getdents64, fd, buffer.as_mut_ptr(), buffer.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Makes `to` another name of `from`, to be closed on exec.
pub(crate) fn rename_descriptor(from: RawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: dup3 takes integers; the caller answers for the owner of `to`.
    check(unsafe { libc::dup3(from, to, libc::O_CLOEXEC) }).map(drop)
}

/// Closes one descriptor.
pub(crate) fn close(fd: RawFd) {
    // SAFETY: close takes an integer; the caller answers for the owner of `fd`.
    unsafe { libc::close(fd) };
}

/// Marks one descriptor to be closed when a program is executed.
pub(crate) fn close_on_exec(fd: RawFd) {
    // SAFETY: this command takes integers.
    unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
}

/// Sleeps.
pub(crate) fn pause(duration: Duration) {
    let time = libc::timespec {
        tv_sec: duration.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(duration.subsec_nanos() as i32),
    };
    // SAFETY: `time` is a valid time, and no remainder is asked for.
    unsafe { libc::nanosleep(&time, std::ptr::null_mut()) };
}

/// The time since the machine started, in the unit of a process's start time.
pub(crate) fn ticks_since_boot() -> u64 {
    // SAFETY: `now` is a valid place for the answer; sysconf takes an integer.
    unsafe {
        let mut now = std::mem::zeroed::<libc::timespec>();
        libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now);
        let per_second = libc::sysconf(libc::_SC_CLK_TCK).max(1) as u64;
        now.tv_sec as u64 * per_second + now.tv_nsec as u64 * per_second / 1_000_000_000
    }
}

/// An integer result of the C library as a `Result`.
pub(crate) fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
