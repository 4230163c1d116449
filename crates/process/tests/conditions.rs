//! The settings of programs, and errors if they cannot be applied.

mod witness;

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use tlslab_process::{Output, Program};
use witness::shell;

fn output_of(program: Program) -> String {
    let mut running = program.stdout(Output::Piped).spawn().unwrap();
    let mut output = String::new();
    running.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert!(running.wait().unwrap().success());
    output
}

fn status_line(status: &str, name: &str) -> String {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.expect("the kernel reports this line").trim().to_owned()
}

#[test]
fn it_runs_on_the_cpu_that_was_asked_for() {
    let allowed = status_line(&fs::read_to_string("/proc/self/status").unwrap(), "Cpus_allowed_list");
    let last: usize = allowed.rsplit([',', '-']).next().unwrap().parse().unwrap();
    let status = output_of(Program::new("/bin/cat").arg("/proc/self/status").cpu(last));
    assert_eq!(status_line(&status, "Cpus_allowed_list"), last.to_string());
    let status = output_of(Program::new("/bin/cat").arg("/proc/self/status"));
    assert_eq!(status_line(&status, "Cpus_allowed_list"), allowed);
}

#[test]
fn addresses_are_fixed_if_asked_for() {
    let personality = || Program::new("/bin/cat").arg("/proc/self/personality");
    let bits = |text: String| i32::from_str_radix(text.trim(), 16).unwrap();
    assert_eq!(bits(output_of(personality())) & libc::ADDR_NO_RANDOMIZE, 0);
    assert_ne!(bits(output_of(personality().fixed_addresses(true))) & libc::ADDR_NO_RANDOMIZE, 0);
    let stack = || {
        let maps = output_of(Program::new("/bin/cat").arg("/proc/self/maps").fixed_addresses(true));
        maps.lines().find(|line| line.ends_with("[stack]")).unwrap().to_owned()
    };
    assert_eq!(stack(), stack());
}

#[test]
fn it_is_as_nice_as_asked_for() {
    let niceness = output_of(Program::new("nice").env("PATH", "/usr/bin:/bin").nice(11));
    assert_eq!(niceness.trim(), "11");
}

#[test]
fn the_environment_is_what_was_given() {
    let env = || Program::new("/usr/bin/env").env("TWO", "2").env("ONE", "1");
    let mut lines: Vec<String> = output_of(env()).lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["ONE=1", "TWO=2"]);
    let inherited = output_of(env().inherit_environment());
    assert!(inherited.lines().any(|line| line.starts_with("CARGO_MANIFEST_DIR=")), "{inherited}");
    assert!(inherited.lines().any(|line| line == "ONE=1"));
}

#[test]
fn it_runs_in_the_directory_that_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    assert_eq!(output_of(shell("pwd").directory(&folder)).trim(), folder.to_str().unwrap());
}

#[test]
fn a_relative_path_is_the_labs_and_not_the_directorys() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().canonicalize().unwrap().join("script");
    fs::write(&script, "#!/bin/sh\necho found").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let here = std::env::current_dir().unwrap();
    let relative = format!(
        "{}{}",
        "../".repeat(here.components().count() - 1),
        script.strip_prefix("/").unwrap().display()
    );
    assert_eq!(output_of(Program::new(relative).directory("/")), "found\n");
}

/// As by a process that another thread has forked while the file was written, and that has not executed its
/// own program yet.
#[test]
fn a_program_whose_file_is_open_for_writing_starts_when_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "#!/bin/sh\necho found").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let writing = fs::File::options().write(true).open(&script).unwrap();
    let closer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        drop(writing);
    });
    assert_eq!(output_of(Program::new(&script)), "found\n");
    closer.join().unwrap();
}

#[test]
fn a_program_whose_file_stays_open_for_writing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "#!/bin/sh\necho found").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let _writing = fs::File::options().write(true).open(&script).unwrap();
    let error = Program::new(&script).spawn().unwrap_err().to_string();
    assert!(
        error.ends_with("Text file busy (os error 26); wait until no program writes the file"),
        "{error}"
    );
}

#[test]
fn signals_are_as_at_birth_though_the_lab_ignores_and_blocks_some() {
    // SAFETY: SIG_IGN installs no code; the set is initialised before it is used.
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGUSR1);
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
    }
    let status = output_of(Program::new("/bin/cat").arg("/proc/self/status"));
    for line in ["SigIgn", "SigBlk", "SigPnd", "ShdPnd"] {
        assert_eq!(status_line(&status, line), "0000000000000000", "{line}");
    }
}

#[test]
fn the_program_gets_the_standard_descriptors_and_no_others() {
    // SAFETY: this command takes integers. What it returns is not closed on exec.
    let inheritable = unsafe { libc::fcntl(2, libc::F_DUPFD, 20) };
    assert!(inheritable >= 20);
    let pipes = Program::new("/bin/sleep").arg("1000").stdout(Output::Piped).spawn().unwrap();
    let descriptors = output_of(shell("cd /proc/self/fd && echo *"));
    // The shell itself holds the fourth while it lists them.
    assert_eq!(descriptors.trim(), "0 1 2 3");
    drop(pipes);
    // SAFETY: this test opened it, and it has no other owner.
    unsafe { libc::close(inheritable) };
}

#[test]
fn the_keeper_holds_nothing_but_its_own_pipes() {
    let program = Program::new("/bin/sleep").arg("1000").stdout(Output::Piped).spawn().unwrap();
    let keeper = witness::parent_of(program.program_id());
    let descriptors: Vec<String> = fs::read_dir(format!("/proc/{keeper}/fd"))
        .unwrap()
        .map(|entry| fs::read_link(entry.unwrap().path()).unwrap().display().to_string())
        .collect();
    assert_eq!(descriptors.len(), 3, "{descriptors:?}");
    assert_eq!(descriptors[2], "anon_inode:[signalfd]");
    assert_eq!(fs::read_to_string(format!("/proc/{keeper}/comm")).unwrap(), "tlslab-keeper\n");
}

#[test]
fn a_terminal_that_interrupts_the_lab_reaches_neither_the_keeper_nor_the_program() {
    let program = Program::new("/bin/sleep").arg("1000").spawn().unwrap();
    let (own, keeper) = (witness::session_of(std::process::id()), witness::parent_of(program.program_id()));
    assert_ne!(witness::session_of(keeper), own);
    assert_ne!(witness::session_of(program.program_id()), own);
    assert_ne!(witness::session_of(program.program_id()), witness::session_of(keeper));
}

#[test]
fn a_program_that_cannot_start_is_named_with_the_cause_and_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    fs::write(&text, "not a program").unwrap();
    let orphan = folder.path().join("orphan");
    fs::write(&orphan, "#!/no/such/interpreter").unwrap();
    fs::set_permissions(&orphan, fs::Permissions::from_mode(0o755)).unwrap();
    let why = |program: Program| {
        let error = program.spawn().unwrap_err().to_string();
        error.replace(folder.path().to_str().unwrap(), "…")
    };
    let messages = [
        why(Program::new("/no/such")),
        why(Program::new("no-such-name").env("PATH", "/usr/bin")),
        why(Program::new(&text)),
        why(Program::new(&orphan)),
        why(shell("true").directory("/no/such")),
        why(shell("true").cpu(100_000)),
        why(shell("true").cpu(1023)),
        why(shell("true").stdout(Output::File("/no/such/log".into()))),
    ];
    assert_eq!(messages.join("\n"), MESSAGES);
}

const MESSAGES: &str = "\
cannot start `/no/such`: No such file or directory (os error 2); check the path and, for a script, the interpreter in its first line
cannot start `no-such-name`: No such file or directory (os error 2); check the path and, for a script, the interpreter in its first line
cannot start `…/text`: Permission denied (os error 13); make the file executable, and its directories accessible
cannot start `…/orphan`: No such file or directory (os error 2); check the path and, for a script, the interpreter in its first line
cannot start `/bin/sh` in `/no/such`: that is not a directory; create it, or choose another
cannot start `/bin/sh`: the kernel refuses to bind it to the CPU that was asked for: Invalid argument (os error 22); choose one of those that `nproc` and `taskset -p $$` report
cannot start `/bin/sh`: the kernel refuses to bind it to the CPU that was asked for: Invalid argument (os error 22); choose one of those that `nproc` and `taskset -p $$` report
cannot write the output of `/bin/sh` to `/no/such/log`: No such file or directory (os error 2); choose a path that can be written";
