//! How programs end, and that none of their descendants is left then.

mod witness;

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tlslab_process::{Ended, Input, Output, ProcessError, Program};
use witness::{Sleepers, eventually, is_alive, parent_of, shell};

#[test]
fn an_exit_status_passes_through() {
    for status in [0, 3, 255] {
        let mut program = shell(&format!("exit {status}")).spawn().unwrap();
        assert_eq!(program.wait().unwrap(), Ended::Exited(status));
        assert_eq!(program.left_behind(), 0);
    }
}

#[test]
fn a_death_by_signal_passes_through() {
    for signal in [libc::SIGSEGV, libc::SIGTERM, libc::SIGKILL, libc::SIGPIPE] {
        let mut program = shell(&format!("ulimit -c 0; kill -{signal} $$")).spawn().unwrap();
        assert_eq!(program.wait().unwrap(), Ended::Signalled(signal));
    }
}

#[test]
fn a_conversation_over_pipes_comes_to_its_end() {
    let mut program = Program::new("cat")
        .env("PATH", "/usr/bin:/bin")
        .stdin(Input::Piped)
        .stdout(Output::Piped)
        .stderr(Output::Piped)
        .spawn()
        .unwrap();
    let mut stdin = program.stdin.take().unwrap();
    let mut stdout = BufReader::new(program.stdout.take().unwrap());
    for line in ["hello\n", "again\n"] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, line);
    }
    assert_eq!(program.wait_timeout(Duration::from_millis(20)).unwrap(), None);
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    program.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(program.wait().unwrap(), Ended::Exited(0));
}

#[test]
fn the_end_of_output_is_seen_while_the_program_runs() {
    let mut program = shell("echo done; exec >&-; exec sleep 1000").spawn().unwrap();
    let mut output = String::new();
    program.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert_eq!(output, "done\n");
    assert_eq!(program.wait_timeout(Duration::ZERO).unwrap(), None);
}

#[test]
fn wait_closes_standard_input() {
    let mut program = Program::new("/bin/cat").stdin(Input::Piped).spawn().unwrap();
    assert_eq!(program.wait().unwrap(), Ended::Exited(0));
}

#[test]
fn the_program_id_is_the_programs_own() {
    let mut program = shell("echo $$").spawn().unwrap();
    let mut output = String::new();
    program.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert_eq!(output.trim(), program.program_id().to_string());
}

#[test]
fn dropping_kills_the_program_and_its_children() {
    let sleepers = Sleepers::new();
    let seconds = &sleepers.seconds;
    let program = shell(&format!("sleep {seconds} & setsid sleep {seconds} & wait")).spawn().unwrap();
    sleepers.wait_for(2);
    let keeper = parent_of(program.program_id());
    drop(program);
    sleepers.assert_gone();
    assert!(!is_alive(keeper));
}

#[test]
fn killing_twice_tells_the_same() {
    let mut program = Program::new("/bin/sleep").arg("1000").spawn().unwrap();
    for _ in 0..2 {
        assert_eq!(program.kill().unwrap(), Ended::Signalled(libc::SIGKILL));
        assert_eq!(program.wait().unwrap(), Ended::Signalled(libc::SIGKILL));
    }
}

#[test]
fn killing_what_has_ended_tells_how_it_ended() {
    let mut program = shell("exit 7").spawn().unwrap();
    eventually("the program to end", || !is_alive(program.program_id()));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(program.kill().unwrap(), Ended::Exited(7));
}

#[test]
fn waiting_has_a_limit() {
    let mut program = Program::new("/bin/sleep").arg("1000").spawn().unwrap();
    let begin = Instant::now();
    assert_eq!(program.wait_timeout(Duration::from_millis(100)).unwrap(), None);
    assert!(begin.elapsed() >= Duration::from_millis(100));
    assert!(is_alive(program.program_id()));
    let mut quick = shell("exit 0").spawn().unwrap();
    assert_eq!(quick.wait_timeout(Duration::MAX).unwrap(), Some(Ended::Exited(0)));
}

#[test]
fn daemons_are_killed_and_counted_before_the_end_is_reported() {
    let sleepers = Sleepers::new();
    let seconds = &sleepers.seconds;
    let script = format!("setsid sleep {seconds} & setsid sleep {seconds} & exit 5");
    let mut program = shell(&script).spawn().unwrap();
    assert_eq!(program.wait().unwrap(), Ended::Exited(5));
    sleepers.assert_gone();
    assert_eq!(program.left_behind(), 2);
}

#[test]
fn whole_families_of_daemons_are_killed_and_counted() {
    let sleepers = Sleepers::new();
    let seconds = &sleepers.seconds;
    let inner = format!("trap \"\" TERM HUP INT; setsid -f sleep {seconds}; sleep {seconds}; true");
    let script = format!("setsid -f sh -c '{inner}'; setsid -f sh -c '{inner}'");
    let mut program = shell(&format!("{script}; exec sleep {seconds}")).spawn().unwrap();
    sleepers.wait_for(5);
    // SAFETY: kill takes integers; no process has reaped the program, so the id is its own.
    unsafe { libc::kill(program.program_id() as i32, libc::SIGTERM) };
    assert_eq!(program.wait().unwrap(), Ended::Signalled(libc::SIGTERM));
    sleepers.assert_gone();
    assert_eq!(program.left_behind(), 6, "two shells with two sleepers each");
}

#[test]
fn children_that_are_about_to_end_are_not_left_behind() {
    let mut program = shell("sleep 0.01 & exit 0").spawn().unwrap();
    assert_eq!(program.wait().unwrap(), Ended::Exited(0));
    assert_eq!(program.left_behind(), 0);
}

#[test]
fn a_program_that_never_stops_forking_is_outrun() {
    let sleepers = Sleepers::new();
    let script = "while :; do setsid sleep S & i=$((i + 1)); [ $i = 100 ] && echo many; done";
    let mut program = shell(&script.replace('S', &sleepers.seconds)).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(program.kill().unwrap(), Ended::Signalled(libc::SIGKILL));
    sleepers.assert_gone();
    assert_eq!(program.left_behind(), 0, "what the lab kills was not left behind");
}

#[test]
fn a_stopped_program_is_killed() {
    let mut program = shell("kill -STOP $$").spawn().unwrap();
    assert_eq!(program.wait_timeout(Duration::from_millis(50)).unwrap(), None);
    assert_eq!(program.kill().unwrap(), Ended::Signalled(libc::SIGKILL));
}

#[test]
fn a_program_that_kills_its_group_does_not_hit_its_keeper() {
    let mut program = shell("kill -KILL 0").spawn().unwrap();
    assert_eq!(program.wait().unwrap(), Ended::Signalled(libc::SIGKILL));
}

#[test]
fn a_step_writes_both_streams_to_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let never = AtomicBool::new(false);
    for status in [0, 4] {
        let step = shell(&format!("echo out; echo err >&2; exit {status}"));
        assert_eq!(step.run_to_log(&log, None, &never).unwrap(), Ended::Exited(status));
    }
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "out\nerr\nout\nerr\n");
}

#[test]
fn a_step_is_killed_when_its_time_is_up() {
    let sleepers = Sleepers::new();
    let folder = tempfile::tempdir().unwrap();
    let script = format!("setsid sleep {0} & sleep {0}", sleepers.seconds);
    let timeout = Some(Duration::from_millis(120));
    let never = AtomicBool::new(false);
    let error = shell(&script).run_to_log(&folder.path().join("log"), timeout, &never).unwrap_err();
    assert!(matches!(error, ProcessError::TimedOut { .. }), "{error}");
    sleepers.assert_gone();
}

#[test]
fn a_step_is_killed_when_it_is_cancelled() {
    let sleepers = Sleepers::new();
    let folder = tempfile::tempdir().unwrap();
    let script = format!("setsid sleep {0} & sleep {0}", sleepers.seconds);
    let cancel = AtomicBool::new(false);
    let begin = std::thread::scope(|scope| {
        let step =
            scope.spawn(|| shell(&script).run_to_log(&folder.path().join("log"), None, &cancel).unwrap_err());
        sleepers.wait_for(2);
        cancel.store(true, Ordering::Relaxed);
        let begin = Instant::now();
        let error = step.join().unwrap();
        assert!(matches!(error, ProcessError::Cancelled { .. }), "{error}");
        begin
    });
    assert!(begin.elapsed() < Duration::from_secs(2));
    sleepers.assert_gone();
}

#[test]
fn many_at_once_all_end() {
    let sleepers = Sleepers::new();
    std::thread::scope(|scope| {
        for thread in 0..5 {
            let seconds = &sleepers.seconds;
            scope.spawn(move || {
                for round in 0..3 {
                    let status = thread * 3 + round;
                    let script = format!("cat; setsid sleep {seconds} & exit {status}");
                    let mut program = shell(&script).stdin(Input::Piped).spawn().unwrap();
                    program.stdin.take().unwrap().write_all(b"round trip").unwrap();
                    let mut output = String::new();
                    program.stdout.take().unwrap().read_to_string(&mut output).unwrap();
                    assert_eq!(output, "round trip");
                    assert_eq!(program.wait().unwrap(), Ended::Exited(status));
                    assert_eq!(program.left_behind(), 1);
                }
            });
        }
    });
    sleepers.assert_gone();
}
