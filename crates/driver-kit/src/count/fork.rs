//! Forks this process for one scenario, so that no state is left for the next.

use std::io::Error;

/// The process that continues.
pub(crate) enum Forked {
    /// The child.
    Child,
    /// The parent, after the child has ended without an error.
    Parent,
}

/// Why no child continues.
pub(crate) enum NotForked {
    /// The process has threads, which a child would lose.
    Threads(String),
    /// Forking failed, or the child ended with an error.
    Failed(String),
}

/// Continues in a child, while the parent waits for its end.
///
/// # Errors
/// Fails, in the parent, if the process has threads, cannot fork, or if the child ends with an error.
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
