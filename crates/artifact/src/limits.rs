//! Limits of a build step. A build script is untrusted: it may write without end, or never end.

use std::path::Path;
use std::time::{Duration, Instant};

use tlslab_process::{Supervised, most_memory};

use crate::disk::free_bytes;

/// The limits of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Its duration.
    pub longest: Duration,
    /// The size of its log, bytes.
    pub log_bytes: u64,
    /// The disk space that it may fill, bytes.
    pub disk_bytes: u64,
    /// The disk space that must stay free, bytes.
    pub free_bytes: u64,
    /// The memory of all its processes, bytes.
    pub memory_bytes: u64,
}

impl Default for Limits {
    /// Several times the needs of the largest library; for memory, nine tenths of the machine's.
    fn default() -> Self {
        Self {
            longest: Duration::from_secs(4 * 3600),
            log_bytes: 512 << 20,
            disk_bytes: 40 << 30,
            free_bytes: 256 << 20,
            memory_bytes: most_memory(),
        }
    }
}

/// A running step, and its limits.
pub(crate) struct Watched<'w> {
    limits: Limits,
    started: Instant,
    log: &'w Path,
    disk: &'w Path,
    log_before: u64,
    free_before: Option<u64>,
}

impl<'w> Watched<'w> {
    /// A step that begins now. `disk` is a folder on the disk that it fills.
    pub(crate) fn begin(limits: Limits, log: &'w Path, disk: &'w Path) -> Self {
        let (log_before, free_before) = (bytes(log), free_bytes(disk));
        Self { limits, started: Instant::now(), log, disk, log_before, free_before }
    }

    /// Whether it uses too much memory.
    pub(crate) fn memory_excess(&self, running: &Supervised) -> Option<String> {
        let bytes = self.limits.memory_bytes;
        let what = || format!("its processes used more than {} MiB of memory", bytes >> 20);
        running.uses_more_than(bytes).then(what)
    }

    /// The other limit that it exceeds, if any.
    pub(crate) fn excess(&self) -> Option<String> {
        let Limits { longest, log_bytes, disk_bytes, free_bytes: spare, .. } = self.limits;
        if self.started.elapsed() > longest {
            return Some(format!("it ran for more than {} s", longest.as_secs()));
        }
        if bytes(self.log).saturating_sub(self.log_before) > log_bytes {
            return Some(format!("it wrote more than {log_bytes} bytes to its log"));
        }
        let free = free_bytes(self.disk)?;
        if free < spare {
            return Some(format!("less than {spare} bytes are free on the disk"));
        }
        let used = self.free_before?.saturating_sub(free);
        (used > disk_bytes).then(|| format!("it filled more than {disk_bytes} bytes of the disk"))
    }
}

fn bytes(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        std::fs::write(&log, "1234").unwrap();
        let limits = Limits { free_bytes: 0, ..Limits::default() };
        let excess = |limits: Limits, grown: &str| {
            std::fs::write(&log, "1234").unwrap();
            let watched = Watched::begin(limits, &log, folder.path());
            std::fs::write(&log, format!("1234{grown}")).unwrap();
            std::thread::sleep(Duration::from_millis(5));
            watched.excess()
        };
        assert_eq!(excess(limits, ""), None);
        let short = Limits { longest: Duration::from_millis(1), ..limits };
        assert_eq!(excess(short, "").unwrap(), "it ran for more than 0 s");
        let terse = Limits { log_bytes: 3, ..limits };
        assert_eq!(excess(terse, "567"), None);
        assert_eq!(excess(terse, "5678").unwrap(), "it wrote more than 3 bytes to its log");
        let roomy = Limits { free_bytes: u64::MAX, ..limits };
        assert!(excess(roomy, "").unwrap().ends_with("bytes are free on the disk"));
    }
}
