//! Which processes have a random placement, and which one.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_protocol::{KeyType, Scenario, Work};
use tlslab_record::{Placement, Plan, Proof, ProvenFacts};

use crate::requests::able_to;
use crate::runner::Cells;
use crate::schedule::Schedule;
use crate::tests_of_turns::Samples;
use crate::{DriverFailure, DriverProgram, Launch, MemoryPlacement, Runner, Silent, Sofar, Stage, Talk};

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
    let derived: HashSet<_> =
        (0..8).flat_map(|round| (0..2).map(move |stack| schedule.placement(round, stack))).collect();
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
