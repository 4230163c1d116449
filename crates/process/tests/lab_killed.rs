//! The lab itself is killed, and neither its keepers nor their programs are left.
//!
//! The lab is this test program, started once more with another role.

mod witness;

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use tlslab_process::adopt_orphans;
use witness::{Sleepers, eventually, is_alive, parent_of, shell};

#[test]
fn nothing_outlives_a_lab_that_is_killed() {
    // The keepers become this process's children when their lab is gone, or their zombies would be init's to
    // reap.
    adopt_orphans().unwrap();
    for signal in [libc::SIGKILL, libc::SIGINT] {
        let sleepers = Sleepers::new();
        let lab = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "as_the_lab", "--nocapture"])
            .env(ROLE, &sleepers.seconds)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lab = Lab(lab);
        let lines = BufReader::new(lab.0.stdout.take().unwrap()).lines();
        let keepers: Vec<u32> = lines
            .map_while(|line| {
                let line = line.unwrap();
                (!line.ends_with("ready")).then_some(line)
            })
            .filter_map(|line| line.rsplit_once("keeper ")?.1.parse().ok())
            .collect();
        assert_eq!(keepers.len(), PROGRAMS);
        assert!(keepers.iter().all(|keeper| is_alive(*keeper)));
        assert_eq!(sleepers.asleep(), PROGRAMS * 3);

        // SAFETY: kill takes integers; the lab is this process's child and has not been reaped.
        assert_eq!(unsafe { libc::kill(lab.0.id() as i32, signal) }, 0);
        assert_eq!(lab.0.wait().unwrap().signal(), Some(signal));
        sleepers.wait_until_gone();
        for keeper in keepers {
            // SAFETY: no status is asked for.
            eventually("the keepers to end", || unsafe {
                libc::waitpid(keeper as i32, std::ptr::null_mut(), libc::WNOHANG) == keeper as i32
            });
        }
    }
}

/// Dropping this kills the lab, so that a failing test leaves no process either.
struct Lab(Child);

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn as_the_lab() {
    let Ok(seconds) = std::env::var(ROLE) else { return };
    // A shell's background job ignores Ctrl-C, and its children inherit that. SAFETY: the default action is
    // not a function that could be called at a bad time.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
    let sleepers = Sleepers { seconds };
    let script = "setsid sleep S & setsid -f sh -c 'sleep S; true'; exec sleep S";
    let script = script.replace('S', &sleepers.seconds);
    let programs: Vec<_> = (0..PROGRAMS).map(|_| shell(&script).spawn().unwrap()).collect();
    sleepers.wait_for(PROGRAMS * 3);
    for program in &programs {
        println!("\nkeeper {}", parent_of(program.program_id()));
    }
    println!("\nready");
    loop {
        std::thread::park();
    }
}

const ROLE: &str = "TLSLAB_TEST_SLEEPERS";
const PROGRAMS: usize = 3;
