//! A keeper is killed. The lab inherits its processes, and ends them.

mod witness;

use std::process::Command;
use std::time::Duration;

use tlslab_process::ProcessError;
use witness::{Sleepers, eventually, is_alive, parent_of, shell};

#[test]
fn the_program_dies_with_its_keeper_and_the_lab_kills_its_daemons() {
    let (sleepers, others) = (Sleepers::new(), Sleepers::new());
    let daemons = |sleepers: &Sleepers| {
        let script = "setsid -f sleep S; setsid -f sh -c 'setsid -f sleep S; sleep S; true'; sleep S; true";
        let program = shell(&script.replace('S', &sleepers.seconds)).spawn().unwrap();
        sleepers.wait_for(4);
        program
    };
    let mut program = daemons(&sleepers);
    let mut other = daemons(&others);
    // An ordinary child process of the lab is not mistaken for an orphan.
    let bystanders = Sleepers::new();
    let mut bystander = Command::new("sleep").arg(&bystanders.seconds).spawn().unwrap();

    kill(parent_of(program.program_id()), libc::SIGKILL);
    eventually("the program to die with its keeper", || !is_alive(program.program_id()));
    for _ in 0..2 {
        let error = program.wait().unwrap_err();
        assert!(matches!(error, ProcessError::KeeperLost { .. }), "{error}");
    }
    sleepers.assert_gone();

    assert_eq!(other.wait_timeout(Duration::ZERO).unwrap(), None, "another keeper's program lives on");
    assert_eq!(others.asleep(), 4);
    assert!(is_alive(bystander.id()));
    bystander.kill().unwrap();
    bystander.wait().unwrap();
    drop(other);
    others.assert_gone();
}

#[test]
fn a_keeper_that_was_stopped_still_does_its_work() {
    let sleepers = Sleepers::new();
    let mut program = shell(&format!("setsid sleep {0} & exec sleep {0}", sleepers.seconds)).spawn().unwrap();
    sleepers.wait_for(2);
    kill(parent_of(program.program_id()), libc::SIGSTOP);
    program.kill().unwrap();
    sleepers.assert_gone();
}

fn kill(id: u32, signal: i32) {
    // SAFETY: kill takes integers; the id is that of a keeper that has not been reaped.
    assert_eq!(unsafe { libc::kill(id as i32, signal) }, 0);
}
