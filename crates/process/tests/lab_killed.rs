//! The lab itself is killed, and nothing is left of it, of its keepers or of their programs.
//!
//! The lab is this test program, started once more with another role.

mod witness;

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use tlslab_process::adopt_orphans;
use witness::{Sleepers, eventually, is_alive, parent_of, shell};

#[test]
fn nothing_outlives_a_lab_that_is_killed() {
    // The keepers come to this process when their lab is gone, or their zombies would be init's to reap.
    adopt_orphans().unwrap();
    for signal in [libc::SIGKILL, libc::SIGINT] {
        let sleepers = Sleepers::new();
        let mut lab = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "as_the_lab", "--nocapture"])
            .env(ROLE, &sleepers.seconds)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(lab.stdout.take().unwrap()).lines();
        let keepers: Vec<u32> = lines
            .map_while(|line| {
                let line = line.unwrap();
                (!line.ends_with("ready")).then_some(line)
            })
            .filter_map(|line| line.rsplit_once("keeper ")?.1.parse().ok())
            .collect();
        assert_eq!(keepers.len(), PROGRAMS);
        assert!(keepers.iter().all(|keeper| is_alive(*keeper)));
        assert_eq!(sleepers.alive().len(), PROGRAMS * 4);

        // SAFETY: kill takes integers; the lab is this process's child and has not been reaped.
        assert_eq!(unsafe { libc::kill(lab.id() as i32, signal) }, 0);
        assert_eq!(lab.wait().unwrap().signal(), Some(signal));
        sleepers.wait_until_gone();
        eventually("the keepers to be gone", || !keepers.iter().any(|keeper| is_alive(*keeper)));
    }
}

#[test]
fn as_the_lab() {
    let Ok(seconds) = std::env::var(ROLE) else { return };
    let sleepers = Sleepers { seconds };
    let script = "setsid sleep S & setsid -f sh -c 'sleep S; true'; exec sleep S";
    let script = script.replace('S', &sleepers.seconds);
    let programs: Vec<_> = (0..PROGRAMS).map(|_| shell(&script).spawn().unwrap()).collect();
    sleepers.wait_for(PROGRAMS * 4);
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
