//! The measurement of a runner here: a run of two stacks, with figures.

use tlslab_protocol::{Measurement, Scenario, SideMeasurement, Work};
use tlslab_record::{
    Figure, FigureOutcome, FigureValue, Plan, Sample, Series, StackRecord, StackState, Visit,
};
use tlslab_store::{Address, Owner, Store, StoreError};

/// Samples of a visit that came to its end.
pub(crate) const SAMPLES: usize = 400;
const STACKS: usize = 2;

/// Measures a run, or continues one.
pub(crate) fn measure(address: &Address, run: &str, job: &str) -> Result<(), StoreError> {
    let mut store = tlslab_store::open(address)?;
    store.set_job(job);
    let me = Owner::this_process();
    let is_there = store.runs()?.iter().any(|known| known.id == run);
    if !is_there {
        store.create_run(&plan(run), &me)?;
    } else if store.load(run)?.complete {
        return Ok(());
    } else {
        store.take_run(run, &me)?;
    }
    let attempt = store.load(run)?.visits.len() as u32;
    let visit = Visit { round: 0, scenario: 0, attempt, complete: false };
    store.begin_visit(run, &visit)?;
    for number in 0..SAMPLES {
        let (block, stack) = ((number / STACKS) as u32, number % STACKS);
        let sample = Sample {
            round: 0,
            scenario: 0,
            attempt,
            block,
            place: stack as u32,
            stack,
            measurement: measurement(number as u64),
        };
        store.add_sample(run, &sample)?;
    }
    store.end_visit(run, &Visit { complete: true, ..visit }, 0.5)?;
    store.put_figures(run, &figures())?;
    store.complete_run(run)
}

/// The error of a run in the history.
pub(crate) fn fault_of(store: &dyn Store, run: &str) -> Option<String> {
    let record = match store.load(run) {
        Ok(record) => record,
        Err(cause) => return Some(cause.to_string()),
    };
    if !record.complete {
        return Some("it is not complete".to_owned());
    }
    for visit in record.visits.iter().filter(|visit| visit.complete) {
        let of_visit = record.samples.iter().filter(|sample| sample.attempt == visit.attempt);
        let expected = (0..SAMPLES as u64).map(measurement);
        if !of_visit.map(|sample| sample.measurement.clone()).eq(expected) {
            return Some(format!("attempt {} has other samples than were measured", visit.attempt));
        }
    }
    if record.visits.iter().filter(|visit| visit.complete).count() != 1 {
        return Some(format!("it has the visits {:?}", record.visits));
    }
    match store.figures(run) {
        Ok(found) if found == figures() => None,
        found => Some(format!("its figures are {found:?}")),
    }
}

fn measurement(number: u64) -> Measurement {
    let side = SideMeasurement { clock_reads: number, wire_bytes: number + 7, ..SideMeasurement::default() };
    Measurement {
        iterations: 2,
        client: side.clone(),
        server: side,
        elapsed_ns: 1_000 + number,
        threads: Vec::new(),
        warm_up: None,
        open_loop: None,
        faults: 0,
    }
}

fn figures() -> Vec<Figure> {
    let text = str::to_owned;
    let series = |scenario: &str| Series {
        scenario: text(scenario),
        stack: text("library"),
        side: text("client"),
        metric: text("time"),
        unit: text("µs"),
        class: text("some machine"),
    };
    let figure = |scenario: &str, place: u32| Figure {
        series: series(scenario),
        stack: format!("library@1.{place}"),
        place,
        label: format!("1.{place}"),
        epoch: text("e"),
        outcome: FigureOutcome::Value(FigureValue { value: 1.5, lower: Some(1.0), upper: None, n: 16 }),
    };
    ["a", "b"].into_iter().flat_map(|scenario| [figure(scenario, 0), figure(scenario, 1)]).collect()
}

fn plan(id: &str) -> Plan {
    Plan {
        id: id.to_owned(),
        started_unix_ms: 1,
        lab_version: "0.1.0".to_owned(),
        command: Vec::new(),
        request: None,
        suite: "quick".to_owned(),
        seed: 1,
        budget_s: 1.0,
        rounds: 1,
        slice_ns: 5_000_000,
        slices: 1,
        warm_up: None,
        evictor: None,
        canaries: None,
        together: Vec::new(),
        sandbox: None,
        estimator: Default::default(),
        placement: Default::default(),
        baseline: "library@1.0".to_owned(),
        policy: Default::default(),
        host: Default::default(),
        pki_digest: "d".to_owned(),
        scenarios: vec![Scenario::plain(Work::Handshake)],
        stacks: (0..STACKS).map(stack).collect(),
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

fn stack(place: usize) -> StackRecord {
    StackRecord {
        name: format!("library@1.{place}"),
        title: "Library".to_owned(),
        licence: "MIT".to_owned(),
        identity: None,
        driver_digest: String::new(),
        driver: String::new(),
        environment: Default::default(),
        state: StackState::Failed("it was not built".to_owned()),
    }
}
