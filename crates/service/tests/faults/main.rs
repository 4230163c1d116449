//! Faults of every kind: kill -9, networks that are cut or lose packets, full disks, clocks that are stepped,
//! stopped processes, credentials that expire while git fetches. Every job ends once, nothing is lost,
//! doubled or orphaned, and no fault is attributed to the measured code.
//!
//! The service runs on PostgreSQL. Each of three runners has its own network namespace, disk and clock, and
//! reaches the service over HTTPS. `TLSLAB_FAULTS` is the number of faults, `TLSLAB_FAULT_SEED` their seed;
//! `make faults` runs it.

#[path = "../kills/author.rs"]
mod author;
#[path = "../kills/checks.rs"]
mod checks;
mod clock;
mod credential;
#[path = "../kills/dice.rs"]
mod dice;
mod disk;
#[path = "../kills/forge.rs"]
mod forge;
mod kinds;
mod lab;
mod leftovers;
mod network;
#[path = "../kills/place.rs"]
mod place;
mod proxy;
mod run;
mod stale;
#[path = "../support/mod.rs"]
mod support;
mod target;
mod world;

use std::str::FromStr;
use std::time::{Duration, Instant};

use tlslab_testing::postgres::Server;

use author::Author;
use forge::Forge;
use kinds::{Faults, MORE_MS, PAUSE_MS};
use world::World;

const FAULTS: usize = 20;
/// How long the notices may take at the end: an address that did not answer is left alone for a minute.
const NOTICES: Duration = Duration::from_secs(150);
/// Fewer faults have as many jobs.
const FEWEST_JOBS: usize = 40;

#[test]
#[ignore = "makes network namespaces and mounts as root; run it with `make faults`"]
fn faults_of_every_kind() {
    require_root();
    let faults: usize = from_environment("TLSLAB_FAULTS").unwrap_or(FAULTS);
    let seed: u64 = from_environment("TLSLAB_FAULT_SEED").unwrap_or_else(rand::random);
    eprintln!(
        "again with TLSLAB_FAULTS={faults} TLSLAB_FAULT_SEED={seed}; what is hit depends on the machine, too"
    );
    stale::remove();
    let folder = stale::folder();
    let wrong = play(folder.path(), faults, seed);
    if !wrong.is_empty() {
        let kept = folder.keep();
        panic!(
            "seed {seed}, logs in {}: {} things are wrong:\n{}",
            kept.display(),
            wrong.len(),
            wrong.join("\n")
        );
    }
}

/// Not a test: the test starts this program again as a runner.
#[test]
fn runner_process() {
    place::be_runner();
}

/// Not a test: runners start this program again as the lab.
#[test]
fn lab_process() {
    lab::be_lab();
}

/// Not a test: the test starts this program again to see its clock.
#[test]
fn clock_process() {
    clock::show();
}

fn from_environment<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// An ordinary user can make neither namespaces nor mounts. That is an error, never a test that passes.
fn require_root() {
    // SAFETY: it reads a number of this process.
    let user = unsafe { libc::geteuid() };
    assert_eq!(user, 0, "network namespaces and mounts need root; run `sudo make faults`");
    let has_ip = std::process::Command::new("ip").arg("-V").output().is_ok();
    assert!(has_ip, "`ip` is missing; ./setup faults installs it (the package iproute2)");
}

/// Errors of the notices, after the time in which a service looks for events and sends waiting messages.
fn told(world: &World) -> Vec<String> {
    let deadline = Instant::now() + NOTICES;
    loop {
        let wrong = world.target.wrong(world::RUNNERS);
        if wrong.is_empty() || Instant::now() > deadline {
            return wrong;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn play(folder: &std::path::Path, faults: usize, seed: u64) -> Vec<String> {
    // Some change a pull request before it was measured, and make no job.
    let jobs = faults.max(FEWEST_JOBS) * 11 / 10;
    let forge = Forge::start(seed ^ 1);
    let server = Server::shared(false).expect("a server");
    let mut world = World::start(folder, &forge.api(), server);
    let mut author = Author::new(&world, &forge, seed ^ 2);
    let begun = Instant::now();
    let pause_ms = faults as u64 * (PAUSE_MS + MORE_MS / 2) / jobs as u64;
    let (made, loses_by) = std::thread::scope(|scope| {
        let sending = scope.spawn(|| author.send(jobs, pause_ms));
        let mut faulty = Faults::new(&mut world, seed ^ 3);
        faulty.make(faults);
        let made = (faulty.made, faulty.loses_by);
        sending.join().unwrap();
        made
    });
    let faulty_s = begun.elapsed().as_secs_f64();
    forge.kept().is_calm = true;
    checks::wait_for_quiet(&world, Duration::from_secs(60 + 2 * jobs as u64));
    let mut wrong = leftovers::last_jobs(&mut world);
    wrong.extend(leftovers::files(folder));
    wrong.extend(credential::wrong(folder));
    checks::wait_for_quiet(&world, Duration::from_secs(60));
    let (figures, of_jobs) = checks::check(&world, &forge, &author);
    let (runs, of_history) = leftovers::history(&world);
    wrong.extend(of_jobs.into_iter().chain(of_history).chain(leftovers::rows(&world)));
    wrong.extend(told(&world));
    wrong.append(&mut world.ended);
    if !world.service.ends_within(Duration::from_secs(15)) {
        wrong.push("the service has not ended 15 s after SIGTERM".to_owned());
    }
    let connections = world.proxy.connections();
    wrong.extend(world.stop().into_iter().map(|process| format!("{process} is left")));
    drop(world);
    wrong.extend(network::left().into_iter().chain(disk::left()).map(|name| format!("{name} is left")));
    let made: Vec<String> = made.iter().map(|(kind, number)| format!("{number} {kind:?}")).collect();
    eprintln!(
        "{faults} faults in {faulty_s:.0} s, all over after {:.0} s, seed {seed}: {}; packets are lost by {loses_by}",
        begun.elapsed().as_secs_f64(),
        made.join(", ")
    );
    eprintln!(
        "{figures}; {runs} runs in the history; {connections} TLS connections; {} things are wrong",
        wrong.len()
    );
    wrong
}
