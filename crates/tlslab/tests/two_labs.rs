//! Two labs that carry out the same jobs over one database on a server, and that are killed at random: no run
//! is lost, none is doubled, and none is measured by two at once.

mod support;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::tlslab;
use tlslab_store::Address;
use tlslab_testing::postgres::Server;

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const ROUNDS: u32 = 4;

/// The outcome of an attempt at a job.
#[derive(Debug, PartialEq)]
enum Try {
    Done,
    Killed,
    /// Another process measures it, or has just taken it.
    Elsewhere,
}

/// A generator of numbers that are sufficiently random here.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn tried(store: &str, out: &Path, id: &str, killed_after: Option<Duration>) -> Try {
    let request = json!({
        "kind": "run", "stacks": ["rustls/ring"], "scenarios": [HANDSHAKE], "budget_s": 0.6, "rounds": ROUNDS,
    });
    let text = json!({ "id": id, "trust": "owner", "request": request }).to_string();
    let mut command = tlslab();
    command.args(["work", "--store", store, "--out"]).arg(out);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut lab = command.spawn().unwrap();
    lab.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    if let Some(after) = killed_after {
        std::thread::sleep(after);
        lab.kill().unwrap();
    }
    let output = lab.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let last =
        text.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap_or_default();
    match (last["status"].as_str(), last["error"]["kind"].as_str()) {
        (Some("done"), _) => Try::Done,
        (Some("failed"), Some("unavailable" | "refused")) => Try::Elsewhere,
        _ if output.status.code().is_none() => Try::Killed,
        other => panic!("{id}: {other:?}: {last}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

fn two_labs(runs: usize, seed: u64) {
    support::driver("rustls/ring");
    let server = Server::shared(false).expect("a server");
    let store = server.new_database().unwrap();
    let out = tempfile::tempdir().unwrap();
    drop(tlslab_store::open(&Address::Postgres(store.clone())).unwrap());
    let jobs: Vec<String> = (0..runs).map(|number| format!("job-{number}")).collect();
    let kills = Mutex::new(0_usize);
    let deadline = Instant::now() + Duration::from_secs(60 + 30 * runs as u64);
    let lab = |which: u64| {
        let mut dice = Dice(seed.wrapping_mul(31).wrapping_add(which));
        let mut left: BTreeSet<&String> = jobs.iter().collect();
        while !left.is_empty() {
            assert!(Instant::now() < deadline, "lab {which} still has {left:?}");
            let at = dice.roll(left.len() as u64) as usize;
            let id = *left.iter().nth(at).unwrap();
            // Twice as many kills as runs.
            let is_killed = dice.roll(2) == 0;
            let after = Duration::from_millis(40 + dice.roll(1_600));
            match tried(&store, out.path(), id, is_killed.then_some(after)) {
                Try::Done => _ = left.remove(id),
                Try::Killed => *kills.lock().unwrap() += 1,
                Try::Elsewhere => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    };
    std::thread::scope(|scope| {
        let labs = [1, 2].map(|which| {
            scope.spawn({
                let lab = &lab;
                move || lab(which)
            })
        });
        for lab in labs {
            lab.join().unwrap();
        }
    });
    let store = tlslab_store::open(&Address::Postgres(store.clone())).unwrap();
    let mut wrong = Vec::new();
    for id in &jobs {
        let record = store.load(id).unwrap();
        let complete: Vec<u32> =
            record.visits.iter().filter(|visit| visit.complete).map(|visit| visit.round).collect();
        let once: BTreeSet<u32> = complete.iter().copied().collect();
        let is_right = record.complete && complete.len() == once.len() && once == (0..ROUNDS).collect();
        let is_done = store.outcome(id).unwrap().is_some_and(|outcome| outcome.summary.status == 0);
        if !is_right || !is_done {
            wrong.push(format!("{id}: complete {}, rounds {complete:?}, done {is_done}", record.complete));
        }
    }
    let kills = kills.into_inner().unwrap();
    eprintln!("two labs, one database: {runs} runs, {kills} kills, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(store.runs().unwrap().len(), runs, "a run was doubled");
}

#[test]
fn two_labs_that_are_killed_lose_and_double_nothing() {
    two_labs(3, 7);
}

#[test]
#[ignore = "minutes: `make kills`"]
fn kill_9_of_two_labs_on_one_server_loses_and_doubles_nothing() {
    let runs = std::env::var("TLSLAB_KILLS").map_or(20, |text| text.parse().unwrap());
    two_labs(runs, std::process::id().into());
}
