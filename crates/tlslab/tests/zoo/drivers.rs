//! Drivers of the zoo. Each one's misbehaviour is a failed cell with a reason; its descendants are gone, and
//! the other stack's cells have their values.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_measure::{
    DriverFailure, DriverProgram, Journal, JournalError, Launch, Launcher, Runner, Silent, Sofar, Talk,
    describe,
};
use tlslab_pki::Pki;
use tlslab_process::ProcessorTime;
use tlslab_protocol::{Reply, Request, Scenario, Verification};
use tlslab_record::{
    CellCount, CellState, Overhead, PairSample, PairState, Plan, Proof, Sample, StackRecord, StackState,
    Visit, Weight,
};

use crate::zoo::{Specimen, judge};

/// The time limit for answers of the misbehaving driver, which some specimens exceed.
const BAD_TIMEOUT: Duration = Duration::from_secs(3);
/// The good driver's time limit, for a busy machine.
const GOOD_TIMEOUT: Duration = Duration::from_secs(30);

/// The memory limit of all processes of a driver together.
const MEMORY_BYTES: u64 = 256 << 20;

/// Tries one, together with a good driver.
pub(crate) fn is_noticed(specimen: &Specimen, good: &Path, pki: &Pki) -> Result<(), String> {
    let reason = beside_a_good_one(good, pki, specimen)?;
    // Reports show a reason.
    if reason.len() > 4096 {
        return Err(format!("its reason has {} bytes", reason.len()));
    }
    judge(specimen, Some(&reason))
}

/// Passes on the first so many requests, each as it arrives: `head` would keep them until its end.
const PASS: &str = r#"pass() {
    n=0
    while [ $n -lt $1 ] && IFS= read -r line; do
        printf '%s\n' "$line"
        n=$((n + 1))
    done
}"#;

/// Runs one scenario on the good driver and on a misbehaving script, and checks the common invariants: why
/// its cell has no value.
fn beside_a_good_one(good: &Path, pki: &Pki, specimen: &Specimen) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let bad = write_script(folder.path(), good, &specimen.script);
    let launcher = Launcher {
        // As in a run, so that a driver's report is compared with the time of one processor.
        cpu: tlslab_host::usable_cpus(Path::new("/")).first().map(|cpu| *cpu as usize),
        cpus: vec![],
        directory: folder.path().to_owned(),
        cancel: Arc::new(AtomicBool::new(false)),
        programs: Arc::default(),
        sandbox: None,
        trusted: None,
        shown: vec![],
        memory_bytes: MEMORY_BYTES,
    };
    let environment = Default::default();
    let program = DriverProgram {
        path: good,
        environment: &environment,
        preload: None,
        counter: None,
        moves: false,
        placement: None,
        described: None,
    };
    let description = Box::new(describe(&launcher, program, GOOD_TIMEOUT).unwrap());
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
    let verification = match &specimen.verification {
        Some(level) => serde_json::from_value(serde_json::json!(level)).unwrap(),
        None => Verification::None,
    };
    let plan = plan(vec![stack("bad", &bad), stack("good", good)], verification);
    let mut journal = Remembered::default();
    Runner {
        plan: &plan,
        stage: &tlslab_measure::Stage::whole(&plan),
        pki,
        launch: &Patient { launcher: &launcher, good },
        timeout: BAD_TIMEOUT,
        journal: &mut journal,
        observer: &mut Silent,
    }
    .run(Sofar::default())
    .unwrap();

    let left = processes_in(folder.path());
    if left > 0 {
        return Err(format!("{left} of its processes still run"));
    }
    good_is_measured(&journal)?;
    match journal.last_state(0, 0) {
        Some(Proof::Failed(reason)) => Ok(reason.clone()),
        other => Err(format!("its cell is {other:?}")),
    }
}

/// Whether the good driver's cell has its values in every round.
fn good_is_measured(journal: &Remembered) -> Result<(), String> {
    if !matches!(journal.last_state(0, 1), Some(Proof::Proven { .. })) {
        return Err(format!("the good driver's cell is {:?}", journal.last_state(0, 1)));
    }
    for round in 0..4 {
        let complete: Vec<_> = journal.visits.iter().filter(|v| v.round == round && v.complete).collect();
        if complete.len() != 1 {
            return Err(format!("round {round} has {} complete visits", complete.len()));
        }
        let attempt = complete[0].attempt;
        let samples =
            journal.samples.iter().filter(|s| s.round == round && s.attempt == attempt && s.stack == 1);
        if samples.count() < 3 {
            return Err(format!("the good driver was not measured in round {round}"));
        }
    }
    Ok(())
}

/// Starts drivers, and gives the good one more time than the plan.
struct Patient<'a> {
    launcher: &'a Launcher,
    good: &'a Path,
}

impl Launch for Patient<'_> {
    fn launch(&self, driver: DriverProgram<'_>) -> Result<Box<dyn Talk>, DriverFailure> {
        let talk = self.launcher.launch(driver)?;
        Ok(if driver.path == self.good { Box::new(WithTime(talk)) } else { talk })
    }

    fn processors(&self) -> Option<usize> {
        self.launcher.processors()
    }

    fn binds(&self) -> bool {
        self.launcher.binds()
    }
}

/// A driver that has the good one's time for its answers.
struct WithTime(Box<dyn Talk>);

impl Talk for WithTime {
    fn ask(&mut self, request: &Request, within: Duration) -> Result<Reply, DriverFailure> {
        self.0.ask(request, within.max(GOOD_TIMEOUT))
    }

    fn resident_bytes(&mut self) -> Result<u64, DriverFailure> {
        self.0.resident_bytes()
    }

    fn spread(&mut self, processors: u32) -> Result<(), DriverFailure> {
        self.0.spread(processors)
    }

    fn keep_to(&mut self, place: usize) -> Result<(), DriverFailure> {
        self.0.keep_to(place)
    }

    fn processor_time(&self) -> Option<ProcessorTime> {
        self.0.processor_time()
    }

    fn end(self: Box<Self>) -> Result<(), DriverFailure> {
        self.0.end()
    }
}

/// Four rounds of one scenario.
fn plan(stacks: Vec<StackRecord>, verification: Verification) -> Plan {
    Plan {
        id: "test".to_owned(),
        started_unix_ms: 0,
        lab_version: String::new(),
        command: vec![],
        request: None,
        suite: "custom".to_owned(),
        seed: 1,
        budget_s: 1.0,
        rounds: 4,
        slice_ns: 1_000_000,
        slices: 1,
        warm_up: None,
        evictor: None,
        canaries: None,
        together: Vec::new(),
        sandbox: None,
        estimator: Default::default(),
        placement: Default::default(),
        baseline: "good".to_owned(),
        policy: Default::default(),
        host: Default::default(),
        pki_digest: String::new(),
        scenarios: vec![Scenario { verification, ..handshake() }],
        stacks,
        pairing: tlslab_protocol::Pairing::Own,
        rows: None,
        comparison: None,
        metrics: vec![tlslab_protocol::Measure::Time],
        preload: None,
        counting: None,
        contention: None,
        sizes: Vec::new(),
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
    // As in the cache, a program has a folder of its own below the one that it runs in.
    let product = folder.join("product");
    fs::create_dir(&product).unwrap();
    fs::write(product.join("neighbour"), ": what a program reads when it runs\n").unwrap();
    let path = product.join("driver");
    let head = format!("#!/bin/sh\nPATH=/usr/bin:/bin\nexport DRIVER='{}'", driver.display());
    let text = format!("{head}\n{PASS}\n{script}\n");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The number of processes in a folder: the drivers' own, and their children.
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
