//! A driver in a sandbox that is killed from outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tlslab_measure::{DriverFailure, DriverProgram, Launch, Launcher};
use tlslab_process::Ended;
use tlslab_protocol::Request;
use tlslab_sandbox::Sandbox;

/// The outcome of a request to a driver that is this script.
fn ask_script(script: &str, meanwhile: impl FnOnce() + Send + 'static) -> DriverFailure {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let driver = folder.path().join("driver");
    fs::write(&driver, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&driver, fs::Permissions::from_mode(0o755)).unwrap();
    let launcher = Launcher {
        cpu: None,
        cpus: vec![],
        directory: folder.path().to_owned(),
        cancel: Arc::new(AtomicBool::new(false)),
        programs: Arc::default(),
        sandbox: Some(Arc::new(Sandbox::find().unwrap())),
        trusted: None,
        shown: vec![],
        memory_bytes: u64::MAX,
    };
    let environment = Default::default();
    let program = DriverProgram {
        path: &driver,
        environment: &environment,
        preload: None,
        counter: None,
        moves: false,
        placement: None,
        described: None,
    };
    let mut talk = launcher.launch(program).unwrap();
    let other = std::thread::spawn(meanwhile);
    let failure = talk.ask(&Request::Calibrate {}, Duration::from_secs(30)).expect_err("it does not answer");
    other.join().unwrap();
    failure
}

/// The children of a process.
fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}

/// Whether this process or a descendant has this among its arguments.
fn has(process: u32, word: &str) -> bool {
    let line = fs::read(Path::new("/proc").join(process.to_string()).join("cmdline")).unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0);
    words.any(|known| known == word.as_bytes()) || children(process).into_iter().any(|child| has(child, word))
}

#[test]
fn a_signal_may_be_chance_as_it_may_be_outside() {
    for (signal, number) in [("KILL", 9), ("SEGV", 11)] {
        let failure = ask_script(&format!("read line; kill -{signal} $$"), || {});
        let is_it =
            matches!(failure, DriverFailure::Ended { ended: Ended::Signalled(found), .. } if found == number);
        assert!(is_it && failure.may_be_chance(), "{failure}");
    }
    let failure = ask_script("read line; exit 3", || {});
    assert!(!failure.may_be_chance() && failure.to_string().contains("exit status 3"), "{failure}");
}

#[test]
fn a_keeper_that_is_killed_may_be_chance() {
    let failure = ask_script("exec sleep 86399", || {
        let deadline = Instant::now() + Duration::from_secs(20);
        let keeper = loop {
            let mut all = children(std::process::id()).into_iter();
            if let Some(keeper) = all.find(|child| has(*child, "86399")) {
                break keeper;
            }
            assert!(Instant::now() < deadline, "it does not sleep");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(Command::new("kill").args(["-KILL", &keeper.to_string()]).status().unwrap().success());
    });
    assert!(matches!(failure, DriverFailure::KeeperLost { .. }) && failure.may_be_chance(), "{failure}");
}
