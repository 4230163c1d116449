//! The abilities of a program in a sandbox, and its descendants' end.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use tlslab_process::{Ended, Output, Program};
use tlslab_sandbox::{Bounds, Confinement, Sandbox, ended_inside};

/// A program's output on both streams, and its exit status.
fn run(program: &Program) -> (String, Ended) {
    let program = program.clone().stdout(Output::Piped).stderr(Output::Piped);
    let mut running = program.spawn().unwrap();
    let (mut stdout, mut stderr) = (running.stdout.take().unwrap(), running.stderr.take().unwrap());
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).unwrap();
        text
    });
    let mut text = String::new();
    stdout.read_to_string(&mut text).unwrap();
    let ended = running.wait_timeout(Duration::from_secs(60)).unwrap().expect("it ends");
    (text + &errors.join().unwrap(), ended)
}

fn shell(script: &str) -> Program {
    Program::new("/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin")
}

fn sandbox() -> Sandbox {
    Sandbox::find().unwrap_or_else(|reason| panic!("no sandbox: {reason}"))
}

fn inside(script: &str, confinement: &Confinement) -> String {
    run(&sandbox().enclose(&shell(script), confinement)).0
}

#[test]
fn a_program_has_its_streams_its_arguments_its_variables_and_its_status() {
    let program = Program::new("/bin/sh")
        .args(["-c", "read line; echo \"$line $1 $2 [$NAME]\"; echo oops >&2; exit 7", "sh", "a b", ""])
        .env("NAME", "x = y")
        .stdin(tlslab_process::Input::Piped);
    let sandbox = sandbox();
    let enclosed = sandbox.enclose(&program, &Confinement::new(Bounds::MEASURE));
    let mut running = enclosed.stdout(Output::Piped).stderr(Output::Piped).spawn().unwrap();
    std::io::Write::write_all(&mut running.stdin.take().unwrap(), b"hello\n").unwrap();
    let ended = running.wait_timeout(Duration::from_secs(30)).unwrap().unwrap();
    let mut text = String::new();
    running.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    running.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello a b  [x = y]\noops\n");
    assert_eq!(ended.to_string(), "exit status 7");
}

#[test]
fn only_what_is_given_is_there_and_only_what_may_be_written_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["given", "written", "kept"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("file"), name).unwrap();
    }
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let at = |name: &str| folder.path().join(name);
    let confinement = Confinement::new(Bounds::BUILD).with(at("given")).with_writable(at("written"));
    let sandbox = sandbox();
    sandbox.hand_over(&confinement).unwrap();
    let script = "cat given/file written/file kept/file; echo new > given/new; echo new > written/new; ls; id -un; ls /home /root";
    let (text, _) = run(&sandbox.enclose(&shell(script).directory(folder.path()), &confinement));
    sandbox.take_back(&confinement).unwrap();
    assert!(text.starts_with("givenwrittengiven\nwritten\nsandbox\n"), "{text}");
    assert!(text.contains("kept/file: No such file"), "{text}");
    assert!(!at("given/new").exists());
    assert_eq!(fs::read_to_string(at("written/new")).unwrap(), "new\n");
    let owner = |path: &Path| std::os::unix::fs::MetadataExt::uid(&fs::metadata(path).unwrap());
    assert_eq!(owner(&at("written/new")), owner(&at("kept")));
}

#[test]
fn nothing_of_the_system_can_be_written() {
    let script = "for place in / /usr /etc /proc/sys/kernel /dev /sys /lib; do touch $place/x 2>/dev/null && echo $place; done; \
                  for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/self/oom_score_adj; do \
                  echo -1000 2>/dev/null > $file && echo $file; done; touch /tmp/x /dev/shm/x && echo scratch";
    let confinement = Confinement::new(Bounds::BUILD);
    let text = inside(&format!("exec 2>/dev/null; {script}"), &confinement);
    assert_eq!(text, "scratch\n");
}

#[test]
fn the_only_interface_is_the_loopback_of_its_own() {
    let text = inside("cat /proc/net/dev | tail -n +3 | cut -d: -f1", &Confinement::new(Bounds::MEASURE));
    assert_eq!(text.trim(), "lo");
    let script = "perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die; \
                  my $c = IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $s->sockport) or die; print \"own\\n\"'";
    assert_eq!(inside(script, &Confinement::new(Bounds::MEASURE)), "own\n");
}

#[test]
fn calls_that_no_build_needs_are_refused() {
    // Numbers of x86-64: unshare, mount, ptrace, bpf, keyctl, perf_event_open, process_vm_readv, setns, open_by_handle_at; then clone3.
    let script = "perl -e 'for (272, 165, 101, 321, 250, 298, 310, 308, 304, 435, 0x40000000 + 39) { my $r = syscall($_, 0, 0, 0, 0, 0); \
                  print \"$_ \", ($r < 0 ? $!+0 : \"done\"), \"\\n\" }'";
    let text = inside(script, &Confinement::new(Bounds::MEASURE));
    let expected = "272 1\n165 1\n101 1\n321 1\n250 1\n298 1\n310 1\n308 1\n304 1\n435 38\n1073741863 38\n";
    if cfg!(target_arch = "x86_64") {
        assert_eq!(text, expected);
    }
    let script = "perl -MSocket -e 'for (1, 2, 10, 16, 17, 38, 40) { print \"$_ \", (socket(my $s, $_, 2, 0) ? \"yes\" : $!+0), \"\\n\" }'";
    let text = inside(script, &Confinement::new(Bounds::MEASURE));
    assert!(text.starts_with("1 yes\n2 yes\n10 yes\n16 "), "{text}");
    assert!(text.ends_with("17 1\n38 1\n40 1\n"), "{text}");
}

#[test]
fn limits_hold() {
    let bounds = Bounds { file_bytes: 4096, processes: 20, scratch_bytes: 1 << 20, ..Bounds::MEASURE };
    let confinement = Confinement::new(bounds);
    let text = inside("head -c 9000 /dev/zero > /tmp/x; wc -c < /tmp/x", &confinement);
    assert!(text.starts_with("4096\n"), "{text}");
    let text = inside(
        "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do sleep 2 & done; echo all",
        &confinement,
    );
    assert!(!text.contains("all"), "{text}");
    let script = "n=0; while [ $n -lt 300 ]; do n=$((n + 1)); head -c 4096 /dev/zero > /tmp/$n || exit 3; done; echo all";
    let text = inside(script, &Confinement::new(bounds));
    assert!(text.contains("No space left"), "{text}");
    assert!(inside("ulimit -c", &confinement).trim() == "0", "a dump of at most one byte");
}

#[test]
fn processes_of_one_sandbox_are_not_counted_in_another() {
    let confinement = || Confinement::new(Bounds { processes: 20, ..Bounds::MEASURE });
    let (sandbox, many) = (sandbox(), "n=0; while [ $n -lt 14 ]; do n=$((n + 1)); sleep 20 & done; echo all");
    let hog = sandbox.enclose(&shell(&format!("{many}; wait")), &confinement());
    let mut hog = hog.stdout(Output::Piped).spawn().unwrap();
    let mut first = [0; 4];
    hog.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    let (text, _) = run(&sandbox.enclose(&shell(many), &confinement()));
    assert_eq!(text, "all\n", "it has 20 processes of its own");
    hog.kill().unwrap();
}

#[test]
fn no_file_takes_on_the_identity_of_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // Numbers of x86-64: chmod, fchmodat2, mknod, creat, open and openat; then allowed calls.
    let script = r#"cd "$0"; cp /bin/true file; chmod 755 file; chmod 4755 file; chmod 2755 file; chmod g+s,u+s .; install -m 4755 file other
        perl -MFcntl -e 'for my $m (04755, 02755) { my ($f, $n, $d) = ("file", "new", "."); for (sub { syscall(90, $f, $m) }, sub { syscall(452, -100, $f, $m, 0) },
        sub { syscall(133, $n, 0100000 | $m, 0) }, sub { syscall(85, $n, $m) }, sub { syscall(2, $n, 0101, $m) }, sub { syscall(257, -100, $n, 0101, $m) },
        sub { syscall(257, -100, $d, 020200002, $m) }) { print "done\n" if $_->() >= 0 } }
        my ($m, $f) = (07777, "file"); print "plain\n" if syscall(2, $f, 0, $m) >= 0 and sysopen(my $h, "fresh", O_CREAT | O_WRONLY, 0755)'
        chmod 1755 . && echo sticky; find . -perm /6000"#;
    let program = shell(script).arg(folder.path().to_str().unwrap());
    let confinement = Confinement::new(Bounds::BUILD).with_writable(folder.path());
    let sandbox = sandbox();
    sandbox.hand_over(&confinement).unwrap();
    let (text, _) = run(&sandbox.enclose(&program, &confinement));
    sandbox.take_back(&confinement).unwrap();
    let text: Vec<&str> = text.lines().filter(|line| !line.contains("not permitted")).collect();
    assert_eq!(text, ["plain", "sticky"]);
}

#[test]
fn memory_belongs_to_processes_or_to_folders_that_are_counted() {
    // Numbers of x86-64: memfd_create, memfd_secret, shmget, msgget, semget, openat2.
    let script = "perl -e 'my $n = q(x); for (319, 447, 29, 68, 64, 437) { my $r = syscall($_, $_ == 319 ? $n : 0, 0, 0, 0); \
                  print \"$_ \", ($r < 0 ? $!+0 : q(done)), \"\\n\" }'";
    let text = inside(script, &Confinement::new(Bounds::MEASURE));
    if cfg!(target_arch = "x86_64") {
        assert_eq!(text, "319 38\n447 38\n29 38\n68 38\n64 38\n437 38\n");
    }
    let confinement = Confinement::new(Bounds::BUILD);
    let fills =
        "head -c 60000000 /dev/zero > /tmp/x; head -c 60000000 /dev/zero > /dev/shm/x; echo full; sleep 60";
    let sandbox = sandbox();
    let mut running = sandbox.enclose(&shell(fills), &confinement).stdout(Output::Piped).spawn().unwrap();
    let mut first = [0; 5];
    running.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert!(running.uses_more_than(110_000_000) && !running.uses_more_than(200_000_000));
}

#[test]
fn a_signal_that_ends_it_is_recognised() {
    for (signal, number) in [("KILL", 9), ("SEGV", 11)] {
        let program = shell(&format!("kill -{signal} $$; sleep 9"));
        let (_, ended) = run(&sandbox().enclose(&program, &Confinement::new(Bounds::MEASURE)));
        assert_eq!(ended_inside(ended), Ended::Signalled(number), "{ended}");
    }
}

#[test]
fn keys_that_their_owner_alone_may_read_are_lent_to_every_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    mode(folder.path(), 0o755);
    let key = folder.path().join("key");
    fs::write(&key, "secret\n").unwrap();
    mode(&key, 0o600);
    let sandbox = sandbox();
    let script = format!("cat {0}; echo more >> {0}", key.display());
    let lent = || Confinement::new(Bounds::MEASURE).with_lent(folder.path());
    for confinement in [lent(), lent()] {
        sandbox.hand_over(&confinement).unwrap();
        let (text, _) = run(&sandbox.enclose(&shell(&script), &confinement));
        assert!(text.starts_with("secret\n") && text.contains("cannot create"), "{text}");
    }
    let found = fs::metadata(&key).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o007, 0, "others read it");
    if std::os::unix::fs::MetadataExt::uid(&found) == 0 {
        let stranger = Confinement::new(Bounds::MEASURE).with(folder.path());
        let (text, _) = run(&sandbox.enclose(&shell(&script), &stranger));
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn when_it_ends_nothing_of_it_is_left() {
    let marker = format!("{}", 86_000 + std::process::id() % 900);
    let script = format!(
        "setsid sleep {marker} & (sleep {marker} &) & perl -e 'fork and exit; setpgrp; sleep {marker}' & echo started; wait"
    );
    let sandbox = sandbox();
    let enclosed = sandbox.enclose(&shell(&script), &Confinement::new(Bounds::MEASURE));
    let mut running = enclosed.stdout(Output::Piped).spawn().unwrap();
    let mut first = [0; 8];
    running.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    running.kill().unwrap();
    assert_eq!(sleeping(&marker), 0);
    let (_, ended) =
        run(&sandbox.enclose(&shell(&script.replace("; wait", "")), &Confinement::new(Bounds::MEASURE)));
    assert!(ended.success());
    assert_eq!(sleeping(&marker), 0);
}

/// How many processes of the machine have this number among their arguments.
fn sleeping(marker: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let arguments = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    arguments.filter(|line| line.split(|byte| *byte == 0).any(|word| word == marker.as_bytes())).count()
}

#[test]
fn a_library_to_load_first_gets_into_the_program_alone() {
    let program = shell("echo ${LD_PRELOAD}").env("LD_PRELOAD", "/nowhere/first.so");
    let (text, _) = run(&sandbox().enclose(&program, &Confinement::new(Bounds::MEASURE)));
    let complaints = text.lines().filter(|line| line.contains("cannot be preloaded")).count();
    assert_eq!(complaints, 1, "only the shell is told to load it: {text}");
    assert!(text.contains("\n/nowhere/first.so\n") || text.starts_with("/nowhere/first.so\n"), "{text}");
}

#[test]
fn a_runtime_that_compiles_while_it_runs_starts_without_memory_files() {
    let script = "node -e 'let x = 0; for (let n = 0; n < 1e7; n++) x += n & 3; console.log(x)'";
    assert_eq!(inside(script, &Confinement::new(Bounds::MEASURE)), "15000000\n");
}
