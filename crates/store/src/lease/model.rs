//! Leases: which process measures a run, and until when no other may.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long a lease lasts without a renewal.
pub const LEASE: Duration = Duration::from_secs(60);

/// How often a lease is renewed: it survives three renewals that fail.
pub(crate) const RENEWED_EVERY: Duration = Duration::from_secs(15);

/// A process that measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The host's name.
    pub host: String,
    /// The machine since its boot, and the PID namespace on it; empty if unknown.
    pub machine: String,
    /// The process id.
    pub process: u32,
    /// When it was started, clock ticks since boot.
    pub started: u64,
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn this_process() -> Self {
        let process = std::process::id();
        Self { host: host(), machine: machine().unwrap_or_default(), process, started: started(process) }
    }

    /// Whether it has certainly ended, as far as another process on the same machine can see. A process of
    /// another machine never counts as ended.
    #[must_use]
    pub fn is_dead(&self, seen_by: &Self) -> bool {
        let is_same_machine = !self.machine.is_empty() && self.machine == seen_by.machine;
        is_same_machine
            && match stat(self.process) {
                Ok(stat) => parsed(&stat)
                    .is_some_and(|(state, started)| matches!(state, 'Z' | 'X') || started != self.started),
                // If /proc hides other users' processes, it hides the first process, too.
                Err(cause) => cause.kind() == ErrorKind::NotFound && stat(1).is_ok(),
            }
    }
}

impl fmt::Display for Owner {
    /// The text is untrusted: control characters are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.process, self.host.escape_debug())
    }
}

/// The process that may write to an incomplete run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The run.
    pub run: String,
    /// The holder; `None` after it was released.
    pub owner: Option<Owner>,
    /// Until when no other process can take it, milliseconds since 1970 by the database's clock; 0 if it is
    /// free.
    pub until_unix_ms: u64,
    /// The number of the lease, which only grows. A write with an earlier one is rejected.
    pub token: u64,
}

fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

fn machine() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.display()))
}

fn started(process: u32) -> u64 {
    stat(process).ok().and_then(|stat| Some(parsed(&stat)?.1)).unwrap_or_default()
}

fn stat(process: u32) -> std::io::Result<String> {
    // A program's name may have any bytes.
    fs::read(format!("/proc/{process}/stat")).map(|stat| String::from_utf8_lossy(&stat).into_owned())
}

/// The state and the start of a process, from its `stat`. The program's name, in parentheses, may contain any
/// text.
fn parsed(stat: &str) -> Option<(char, u64)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    // The state is the third field of 52, the start the twenty-second.
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_dead_once_it_has_ended_and_its_number_may_be_used_again() {
        let me = Owner::this_process();
        assert!(!me.host.is_empty() && me.machine.contains(" pid:["), "{me:?}");
        assert!(me.started > 0 && !me.is_dead(&me));
        assert!(Owner { started: me.started + 1, ..me.clone() }.is_dead(&me), "it is a later process");
        let mut child = Command::new("/bin/cat").stdin(Stdio::piped()).spawn().unwrap();
        let other = Owner { process: child.id(), started: started(child.id()), ..me.clone() };
        assert!(!other.is_dead(&me));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(other.is_dead(&me));
        let elsewhere = Owner { machine: "another pid:[1]".to_owned(), ..other.clone() };
        assert!(!elsewhere.is_dead(&me));
        let unknown = Owner { machine: String::new(), ..other };
        assert!(!unknown.is_dead(&unknown), "nobody knows where it was");
    }

    #[test]
    fn a_process_that_nobody_has_waited_for_is_dead() {
        let me = Owner::this_process();
        let mut child = Command::new("/bin/cat").stdin(Stdio::piped()).spawn().unwrap();
        let other = Owner { process: child.id(), started: started(child.id()), ..me.clone() };
        child.kill().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while !other.is_dead(&me) {
            assert!(std::time::Instant::now() < deadline, "its state is never that of a zombie");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.wait().unwrap();
    }

    #[test]
    fn a_programs_name_does_not_confuse() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        assert_eq!(parsed(&format!("12 (a) b) {rest}")), Some(('S', 4711)));
        assert_eq!(parsed("12 (a"), None);
        assert_eq!(parsed("12 (a) S 1"), None);
    }
}
