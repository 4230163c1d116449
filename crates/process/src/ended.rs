//! The end of a program, in words for people.

use std::fmt;

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// It exited with this status, 0 to 255.
    Exited(i32),
    /// This signal killed it.
    Signalled(i32),
}

impl Ended {
    /// Whether it exited with status 0.
    #[must_use]
    pub fn success(self) -> bool {
        self == Self::Exited(0)
    }

    /// From the status of `waitpid`.
    pub(crate) fn from_wait_status(status: i32) -> Self {
        if libc::WIFSIGNALED(status) {
            Self::Signalled(libc::WTERMSIG(status))
        } else {
            Self::Exited(libc::WEXITSTATUS(status))
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exited(status) => write!(f, "exit status {status}"),
            Self::Signalled(signal) => {
                write!(f, "killed by signal {signal}")?;
                match SIGNAL_NAMES.iter().find(|(number, _)| *number == signal) {
                    Some((_, name)) => write!(f, " ({name})"),
                    None => Ok(()),
                }
            }
        }
    }
}

const SIGNAL_NAMES: [(i32, &str); 25] = [
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGTTIN, "SIGTTIN"),
    (libc::SIGTTOU, "SIGTTOU"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGXFSZ, "SIGXFSZ"),
    (libc::SIGVTALRM, "SIGVTALRM"),
    (libc::SIGPROF, "SIGPROF"),
    (libc::SIGIO, "SIGIO"),
    (libc::SIGPWR, "SIGPWR"),
    (libc::SIGSTKFLT, "SIGSTKFLT"),
    (libc::SIGSYS, "SIGSYS"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_a_person_would_say_it() {
        assert_eq!(Ended::Exited(3).to_string(), "exit status 3");
        assert_eq!(Ended::Signalled(11).to_string(), "killed by signal 11 (SIGSEGV)");
        assert_eq!(Ended::Signalled(40).to_string(), "killed by signal 40");
    }

    #[test]
    fn a_core_dump_does_not_change_the_signal() {
        assert_eq!(Ended::from_wait_status(0x300), Ended::Exited(3));
        assert_eq!(Ended::from_wait_status(11 | 0x80), Ended::Signalled(11));
    }
}
