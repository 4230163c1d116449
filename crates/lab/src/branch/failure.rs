//! The reason why a revision does not build, in a line.

use std::path::Path;

use tlslab_build::{BuildFailure, Stage};
use tlslab_text::clean;

use crate::bounded_read;

/// The longest log that is looked through, bytes.
const LONGEST_LOG: u64 = 64 << 20;
/// The longest reason, letters.
const LONGEST_REASON: usize = 300;

/// The reason: the first error of a compiler if there is one, else the failure's own words.
pub(super) fn reason(failure: &BuildFailure) -> String {
    let log = failure.log.as_deref().and_then(|log: &Path| bounded_read::read(log, LONGEST_LOG).ok());
    let error = log.as_deref().and_then(first_error).unwrap_or(&failure.reason);
    let line = clean(tlslab_text::first_line(error));
    let reason: String = line.chars().take(LONGEST_REASON).collect();
    format!("{}: {reason}", failure.stage)
}

/// Whether the machine or the network is the cause, not the revision: it can be tried later.
pub(super) fn is_passing(failure: &BuildFailure) -> bool {
    let is_of_network = |line: &String| {
        let line = line.to_lowercase();
        OF_NETWORKS.iter().any(|words| line.contains(words))
    };
    match failure.stage {
        Stage::Plan | Stage::Source => true,
        _ => [&failure.reason].into_iter().chain(&failure.last_lines).any(is_of_network),
    }
}

/// The first line in which a compiler or a build program reports an error.
fn first_error(log: &str) -> Option<&str> {
    let is_error = |line: &&str| {
        line.starts_with("error:")
            || line.starts_with("error[")
            || line.contains(": error: ")
            || line.contains(": fatal error: ")
            || line.contains("undefined reference to ")
            || line.starts_with("CMake Error")
    };
    let mut errors = log.lines().map(str::trim).filter(is_error);
    let first = errors.next()?;
    // Cargo prints the package that failed first, and then the compiler's own errors.
    let is_summary = |line: &str| line.starts_with("error: could not compile");
    if is_summary(first) { errors.find(|line| !is_summary(line)).or(Some(first)) } else { Some(first) }
}

/// Messages of programs that could not reach a server.
const OF_NETWORKS: [&str; 9] = [
    "could not resolve host",
    "could not connect to",
    "couldn't connect to server",
    "failed to connect to",
    "failed to download",
    "network failure",
    "connection timed out",
    "operation timed out",
    "no space left on device",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_of_a_compiler_is_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let of = |text: &str| {
            std::fs::write(&log, text).unwrap();
            let last_lines = vec![];
            let failure = BuildFailure {
                stage: Stage::Driver,
                reason: "`cargo` failed: exit status 101".to_owned(),
                log: Some(log.clone()),
                last_lines,
            };
            reason(&failure)
        };
        assert_eq!(
            of(
                "warning: x\nerror[E0432]: unresolved \u{1b}[31mimport `a`\n --> m.rs\nerror: could not compile"
            ),
            "driver: error[E0432]: unresolved \u{fffd}[31mimport `a`"
        );
        assert_eq!(
            of("cc -c a.c\na.c:3:4: error: no 'f'\nmake: *** [a.o]"),
            "driver: a.c:3:4: error: no 'f'"
        );
        assert_eq!(of("nothing"), "driver: `cargo` failed: exit status 101");
    }

    #[test]
    fn a_network_that_is_down_breaks_no_driver() {
        let of = |stage, line: &str| {
            let last_lines = vec![line.to_owned()];
            is_passing(&BuildFailure { last_lines, ..BuildFailure::unlogged(stage, "`cargo` failed") })
        };
        assert!(of(Stage::Versions, "  Could not resolve host: registry") && of(Stage::Source, ""));
        assert!(
            !of(Stage::Versions, "the package depends on x, with features: ring") && !of(Stage::Driver, "")
        );
    }
}
