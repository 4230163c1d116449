//! A run of a plan without any measurement.

use tlslab_protocol::{Measure, Pairing, Scenario};
use tlslab_record::{CellState, Plan, RunRecord, StackRecord};

/// A run of these stacks, the first of which is the baseline, and these scenarios; all else is minimal.
pub(super) fn run(stacks: Vec<StackRecord>, scenarios: Vec<Scenario>, cells: Vec<CellState>) -> RunRecord {
    RunRecord {
        plan: Plan {
            id: "r".to_owned(),
            started_unix_ms: 0,
            lab_version: "0".to_owned(),
            command: Vec::new(),
            request: None,
            suite: "s".to_owned(),
            seed: 1,
            budget_s: 1.0,
            rounds: 5,
            slice_ns: 1,
            slices: 1,
            warm_up: None,
            evictor: None,
            canaries: None,
            together: Vec::new(),
            sandbox: None,
            estimator: Default::default(),
            placement: Default::default(),
            baseline: stacks.first().map(|stack| stack.name.clone()).unwrap_or_default(),
            policy: Default::default(),
            host: Default::default(),
            pki_digest: String::new(),
            scenarios,
            stacks,
            pairing: Pairing::Own,
            rows: None,
            comparison: None,
            metrics: vec![Measure::Time],
            preload: None,
            counting: None,
            contention: None,
            sizes: Vec::new(),
        },
        complete: true,
        measuring_s: 1.0,
        warnings: Vec::new(),
        cells,
        overheads: Vec::new(),
        visits: Vec::new(),
        samples: Vec::new(),
        pairs: Vec::new(),
        pair_samples: Vec::new(),
        weights: Vec::new(),
        counts: Vec::new(),
        fidelity: Vec::new(),
        neighbours: Vec::new(),
        layouts: Vec::new(),
        between_runs: Vec::new(),
    }
}
