//! Observes live processes from outside, through `/proc`.
#![allow(dead_code, reason = "each test program uses a part")]

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tlslab_process::{Output, Program};

/// Sleepers of one test: each test's sleep for a time of their own, which is in their command line. Dropping
/// this kills the remaining ones, so that a failing test leaves no process either.
pub(crate) struct Sleepers {
    pub seconds: String,
}

impl Sleepers {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { seconds: format!("1000.{}0{number}", std::process::id()) }
    }

    /// Those that sleep by now: not the shells and `setsid`s before them.
    pub(crate) fn asleep(&self) -> usize {
        let command_line = format!("sleep\0{}\0", self.seconds);
        processes().filter(|id| is_alive(*id) && arguments(*id) == command_line).count()
    }

    pub(crate) fn wait_for(&self, count: usize) {
        eventually(&format!("{count} sleepers"), || self.asleep() == count);
    }

    pub(crate) fn wait_until_gone(&self) {
        eventually("all sleepers to be gone", || self.alive().is_empty());
    }

    pub(crate) fn assert_gone(&self) {
        assert_eq!(self.alive(), [] as [u32; 0], "sleepers are left");
    }

    /// Every process with the number in its command line, shells included.
    fn alive(&self) -> Vec<u32> {
        processes().filter(|id| is_alive(*id) && arguments(*id).contains(&self.seconds)).collect()
    }
}

impl Drop for Sleepers {
    fn drop(&mut self) {
        for id in self.alive() {
            // SAFETY: kill takes integers; the process has this test's own number in its command line.
            unsafe { libc::kill(id as i32, libc::SIGKILL) };
        }
    }
}

/// A shell script with a usual `PATH`, its output piped.
pub(crate) fn shell(script: &str) -> Program {
    Program::new("/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin").stdout(Output::Piped)
}

pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn is_alive(id: u32) -> bool {
    stat_field(id, 0).is_some_and(|state| state != "Z" && state != "X")
}

pub(crate) fn parent_of(id: u32) -> u32 {
    stat_field(id, 1).expect("the process is alive").parse().expect("a parent is a number")
}

pub(crate) fn session_of(id: u32) -> u32 {
    stat_field(id, 3).expect("the process is alive").parse().expect("a session is a number")
}

pub(crate) fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("/proc is mounted");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn arguments(id: u32) -> String {
    String::from_utf8_lossy(&fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default()).into_owned()
}

/// The fields after the name: the state is 0, the parent 1.
fn stat_field(id: u32, field: usize) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    text.rsplit_once(") ")?.1.split(' ').nth(field).map(str::to_owned)
}
