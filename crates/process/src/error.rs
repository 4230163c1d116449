//! Errors between the request to run a program and its end. A program's own failure is not one: that is an
//! [`Ended`](crate::Ended).

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a program could not be started, watched or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The kernel refused to execute the program.
    #[error("cannot start `{}`: {cause}; {}", program.display(), next_step(cause))]
    Start {
        /// The program as named.
        program: PathBuf,
        /// The kernel's error.
        cause: io::Error,
    },
    /// The program's working directory does not exist.
    #[error(
        "cannot start `{}` in `{}`: that is not a directory; create it, or choose another",
        program.display(),
        directory.display()
    )]
    Directory {
        /// The program as named.
        program: PathBuf,
        /// The requested working directory.
        directory: PathBuf,
    },
    /// The kernel refused a setting of the program's process before the execution.
    #[error("cannot start `{}`: the kernel refuses to {setting}: {cause}; {next_step}", program.display())]
    Setting {
        /// The program as named.
        program: PathBuf,
        /// The setting.
        setting: &'static str,
        /// The kernel's error.
        cause: io::Error,
        /// The next step.
        next_step: &'static str,
    },
    /// A file for the program's output cannot be opened.
    #[error("cannot write the output of `{}` to `{}`: {cause}; choose a path that can be written", program.display(), file.display())]
    OutputFile {
        /// The program as named.
        program: PathBuf,
        /// The requested file.
        file: PathBuf,
        /// The kernel's error.
        cause: io::Error,
    },
    /// The lab cannot supervise programs on this system.
    #[error("cannot supervise programs: {what}: {cause}; {next_step}")]
    Unsupervised {
        /// The lab's requirement.
        what: &'static str,
        /// The kernel's error.
        cause: io::Error,
        /// The next step.
        next_step: &'static str,
    },
    /// The keeper was killed, so the program's own end is unknown.
    #[error(
        "lost `{}`: its keeper was killed from outside, and the program with it; run it again, and look for the \
         kernel's out-of-memory killer in `dmesg`",
        program.display()
    )]
    KeeperLost {
        /// The program as named.
        program: PathBuf,
    },
    /// Some processes did not die.
    #[error(
        "`{}` left {count} {} that cannot be killed (changed to another user, or stuck in the kernel); end \
         them by hand before anything is measured",
        program.display(),
        if *count == 1 { "process" } else { "processes" }
    )]
    Unkillable {
        /// The program as named.
        program: PathBuf,
        /// How many processes are left.
        count: usize,
    },
    /// The program exceeded its time limit and was killed.
    #[error("`{}` took longer than {after:?} and was killed; its output is in `{}`", program.display(), log.display())]
    TimedOut {
        /// The program as named.
        program: PathBuf,
        /// Its time limit.
        after: Duration,
        /// Where its output is.
        log: PathBuf,
    },
    /// The caller cancelled, and the program was killed.
    #[error("`{}` was killed because the work was cancelled", program.display())]
    Cancelled {
        /// The program as named.
        program: PathBuf,
    },
}

impl ProcessError {
    /// Whether a process had the program's file open for writing.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Start { cause, .. } if cause.kind() == io::ErrorKind::ExecutableFileBusy)
    }
}

fn next_step(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::NotFound => "check the path and, for a script, the interpreter in its first line",
        io::ErrorKind::PermissionDenied => "make the file executable, and its directories accessible",
        io::ErrorKind::ArgumentListTooLong => "pass fewer arguments or a smaller environment",
        io::ErrorKind::ExecutableFileBusy => "wait until no program writes the file",
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => "end other processes or raise `ulimit -u`",
        _ if cause.raw_os_error() == Some(libc::ENOEXEC) => {
            "build it for this machine, or begin it with `#!`"
        }
        _ if cause.raw_os_error() == Some(libc::EMFILE) => "raise the limit on open files with `ulimit -n`",
        _ => "try it by hand from a shell",
    }
}
