//! A driver that hangs, crashes, floods, prints nonsense or leaves processes behind is a failed cell with a reason;
//! what it started is gone, and the other stack's cells have their values.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_protocol::Scenario;
use tlslab_record::{
    CellCount, CellState, Overhead, PairSample, PairState, Plan, Proof, Sample, StackRecord, StackState,
    Visit, Weight,
};
use tlslab_runner::{DriverProgram, Journal, JournalError, Launcher, Runner, Silent, Sofar, describe};

#[test]
fn a_driver_that_hangs() {
    let outcome = beside_a_good_one("pass 2 | \"$DRIVER\"; sleep 1000");
    assert_eq!(outcome.reason, "no answer to `verify` within 3 s; the driver was killed");
}

#[test]
fn a_driver_that_crashes() {
    let outcome = beside_a_good_one("pass 2 | \"$DRIVER\"; echo 'stack smashed' >&2; exit 42");
    assert_eq!(
        outcome.reason,
        "the driver ended during `verify` with exit status 42; its last words: stack smashed"
    );
}

#[test]
fn a_driver_that_is_killed_every_time() {
    let outcome = beside_a_good_one("pass 2 | \"$DRIVER\"; kill -SEGV $$");
    assert_eq!(outcome.reason, "the driver ended during `verify` with killed by signal 11 (SIGSEGV)");
}

#[test]
fn a_driver_that_crashes_once_it_is_measured() {
    // The first process proves the cell. Each later one gets as far as its third slice.
    let outcome = beside_a_good_one(
        "[ -e proven ] || { touch proven; exec \"$DRIVER\"; }\npass 11 | \"$DRIVER\"; exit 9",
    );
    assert_eq!(outcome.reason, "the driver ended during `measure` with exit status 9");
}

#[test]
fn a_driver_that_floods_its_output() {
    let outcome = beside_a_good_one("pass 2 | \"$DRIVER\"; yes '{\"prepared\":{}}'");
    assert!(outcome.reason.contains("`verify`"), "{}", outcome.reason);
}

#[test]
fn a_driver_that_writes_a_line_without_end() {
    let outcome = beside_a_good_one("pass 2 | \"$DRIVER\"; tr '\\0' x < /dev/zero");
    assert_eq!(outcome.reason, "the driver answered `verify` with a line of more than 8388608 bytes");
}

#[test]
fn a_driver_that_prints_nonsense() {
    let outcome =
        beside_a_good_one("pass 2 | \"$DRIVER\"; read -r request; echo Hello, world; cat >/dev/null");
    assert_eq!(
        outcome.reason,
        "the driver answered `verify` with expected value at line 1 column 1, in the line \"Hello, world\""
    );
}

#[test]
fn a_driver_that_leaves_processes_behind() {
    let outcome = beside_a_good_one(
        "setsid sleep 987654 </dev/null >/dev/null 2>&1 &\nsetsid sleep 987654 </dev/null >/dev/null 2>&1 &\nexec \"$DRIVER\"",
    );
    assert_eq!(outcome.reason, "the driver left 2 processes behind, which were killed");
}

#[test]
fn a_driver_that_did_other_work() {
    let outcome = beside_a_good_one(
        "\"$DRIVER\" | sed -u 's/\"suite\":\"TLS_AES_128_GCM_SHA256\",\"group\"/\"suite\":\"TLS_AES_256_GCM_SHA384\",\"group\"/'",
    );
    assert!(
        outcome
            .reason
            .starts_with("the work is not what was asked for: suite: expected TLS_AES_128_GCM_SHA256"),
        "{}",
        outcome.reason
    );
}

/// Passes on the first so many requests, each as it comes: `head` would keep them until its end.
const PASS: &str = r#"pass() {
    n=0
    while [ $n -lt $1 ] && IFS= read -r line; do
        printf '%s\n' "$line"
        n=$((n + 1))
    done
}"#;

/// What came of the bad driver's cell.
struct Outcome {
    reason: String,
}

/// Runs one scenario on the good driver and on a script that goes wrong, and checks what must hold in any case.
fn beside_a_good_one(script: &str) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let good = support::driver("rustls/ring");
    let bad = write_script(folder.path(), &good, script);
    let launcher = Launcher {
        cpu: None,
        cpus: vec![],
        directory: folder.path().to_owned(),
        cancel: Arc::new(AtomicBool::new(false)),
    };
    let environment = Default::default();
    let program =
        DriverProgram { path: &good, environment: &environment, preload: None, counter: None, moves: false };
    let description = Box::new(describe(&launcher, program, Duration::from_secs(30)).unwrap());
    let stack = |name: &str, driver: &Path| StackRecord {
        name: name.to_owned(),
        title: name.to_owned(),
        licence: "MIT".to_owned(),
        identity: None,
        driver_digest: String::new(),
        driver: driver.to_str().unwrap().to_owned(),
        environment: Default::default(),
        state: StackState::Ready(description.clone()),
    };
    let plan = plan(vec![stack("bad", &bad), stack("good", &good)]);
    let pki = support::pki();
    let mut journal = Remembered::default();
    Runner {
        plan: &plan,
        stage: &tlslab_runner::Stage::whole(&plan),
        pki: &pki,
        launch: &launcher,
        timeout: Duration::from_secs(3),
        journal: &mut journal,
        observer: &mut Silent,
    }
    .run(Sofar::default())
    .unwrap();

    assert_eq!(processes_in(folder.path()), 0, "something of the driver still runs");
    assert!(
        matches!(journal.last_state(0, 1), Some(Proof::Proven { .. })),
        "the good driver: {:?}",
        journal.last_state(0, 1)
    );
    for round in 0..4 {
        let complete: Vec<_> = journal.visits.iter().filter(|v| v.round == round && v.complete).collect();
        assert_eq!(complete.len(), 1, "round {round} has one complete visit");
        let attempt = complete[0].attempt;
        let samples =
            journal.samples.iter().filter(|s| s.round == round && s.attempt == attempt && s.stack == 1);
        assert!(samples.count() >= 3, "the good driver was measured in round {round}");
    }
    match journal.last_state(0, 0) {
        Some(Proof::Failed(reason)) => Outcome { reason: reason.clone() },
        other => panic!("the bad driver's cell is {other:?}"),
    }
}

/// Four rounds of one scenario.
fn plan(stacks: Vec<StackRecord>) -> Plan {
    Plan {
        id: "test".to_owned(),
        started_unix_ms: 0,
        lab_version: String::new(),
        command: vec![],
        suite: "custom".to_owned(),
        seed: 1,
        budget_s: 1.0,
        rounds: 4,
        slice_ns: 1_000_000,
        slices: 1,
        warm_up: None,
        evictor: None,
        estimator: Default::default(),
        baseline: "good".to_owned(),
        policy: Default::default(),
        host: Default::default(),
        pki_digest: String::new(),
        scenarios: vec![handshake()],
        stacks,
        pairing: tlslab_protocol::Pairing::Own,
        rows: None,
        comparison: None,
        metrics: vec![tlslab_protocol::Metric::Time],
        preload: None,
        counting: None,
    }
}

fn handshake() -> Scenario {
    serde_json::from_value(serde_json::json!({
        "name": "handshake", "work": {"kind": "handshake"}, "version": "TLSv1.3", "signature": "ecdsa-p256",
        "group": "x25519", "suite": "TLS_AES_128_GCM_SHA256", "verification": "none"
    }))
    .unwrap()
}

fn write_script(folder: &Path, driver: &Path, script: &str) -> PathBuf {
    let path = folder.join("driver");
    let text = format!("#!/bin/sh\nPATH=/usr/bin:/bin\nDRIVER='{}'\n{PASS}\n{script}\n", driver.display());
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// How many processes work in a folder: the drivers' own, and what they start.
fn processes_in(folder: &Path) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|process| fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .count()
}

#[derive(Default)]
struct Remembered {
    cells: Vec<CellState>,
    visits: Vec<Visit>,
    samples: Vec<Sample>,
}

impl Remembered {
    fn last_state(&self, scenario: usize, stack: usize) -> Option<&Proof> {
        let mut cells = self.cells.iter().rev();
        cells.find(|cell| cell.scenario == scenario && cell.stack == stack).map(|cell| &cell.proof)
    }
}

impl Journal for Remembered {
    fn cell(&mut self, cell: &CellState) -> Result<(), JournalError> {
        self.cells.push(cell.clone());
        Ok(())
    }

    fn overhead(&mut self, _: &Overhead) -> Result<(), JournalError> {
        Ok(())
    }

    fn begin_visit(&mut self, _: &Visit) -> Result<(), JournalError> {
        Ok(())
    }

    fn sample(&mut self, sample: &Sample) -> Result<(), JournalError> {
        self.samples.push(sample.clone());
        Ok(())
    }

    fn pair(&mut self, _: &PairState) -> Result<(), JournalError> {
        Ok(())
    }

    fn pair_sample(&mut self, _: &PairSample) -> Result<(), JournalError> {
        Ok(())
    }

    fn end_visit(&mut self, visit: &Visit, _: f64) -> Result<(), JournalError> {
        self.visits.push(visit.clone());
        Ok(())
    }

    fn count(&mut self, _: &CellCount) -> Result<(), JournalError> {
        Ok(())
    }

    fn weight(&mut self, _: &Weight) -> Result<(), JournalError> {
        Ok(())
    }

    fn warn(&mut self, _: &str) -> Result<(), JournalError> {
        Ok(())
    }
}
