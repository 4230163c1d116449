//! The processor time of a program and its descendants.

use std::fs;
use std::time::Duration;

use crate::descendants::descendants;
use crate::supervised::Supervised;

/// The processor time of a program's processes: of running ones, and of ended ones that were waited for.
#[derive(Clone, Debug, Default)]
pub struct ProcessorTime {
    keeper: u32,
}

impl ProcessorTime {
    /// How long the threads of all processes have run. For a process that was waited for, the kernel reports
    /// this in steps of 10 ms; for one whose parent ignores the end of its children, not at all.
    #[must_use]
    pub fn running(&self) -> Duration {
        let processes = descendants(self.keeper, MOST_PROCESSES);
        processes.iter().map(|process| running(*process).unwrap_or_default() + ended(*process)).sum()
    }

    /// How long the threads of running ones were ready to run and waited for a processor.
    #[must_use]
    pub fn waiting(&self) -> Duration {
        descendants(self.keeper, MOST_PROCESSES).iter().map(|process| waiting(*process)).sum()
    }
}

/// How long the threads of the lab itself were ready to run and waited for a processor; zero if the kernel
/// does not report it.
#[must_use]
pub fn lab_waiting() -> Duration {
    waiting(std::process::id())
}

impl Supervised {
    /// The processor time of the program and its descendants at any time. `None` if the kernel does not
    /// report it.
    #[must_use]
    pub fn processor_time(&self) -> Option<ProcessorTime> {
        running(self.program_id())?;
        std::fs::metadata("/proc/self/schedstat").ok()?;
        Some(ProcessorTime { keeper: self.keeper_id().unsigned_abs() })
    }
}

/// A program that starts processes faster than they are listed is not followed further.
const MOST_PROCESSES: usize = 1000;

/// The processor time of a process with all its threads, also of a running one.
fn running(process: u32) -> Option<Duration> {
    let mut clock: libc::clockid_t = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls write to what they are given alone, and it lives until they return.
    let is_read = unsafe {
        libc::clock_getcpuclockid(process as libc::pid_t, &raw mut clock) == 0
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    is_read.then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32))
}

/// The processor time of all children that a process has waited for.
fn ended(process: u32) -> Duration {
    let text = fs::read(format!("/proc/{process}/stat")).unwrap_or_default();
    Duration::from_millis(ended_ticks(&text).saturating_mul(MS_PER_TICK))
}

/// `id (name) state …`, where the name may hold spaces and parentheses; user and system time of children are
/// fields 16 and 17.
fn ended_ticks(stat: &[u8]) -> u64 {
    let after_name = stat.iter().rposition(|byte| *byte == b')').map_or(stat.len(), |close| close + 1);
    let text = String::from_utf8_lossy(&stat[after_name..]);
    let times = text.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok());
    times.fold(0, u64::saturating_add)
}

/// Linux reports times in hundredths of a second, regardless of its own ticks.
const MS_PER_TICK: u64 = 10;

/// How long its threads waited for a processor.
fn waiting(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let waited = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    });
    Duration::from_nanos(waited.fold(0_u64, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;
    use crate::program::{Input, Output, Program};

    #[test]
    fn descendants_are_included() {
        let shell = Program::new("/bin/sh").args(["-c", "(while :; do :; done) & echo up; wait"]);
        let mut running = shell.env("PATH", "/usr/bin:/bin").stdout(Output::Piped).spawn().unwrap();
        let mut up = [0; 3];
        std::io::Read::read_exact(running.stdout.as_mut().unwrap(), &mut up).unwrap();
        let time = running.processor_time().unwrap();
        let before = time.running();
        // On a busy host it gets a part of this time.
        let deadline = Instant::now() + Duration::from_secs(10);
        while time.running() < before + Duration::from_millis(50) {
            assert!(Instant::now() < deadline, "{before:?}, then {:?}", time.running());
            sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn what_has_ended_and_what_comes_later_is_included() {
        let burn = "perl -e 'my $end = times + 0.2; 1 while times < $end'";
        let shell = Program::new("/bin/sh").args(["-c", &format!("read go; {burn}; echo done; read go")]);
        let shell = shell.env("PATH", "/usr/bin:/bin").stdin(Input::Piped).stdout(Output::Piped);
        let mut running = shell.spawn().unwrap();
        let time = running.processor_time().unwrap();
        let before = time.running();
        let stdin = running.stdin.as_mut().unwrap();
        std::io::Write::write_all(stdin, b"\n").unwrap();
        let mut said = [0; 5];
        std::io::Read::read_exact(running.stdout.as_mut().unwrap(), &mut said).unwrap();
        assert!(time.running() >= before + Duration::from_millis(190), "{before:?}, {:?}", time.running());
    }

    #[test]
    fn the_times_of_children_are_read_behind_any_name() {
        let text = b"42 (a) S 1 (b) T 7 6 5 0 -1 4194304 1 2 3 4 5 6 70 8 20 0 1 0 98765 11 12 13\n";
        assert_eq!(ended_ticks(text), 78);
        assert_eq!(ended_ticks(b""), 0);
        assert_eq!(ended_ticks(b"42 (a) S"), 0);
    }

    #[test]
    fn a_sleeping_program_neither_runs_nor_waits() {
        let idle = Program::new("/bin/sleep").arg("100").spawn().unwrap();
        let state = format!("/proc/{}/stat", idle.program_id());
        let deadline = Instant::now() + Duration::from_secs(10);
        while !fs::read_to_string(&state).unwrap().contains("(sleep) S ") {
            assert!(Instant::now() < deadline, "it does not sleep");
            sleep(Duration::from_millis(5));
        }
        let time = idle.processor_time().unwrap();
        let (running, waiting) = (time.running(), time.waiting());
        sleep(Duration::from_millis(300));
        assert!(time.running() - running < Duration::from_millis(100));
        assert!(time.waiting() - waiting < Duration::from_millis(100));
    }
}
