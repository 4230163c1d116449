//! Errors that stop a plan, `apply` or `undo` before the first change.

use std::io;
use std::path::PathBuf;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A chosen CPU is not online.
    #[error("CPUs {chosen} cannot be chosen for measuring: {online} are online; name some of these")]
    CpusNotOnline {
        /// The CPUs that were chosen.
        chosen: String,
        /// The CPUs that are online.
        online: String,
    },
    /// All CPUs were chosen, so that none is left for the system.
    #[error("CPUs {chosen} are all that are online: leave at least one to the system")]
    NoCpuForTheSystem {
        /// The CPUs that were chosen.
        chosen: String,
    },
    /// The user is not root.
    #[error("only root changes settings of the host: run the command as root")]
    NotRoot,
    /// Settings have already been changed for other CPUs.
    #[error(
        "settings have been changed for measuring on CPUs {before}: restore them with --undo before CPUs {chosen} are chosen"
    )]
    OtherCpus {
        /// The CPUs that were chosen.
        chosen: String,
        /// The CPUs of the state file.
        before: String,
    },
    /// The kernel does not identify its boot.
    #[error("cannot read /proc/sys/kernel/random/boot_id, which is needed to recognise a restart: {0}")]
    BootId(io::Error),
    /// The state file is missing, so there is nothing to undo.
    #[error("there is nothing to undo: {} does not exist", .0.display())]
    NothingToUndo(PathBuf),
    /// The state file cannot be read or written.
    #[error("cannot {what} {}: {cause}", path.display())]
    StateFile {
        /// The attempt.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The state file is invalid, or another user could have written it.
    #[error("{} is not used, and nothing was changed: {reason}", path.display())]
    StateRefused {
        /// The file.
        path: PathBuf,
        /// The defect.
        reason: String,
    },
    /// The machine has been restarted since the state file was written.
    #[error(
        "{} was written before the machine was restarted; the restart has undone every change: remove the file",
        .0.display()
    )]
    Restarted(PathBuf),
    /// Another process is changing or restoring settings.
    #[error("another process is changing or restoring settings (it has locked {}): wait until it ends", .0.display())]
    Busy(PathBuf),
}
