//! Why a machine has no sandbox.

/// Why this machine has no sandbox, and the remedy.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Unavailable {
    /// A program is not installed.
    #[error("`{program}` is not installed; install Debian's package `{package}`")]
    Missing {
        /// The program.
        program: &'static str,
        /// The package that contains it.
        package: &'static str,
    },
    /// The kernel, or the lab's own confinement, does not allow it.
    #[error("Bubblewrap cannot make one here: {cause}; {}", next_step(cause))]
    Refused {
        /// Bubblewrap's error.
        cause: String,
    },
    /// The lab cannot prepare one.
    #[error("cannot {doing}: {cause}")]
    Io {
        /// The attempt.
        doing: &'static str,
        /// The cause.
        cause: String,
    },
}

/// The kernel's answer to a system call that a filter hides.
const NO_SUCH_CALL: &str = "Function not implemented";

fn next_step(cause: &str) -> &'static str {
    match cause.contains(NO_SUCH_CALL) {
        true => {
            "a filter of system calls hides one that it needs: in a unit of systemd remove RestrictSUIDSGID= and SystemCallFilter=, in a \
             container its seccomp profile"
        }
        false => {
            "allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1` or `kernel.apparmor_restrict_unprivileged_userns=0`; in a \
             container its seccomp profile decides)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Unavailable;

    #[test]
    fn a_filter_of_system_calls_is_named_where_it_is_one() {
        let said = |cause: &str| Unavailable::Refused { cause: cause.to_owned() }.to_string();
        assert!(said("bwrap: openat2: Function not implemented").contains("RestrictSUIDSGID="));
        assert!(said("bwrap: No permissions to create new namespace").contains("unprivileged_userns_clone"));
    }
}
