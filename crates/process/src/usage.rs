//! What a program, and everything that it started, has had of the processors.

use std::fs;
use std::time::Duration;

use crate::supervised::Supervised;

/// Processor time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How long its threads ran, all together.
    pub running: Duration,
    /// How long they could have run and had no processor.
    pub waiting: Duration,
}

impl Usage {
    /// What came since an earlier reading. A process that has ended since takes nothing with it: then there is less.
    pub fn since(self, before: Self) -> Self {
        Self {
            running: self.running.saturating_sub(before.running),
            waiting: self.waiting.saturating_sub(before.waiting),
        }
    }
}

/// Reads how long processes have run, with one system call for each.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    processes: Vec<u32>,
}

impl Clocks {
    /// How long they have run until now, all together. One that has ended counts nothing.
    #[must_use]
    pub fn running(&self) -> Duration {
        self.processes.iter().filter_map(|process| running(*process)).sum()
    }
}

impl Supervised {
    /// The clocks of the processes that the program consists of now; those that it starts later are not among them.
    #[must_use]
    pub fn clocks(&self) -> Clocks {
        let mut processes = Vec::new();
        let mut waiting = vec![self.program_id()];
        while let (Some(process), true) = (waiting.pop(), processes.len() < MOST_PROCESSES) {
            waiting.extend(children(process));
            processes.push(process);
        }
        Clocks { processes }
    }

    /// What the program's processes have had until now, those that they have waited for included. What cannot be read counts
    /// nothing.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        let mut waiting = vec![self.program_id()];
        // A program that makes processes faster than they are counted is not followed for ever.
        for _ in 0..MOST_PROCESSES {
            let Some(process) = waiting.pop() else { break };
            usage.running += running(process).unwrap_or_default() + of_children(process).unwrap_or_default();
            usage.waiting += runnable(process);
            waiting.extend(children(process));
        }
        usage
    }
}

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

/// The processor time of processes that it started and that have ended.
fn of_children(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything; the fields after it begin with the third.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    // SAFETY: sysconf takes an integer.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Some(Duration::from_nanos(ticks * 1_000_000_000 / u64::try_from(per_second).ok()?.max(1)))
}

/// How long its threads waited for a processor.
fn runnable(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let waited = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    });
    Duration::from_nanos(waited.fold(0_u64, u64::saturating_add))
}

fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;
    use crate::program::{Input, Output, Program};

    fn usage_of(script: &str) -> Usage {
        let shell = Program::new("/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin");
        let running = shell.stdin(Input::Piped).stdout(Output::Piped).spawn().unwrap();
        let before = running.usage();
        sleep(Duration::from_millis(700));
        running.usage().since(before)
    }

    #[test]
    fn what_children_do_is_the_programs() {
        let idle = Program::new("/bin/sleep").arg("100").spawn().unwrap();
        assert!(idle.clocks().running() < Duration::from_millis(200));
        let busy = usage_of("(while :; do :; done) & wait");
        assert!(busy.running + busy.waiting > Duration::from_millis(300), "{busy:?}");
        assert!(usage_of("sleep 100").running < Duration::from_millis(200));
    }

    #[test]
    fn children_that_have_ended_count() {
        let shell = Program::new("/bin/sh").args([
            "-c",
            "sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'; echo done; sleep 100",
        ]);
        let mut running = shell.env("PATH", "/usr/bin:/bin").stdout(Output::Piped).spawn().unwrap();
        let mut first = [0];
        std::io::Read::read_exact(&mut running.stdout.take().unwrap(), &mut first).unwrap();
        assert!(running.usage().running > Duration::from_millis(20), "{:?}", running.usage());
    }

    #[test]
    fn clocks_go_on_with_each_process() {
        let shell = Program::new("/bin/sh").args(["-c", "(while :; do :; done) & echo up; wait"]);
        let mut running = shell.env("PATH", "/usr/bin:/bin").stdout(Output::Piped).spawn().unwrap();
        let mut up = [0; 3];
        std::io::Read::read_exact(running.stdout.as_mut().unwrap(), &mut up).unwrap();
        let clocks = running.clocks();
        let before = clocks.running();
        // A busy host gives it some of this time at least.
        for _ in 0..100 {
            sleep(Duration::from_millis(50));
            if clocks.running() > before + Duration::from_millis(50) {
                return;
            }
        }
        panic!("the clocks stand still: {before:?}, {:?}", clocks.running());
    }
}
