//! How much memory a program and its descendants use.

use std::ffi::CString;
use std::fs;
use std::path::Path;

use crate::descendants::descendants;
use crate::supervised::Supervised;

impl Supervised {
    /// Whether the program and its descendants, orphans included, together use more memory than this many
    /// bytes: memory that they have written, memory that they share, and files in memory of their own
    /// namespace. Pages of other files are not counted.
    #[must_use]
    pub fn uses_more_than(&self, bytes: u64) -> bool {
        let keeper = self.keeper_id().unsigned_abs();
        let mut all = descendants(keeper, MOST_PROCESSES);
        all.retain(|process| *process != keeper);
        let sum =
            |of: fn(u32) -> u64| all.iter().map(|process| of(*process)).fold(0_u64, u64::saturating_add);
        // The quick way first: it counts shared pages once per process.
        let of_files = bytes_of_files(&all);
        let is_more = |of_processes: u64| of_processes.saturating_add(of_files) > bytes;
        all.len() >= MOST_PROCESSES - 1 || is_more(sum(resident_bytes)) && is_more(sum(own_share_bytes))
    }
}

/// Nine tenths of the memory that programs may use here: the machine's, or that of the lab's control group if
/// it is less. No limit if the kernel reports neither.
#[must_use]
pub fn most_memory() -> u64 {
    let machine = kib_of(&fs::read_to_string("/proc/meminfo").unwrap_or_default(), &["MemTotal:"]);
    let machine = if machine == 0 { u64::MAX } else { machine };
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let limits = Path::new(group).ancestors().filter_map(|group| {
        let file = Path::new("/sys/fs/cgroup").join(group).join("memory.max");
        fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
    });
    limits.fold(machine, u64::min) / 10 * 9
}

/// A program with more processes than this uses too much of the machine, however little memory each has.
const MOST_PROCESSES: usize = 50_000;

/// The contents of a sandbox's folders in memory, whose files belong to no process. There is one such
/// namespace: processes in it cannot make another.
fn bytes_of_files(processes: &[u32]) -> u64 {
    let namespace = |process: &str| fs::read_link(format!("/proc/{process}/ns/mnt")).ok();
    let own = namespace("self");
    let is_inside = |process: &&u32| {
        let of_process = namespace(&process.to_string());
        of_process.is_some() && of_process != own
    };
    let Some(inside) = processes.iter().rev().find(is_inside) else { return 0 };
    let folders = ["tmp", "dev/shm"].into_iter();
    folders.map(|folder| bytes_in_memory(&format!("/proc/{inside}/root/{folder}"))).sum()
}

/// The size of a folder in memory; zero if it is on a disk.
fn bytes_in_memory(folder: &str) -> u64 {
    let Ok(folder) = CString::new(folder) else { return 0 };
    // SAFETY: all zeros are a value of this type.
    let mut state: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero, and there is room for the answer.
    let is_read = unsafe { libc::statfs(folder.as_ptr(), &raw mut state) } == 0;
    if !is_read || state.f_type != libc::TMPFS_MAGIC {
        return 0;
    }
    (state.f_blocks.saturating_sub(state.f_bfree)).saturating_mul(state.f_bsize.unsigned_abs())
}

/// An ended process has none.
fn resident_bytes(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    kib_of(&text, &["RssAnon:", "RssShmem:"])
}

/// The same, with each page divided by the number of processes that share it. The kernel takes a while for
/// that.
fn own_share_bytes(process: u32) -> u64 {
    match fs::read_to_string(format!("/proc/{process}/smaps_rollup")) {
        Ok(text) if text.contains("Pss_Anon:") => kib_of(&text, &["Pss_Anon:", "Pss_Shmem:"]),
        _ => resident_bytes(process),
    }
}

/// The sum of these lines of a file of `/proc`, bytes.
fn kib_of(text: &str, names: &[&str]) -> u64 {
    let lines = text.lines().filter_map(|line| names.iter().find_map(|name| line.strip_prefix(name)));
    let kib = lines.filter_map(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.fold(0_u64, u64::saturating_add).saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::program::Program;

    fn shell(script: &str) -> Supervised {
        Program::new("/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin").spawn().unwrap()
    }

    fn comes_to(running: &Supervised, bytes: u64) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !running.uses_more_than(bytes) {
            assert!(Instant::now() < deadline, "it never uses {bytes} bytes");
            sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn the_memory_of_descendants_and_orphans_counts() {
        let perl = "my $kept = q(x) x (40 << 20); sleep 100";
        let running = shell(&format!("for n in 1 2 3; do (perl -e '{perl}' &); done; sleep 100"));
        comes_to(&running, 120 << 20);
        assert!(!running.uses_more_than(most_memory()));
    }

    #[test]
    fn what_processes_share_counts_once() {
        let perl = "my $kept = q(x) x (60 << 20); fork || fork; sleep 100";
        let running = shell(&format!("exec perl -e '{perl}'"));
        comes_to(&running, 60 << 20);
        sleep(Duration::from_millis(300));
        // Three processes have 60 MiB each, or twice that: Perl keeps the constant too.
        assert!(!running.uses_more_than(170 << 20));
    }

    #[test]
    fn lines_of_proc_are_added() {
        let text = "VmRSS:\t  900 kB\nRssAnon:\t     4 kB\nRssFile:\t 8 kB\nRssShmem:\t    2 kB\n";
        assert_eq!(kib_of(text, &["RssAnon:", "RssShmem:"]), 6 * 1024);
        assert_eq!(kib_of("", &["RssAnon:"]), 0);
    }
}
