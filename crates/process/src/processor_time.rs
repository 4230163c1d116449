//! How much processor time a program and its descendants have used.

use std::fs;
use std::time::Duration;

use crate::supervised::Supervised;

/// The processor time of a program's processes.
#[derive(Clone, Debug, Default)]
pub struct ProcessorTime {
    processes: Vec<u32>,
}

impl ProcessorTime {
    /// How long the threads of all processes have run, with one system call for each process. One that has ended counts nothing.
    #[must_use]
    pub fn running(&self) -> Duration {
        self.processes.iter().filter_map(|process| running(*process)).sum()
    }

    /// How long these threads were ready to run and waited for a processor.
    #[must_use]
    pub fn waiting(&self) -> Duration {
        self.processes.iter().map(|process| waiting(*process)).sum()
    }
}

impl Supervised {
    /// The processor time of the program and its descendants at this moment; those started later are not included. `None` if the
    /// kernel does not report it.
    #[must_use]
    pub fn processor_time(&self) -> Option<ProcessorTime> {
        running(self.program_id())?;
        std::fs::metadata("/proc/self/schedstat").ok()?;
        Some(ProcessorTime { processes: descendants(self.program_id(), MOST_PROCESSES) })
    }
}

/// A program that starts processes faster than they are listed is not followed further.
const MOST_PROCESSES: usize = 1000;

/// The processor time of a process with all its threads, also of one that runs right now.
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

/// How long its threads waited for a processor.
fn waiting(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let waited = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    });
    Duration::from_nanos(waited.fold(0_u64, u64::saturating_add))
}

/// A process and its descendants at this moment, but no more than this many.
pub(crate) fn descendants(process: u32, most: usize) -> Vec<u32> {
    let mut processes = Vec::new();
    let mut next = vec![process];
    while let (Some(process), true) = (next.pop(), processes.len() < most) {
        next.extend(children(process));
        processes.push(process);
    }
    processes
}

/// The processes that a process has started and that have not been reaped.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;
    use crate::program::{Output, Program};

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
