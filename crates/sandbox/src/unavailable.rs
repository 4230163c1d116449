//! Why there is no sandbox on a machine.

/// Why there is no sandbox on this machine, and what makes one possible.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Unavailable {
    /// A program is not installed.
    #[error("`{program}` is not installed; install Debian's package `{package}`")]
    Missing {
        /// The program.
        program: &'static str,
        /// The package that brings it.
        package: &'static str,
    },
    /// The kernel, or what confines the lab itself, does not allow it.
    #[error(
        "Bubblewrap cannot make one here: {cause}; allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1` or \
         `kernel.apparmor_restrict_unprivileged_userns=0`; in a container its seccomp profile decides)"
    )]
    Refused {
        /// What Bubblewrap says.
        cause: String,
    },
    /// The lab cannot prepare one.
    #[error("cannot {doing}: {cause}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Why not.
        cause: String,
    },
}
