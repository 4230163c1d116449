//! This machine: its identity, its disturbances, and the lock that lets one lab measure at a time.

pub mod busy_loop;
pub mod doctor;
pub mod effects;
pub mod line_moves;
pub mod processors;
pub mod self_check;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use tlslab_artifact::open_plain;
use tlslab_host::{Fingerprint, Readings};

use crate::progress::event::{Event, Resource};
use crate::session::reporter::Reporter;

/// The fingerprint in results.
pub fn fingerprint() -> Fingerprint {
    Fingerprint::read(Path::new("/"))
}

/// The class of this machine in histories.
pub fn host_class() -> String {
    tlslab_history::figures::runner_class(&fingerprint())
}

/// The processors that this process may use, by number, ascending.
pub fn usable_processors() -> Vec<usize> {
    tlslab_host::usable_cpus(std::path::Path::new("/")).into_iter().map(|cpu| cpu as usize).collect()
}

/// Observes the machine before and after.
pub struct Watch {
    before: Readings,
    fingerprint: Fingerprint,
}

impl Watch {
    /// Reads the state now: before the lab binds itself to a CPU, or its own load would count as the host's.
    pub fn start() -> Self {
        Self { before: Readings::take(Path::new("/")), fingerprint: Fingerprint::read(Path::new("/")) }
    }

    /// Load, governor and stolen time at the beginning, before anything is built or measured.
    pub fn at_start(&self) -> String {
        let unknown = || "unknown".to_owned();
        let load = self.fingerprint.load.as_ref().map_or_else(unknown, |load| format!("{:.2}", load.one));
        let governor = self.fingerprint.tuning.governor.clone().unwrap_or_else(unknown);
        let stolen =
            self.before.stolen_percent().map_or_else(unknown, |percent| format!("{percent:.2} % since boot"));
        format!("host: load {load}, governor {governor}, stolen time {stolen}")
    }

    /// Disturbances since then, one sentence each, with remedies.
    pub fn warnings(&self) -> Vec<String> {
        let after = Readings::take(Path::new("/"));
        let warnings = tlslab_host::check(&self.before, &after, &self.fingerprint);
        warnings.iter().map(ToString::to_string).collect()
    }
}

/// Holds the right to measure until it is dropped.
pub struct Alone {
    _lock: File,
}

/// Waits until no other lab measures on this host, of any user and with any cache.
pub fn measure_alone(reporter: &Reporter<'_>) -> anyhow::Result<Alone> {
    let path = std::env::temp_dir().join("tlslab-measure.lock");
    // Another user's file can be read, which is enough for a lock. A link is rejected: it may lead anywhere.
    let create = || OpenOptions::new().write(true).create_new(true).open(&path);
    let lock = open_plain(&path)
        .or_else(|_| create().and_then(|_| open_plain(&path)))
        .with_context(|| format!("cannot open {}", path.display()))?;
    let start = Instant::now();
    let mut described = false;
    while lock.try_lock().is_err() {
        let holder = || holder(&lock).unwrap_or_else(|| "a process that is not visible here".to_owned());
        if !described {
            reporter.emit(&Event::Waiting { resource: Resource::Host, holder: holder() });
            described = true;
        }
        reporter.check()?;
        anyhow::ensure!(
            start.elapsed() < LONGEST_WAIT,
            "{} has held {} for {} hours; end it, or remove the file if it measures nothing",
            holder(),
            path.display(),
            LONGEST_WAIT.as_secs() / 3600,
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(Alone { _lock: lock })
}

/// How long a run waits for others.
const LONGEST_WAIT: Duration = Duration::from_secs(12 * 3600);

/// The process that holds a lock: its name and number.
fn holder(lock: &File) -> Option<String> {
    let inode = lock.metadata().ok()?.ino();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let process = holder_in(&locks, inode)?;
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    Some(format!("process {process} ({})", name.trim()))
}

/// The first process that has a lock on the file of this number. A line:
/// `1: FLOCK ADVISORY WRITE 412 00:2b:77 0 EOF`.
fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    let of_line = |line: &str| -> Option<u32> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "FLOCK", _, _, process, file, ..] = words[..] else { return None };
        let number: u64 = file.rsplit(':').next()?.parse().ok()?;
        (number == inode).then(|| process.parse().ok())?
    };
    locks.lines().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locks_holder_is_the_process_in_its_line() {
        let locks = "1: POSIX  ADVISORY  WRITE 7 00:2b:77 0 EOF\n\
                     2: FLOCK  ADVISORY  WRITE 412 00:2b:770 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 9 00:2b:77 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 413 00:2b:77 0 EOF\n";
        assert_eq!(holder_in(locks, 77), Some(413));
        assert_eq!(holder_in(locks, 7), None);
        assert_eq!(holder_in("3: FLOCK", 7), None);
    }

    #[test]
    fn who_measures_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = File::create(&path).unwrap();
        lock.lock().unwrap();
        let found = holder(&File::open(&path).unwrap()).unwrap();
        assert!(found.starts_with(&format!("process {} (", std::process::id())), "{found}");
    }
}
