//! A comparison that was never measured: handshakes of a base and a new stack, with the changes that a test asks for.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use tlslab_protocol::{
    Capabilities, Description, Library, Measure, Measurement, Pairing, PhaseTimes, Scenario, SideMeasurement,
    Work,
};
use tlslab_record::{
    Arrangement, CellState, ComparisonPlan, Plan, Proof, ProvenFacts, RunRecord, Sample, StackPair,
    StackRecord, StackState, Visit,
};

/// The parameters of a record.
pub(crate) struct Asked {
    /// The seed of all noise.
    pub seed: u64,
    /// The log ratio of each scenario's times, client and server.
    pub effects: Vec<[f64; 2]>,
    /// How much a round differs from the next, as a log ratio.
    pub spread: f64,
    /// The rounds that were measured, confirmation included.
    pub rounds: u32,
}

pub(crate) const LOOKS: [u32; 2] = [16, 32];
pub(crate) const CONFIRMATION: u32 = 16;

/// A record of all rounds of all scenarios.
pub(crate) fn record(asked: &Asked) -> RunRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(asked.seed);
    let scenarios: Vec<Scenario> = (0..asked.effects.len())
        .map(|at| Scenario { name: format!("handshake/{at}"), ..Scenario::plain(Work::Handshake) })
        .collect();
    let (mut visits, mut samples) = (vec![], vec![]);
    for round in 0..asked.rounds {
        for (scenario, effect) in asked.effects.iter().enumerate() {
            visits.push(Visit { round, scenario, attempt: 0, complete: true });
            let layout = [0, 1].map(|_| normal(&mut rng) * asked.spread);
            for block in 0..5 {
                let drift = normal(&mut rng) * 0.02;
                for stack in 0..2 {
                    let side = |at: usize| {
                        let changed = if stack == 1 { effect[at] + layout[at] } else { 0.0 };
                        200_000.0 * (1.0 + at as f64) * (drift + changed).exp()
                    };
                    let measurement = measurement([side(0), side(1)]);
                    let place = stack as u32;
                    samples.push(Sample { round, scenario, attempt: 0, block, place, stack, measurement });
                }
            }
        }
    }
    let proven = Proof::Proven {
        facts: ProvenFacts::Other(serde_json::Value::Null),
        faults: vec![],
        iteration_ns: 600_000.0,
    };
    let cells = (0..scenarios.len())
        .flat_map(|scenario| (0..2).map(move |stack| (scenario, stack)))
        .map(|(scenario, stack)| CellState { scenario, stack, proof: proven.clone() })
        .collect();
    RunRecord {
        plan: plan(scenarios),
        complete: true,
        measuring_s: 12.5,
        warnings: vec![],
        cells,
        overheads: vec![],
        visits,
        samples,
        weights: vec![],
        counts: vec![],
        fidelity: vec![],
        neighbours: vec![],
        layouts: vec![],
        between_runs: vec![],
        pairs: vec![],
        pair_samples: vec![],
    }
}

fn plan(scenarios: Vec<Scenario>) -> Plan {
    Plan {
        id: "20261121-120000-abcd".to_owned(),
        started_unix_ms: 1_795_262_400_000,
        lab_version: "0.1.0".to_owned(),
        command: vec![],
        request: None,
        suite: "compare".to_owned(),
        seed: 1,
        budget_s: 10.0,
        rounds: 48,
        slice_ns: 5_000_000,
        slices: 1,
        warm_up: None,
        evictor: None,
        canaries: None,
        together: Vec::new(),
        sandbox: None,
        estimator: Default::default(),
        placement: Default::default(),
        baseline: "lib@1".to_owned(),
        policy: Default::default(),
        host: Default::default(),
        pki_digest: String::new(),
        scenarios,
        stacks: vec![stack("lib@1", "1.0"), stack("lib@2", "2.0")],
        metrics: vec![Measure::Time],
        preload: None,
        counting: None,
        contention: None,
        sizes: Vec::new(),
        pairing: Pairing::Own,
        rows: None,
        comparison: Some(ComparisonPlan {
            pairs: vec![StackPair { baseline: 0, candidate: 1, identical: false, fixed_layout: vec![] }],
            looks: LOOKS.to_vec(),
            confirmation: CONFIRMATION,
            confirmation_seeds: vec![],
            further_seeds: vec![],
            alpha: 0.005,
            false_discovery_rate: 0.02,
            time_floor: 0.001,
            exact_floor: 0.0001,
            negligible: 0.005,
            moves: true,
            arrangement: Arrangement::Interleaved,
            arrangement_chosen: None,
            dependence: None,
            visit_s: 0.3,
        }),
    }
}

fn stack(name: &str, version: &str) -> StackRecord {
    let library = Library { name: "lib".to_owned(), version: version.to_owned(), components: vec![] };
    let description = Description {
        protocol: 1,
        driver: "made up".to_owned(),
        library,
        capabilities: Capabilities::default(),
        metrics: vec![],
        features: vec![],
        hidden: None,
    };
    StackRecord {
        name: name.to_owned(),
        title: "Lib".to_owned(),
        licence: "MIT".to_owned(),
        identity: None,
        driver_digest: name.to_owned(),
        driver: String::new(),
        environment: Default::default(),
        state: StackState::Ready(Box::new(description)),
    }
}

fn measurement(ns: [f64; 2]) -> Measurement {
    let iterations = 10;
    let side = |ns: f64| SideMeasurement {
        phases: PhaseTimes { handshake_ns: (ns * iterations as f64) as u64, ..PhaseTimes::default() },
        ..SideMeasurement::default()
    };
    let elapsed_ns = ((ns[0] + ns[1]) * iterations as f64) as u64;
    Measurement {
        iterations,
        client: side(ns[0]),
        server: side(ns[1]),
        elapsed_ns,
        threads: vec![],
        warm_up: None,
        open_loop: None,
        faults: 0,
    }
}

/// A sum of uniform numbers is close enough to a normal one.
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}
