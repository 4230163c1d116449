//! Which processes have a random placement, and which one.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_protocol::{KeyType, Scenario, Work};
use tlslab_record::{Placement, Plan, Proof, ProvenFacts};

use crate::requests::able_to;
use crate::runner::Cells;
use crate::schedule::Schedule;
use crate::tests_of_turns::Samples;
use crate::{
    DriverFailure, DriverProgram, Launch, Launcher, MemoryPlacement, Runner, Silent, Sofar, Stage, Talk,
};

/// Records the placement of each process, and starts none.
#[derive(Default)]
struct Noting(Mutex<Vec<Option<MemoryPlacement>>>);

impl Launch for Noting {
    fn launch(&self, driver: DriverProgram<'_>) -> Result<Box<dyn Talk>, DriverFailure> {
        self.0.lock().unwrap().push(driver.placement);
        Err(DriverFailure::NotStarted("no test starts a process".to_owned()))
    }
}

/// A plan of two stacks and one scenario.
fn plan(placement: &str) -> Plan {
    let scenario = Scenario::plain(Work::Handshake);
    let stack = |name: &str| {
        serde_json::json!({
            "name": name, "title": "", "licence": "", "driver": "/driver", "driver_digest": "",
            "state": {"ready": {
                "protocol": 1, "driver": "d", "library": {"name": "l", "version": "1"}, "capabilities": able_to(&scenario),
            }},
        })
    };
    let mut plan = serde_json::json!({
        "id": "r", "started_unix_ms": 1, "lab_version": "0", "command": [], "suite": "s", "seed": 5, "budget_s": 1.0, "rounds": 1,
        "slice_ns": 1, "baseline": "a", "host": null, "pki_digest": "d", "stacks": [stack("a"), stack("b")],
        "scenarios": [scenario],
    });
    if !placement.is_empty() {
        plan["placement"] = placement.into();
    }
    serde_json::from_value(plan).unwrap()
}

/// Lets a runner do something, and returns the placements of the processes that it would have started.
fn noted(plan: &Plan, does: impl FnOnce(Runner<'_>)) -> Vec<Option<MemoryPlacement>> {
    let folder = tempfile::tempdir().unwrap();
    let pki = Pki::ensure(&folder.path().join("pki"), &[KeyType::EcdsaP256]).unwrap();
    let (stage, launch) = (Stage::whole(plan), Noting::default());
    does(Runner {
        plan,
        stage: &stage,
        pki: &pki,
        launch: &launch,
        timeout: Duration::from_secs(1),
        journal: &mut Samples::default(),
        observer: &mut Silent,
    });
    launch.0.into_inner().unwrap()
}

/// The placements of a round's processes.
fn timed(plan: &Plan, round: u32) -> Vec<Option<MemoryPlacement>> {
    let proven = || Proof::Proven {
        facts: ProvenFacts::Other(serde_json::Value::Null),
        faults: vec![],
        iteration_ns: 1000.0,
    };
    let mut cells: Cells = [((0, 0), proven()), ((0, 1), proven())].into();
    noted(plan, |mut runner| {
        let mut processes = vec![None, None];
        runner.start_round(&mut cells, round, Schedule::new(plan.seed), &mut processes).unwrap();
    })
}

#[test]
fn timed_processes_have_placements_of_their_own_and_those_that_prove_have_none() {
    let plan = plan("randomised");
    assert_eq!(plan.placement, Placement::Randomised);
    let mut all = HashSet::new();
    for round in 0..8 {
        let timed = timed(&plan, round);
        assert_eq!(timed.len(), 2);
        all.extend(timed.into_iter().map(|placement| placement.expect("a timed process has one")));
    }
    assert_eq!(all.len(), 16, "each round and stack has its own");
    let schedule = Schedule::new(plan.seed);
    let derived: HashSet<_> = (0..8)
        .flat_map(|round| (0..2).map(move |stack| schedule.placement(plan.placement, round, stack).unwrap()))
        .collect();
    assert_eq!(all, derived, "they follow from the seed, the round and the stack");
    let proving = noted(&plan, |runner| runner.run(Sofar::default()).unwrap());
    assert_eq!(proving, [None, None]);
}

#[test]
fn a_plan_of_an_earlier_version_goes_on_with_a_fixed_placement() {
    let plan = plan("");
    assert_eq!(plan.placement, Placement::Fixed);
    assert_eq!(timed(&plan, 0), [None, None]);
}

#[test]
fn counts_and_weighings_have_none() {
    let plan = plan("randomised");
    let stage = Stage::whole(&plan);
    assert_eq!(stage.program(0, &plan.stacks[0], 0).placement, None);
    assert_eq!(DriverProgram::from(&plan.stacks[0]).placement, None);
}

/// Processes that run a program below a folder.
fn running_below(folder: &Path) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path().join("exe")));
    processes.filter_map(|exe| fs::read_link(exe).ok()).filter(|exe| exe.starts_with(folder)).collect()
}

#[test]
fn a_process_with_a_random_placement_runs_a_copy_of_its_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let launcher = Launcher {
        cpu: None,
        cpus: vec![],
        directory: folder.clone(),
        cancel: Arc::default(),
        programs: Arc::default(),
        sandbox: None,
        trusted: None,
        shown: vec![],
        memory_bytes: 1 << 30,
    };
    let environment = BTreeMap::new();
    let started = |placement: Placement| {
        let placement = Schedule::new(1).placement(placement, 0, 0);
        let path = Path::new("/bin/cat");
        let program = DriverProgram {
            path,
            environment: &environment,
            preload: None,
            counter: None,
            moves: false,
            placement,
            described: None,
        };
        launcher.launch(program).unwrap()
    };
    for placement in [Placement::Fixed, Placement::Randomised] {
        let _running = started(placement);
        assert_eq!(running_below(&folder), [] as [PathBuf; 0], "{placement:?}");
    }
    let both = [(); 2].map(|()| started(Placement::RandomisedWithProgram));
    let programs = running_below(&folder);
    assert_eq!(programs.len(), 2, "{programs:?}");
    assert_ne!(programs[0], programs[1]);
    drop(both);
    assert_eq!(running_below(&folder), [] as [PathBuf; 0]);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "the copies are removed");
}
