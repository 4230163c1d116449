//! Forks this process for one scenario, so that no state is left for the next.

use std::io::Error;

/// Who goes on.
pub(crate) enum Forked {
    /// The copy.
    Child,
    /// The process itself, when the copy has ended well.
    Parent,
}

/// Why nobody goes on as a copy.
pub(crate) enum NotForked {
    /// The process has threads, which a copy would lose.
    Threads(String),
    /// It should have worked, or the copy did not end well.
    Failed(String),
}

/// Goes on as a copy; the process itself waits for its end.
///
/// # Errors
/// Nothing was copied, or the copy did not end well; the process itself says so.
pub(crate) fn fork() -> Result<Forked, NotForked> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return Err(NotForked::Threads(format!(
            "the driver has {threads} threads, and a copy of it would have one"
        )));
    }
    // SAFETY: there is no other thread whose locks the copy could inherit.
    let child = unsafe { libc::fork() };
    match child {
        0 => Ok(Forked::Child),
        1.. => wait(child).map(|()| Forked::Parent).map_err(NotForked::Failed),
        _ => Err(NotForked::Failed(format!("the driver cannot be copied: {}", Error::last_os_error()))),
    }
}

fn wait(child: libc::pid_t) -> Result<(), String> {
    let mut status = 0;
    loop {
        // SAFETY: the status is ours, and the child is one.
        let ended = unsafe { libc::waitpid(child, &mut status, 0) };
        if ended == child {
            break;
        }
        let cause = Error::last_os_error();
        if cause.raw_os_error() != Some(libc::EINTR) {
            return Err(format!("the driver's copy cannot be waited for: {cause}"));
        }
    }
    if libc::WIFSIGNALED(status) {
        return Err(format!("the driver's copy was ended by signal {}", libc::WTERMSIG(status)));
    }
    match libc::WEXITSTATUS(status) {
        0 => Ok(()),
        code => Err(format!("the driver's copy ended with status {code}")),
    }
}
