//! Every store passes these.

use tlslab_protocol::{
    Calibration, Count, Counting, Latencies, Measurement, OpenLoop, PhaseCounts, PhaseTimes, Scenario, Side,
    SideCount, SideMeasurement, Sides, Step, ThreadMeasurement, WarmUp, WarmUpTimes, Work,
};
use tlslab_record::{
    CellCount, CellState, Counted, Overhead, PairProof, PairRefusal, PairSample, PairSide, PairState, Plan,
    Proof, ProvenFacts, Sample, StackRecord, StackState, Visit,
};

use crate::{Address, Owner, StoreError};

mod browse;
mod cost;
mod history;
mod hostile;
mod leases;
mod old;
mod outcomes;
mod places;
mod previous;
mod reading;
mod several;
mod upgrade;

use places::{Place, on_every_database};

on_every_database! {
    what_is_recorded_is_read_back_even_after_the_database_was_closed,
    what_a_kill_left_open_is_kept_and_packed_in_the_end,
    pairs_and_their_samples_are_kept_as_they_were,
    counts_are_kept_as_they_were_and_once,
    a_slice_cannot_be_recorded_twice,
    a_sample_needs_a_visit_and_a_visit_a_run,
    runs_are_listed_newest_first_and_an_unknown_one_is_named,
    a_database_of_a_newer_lab_is_left_alone,
    a_text_with_a_nul_and_a_number_beyond_all_are_kept,
}

/// This process.
fn me() -> Owner {
    Owner::this_process()
}

/// A process that has ended.
fn dead() -> Owner {
    Owner { started: me().started + 1, ..me() }
}

fn plan(id: &str, started_unix_ms: u64) -> Plan {
    Plan {
        id: id.to_owned(),
        started_unix_ms,
        lab_version: "0.1.0".to_owned(),
        command: vec!["tlslab".to_owned(), "run".to_owned()],
        request: None,
        suite: "quick".to_owned(),
        seed: u64::MAX,
        budget_s: 42.0,
        rounds: 16,
        slice_ns: 5_000_000,
        slices: 1,
        warm_up: None,
        evictor: None,
        canaries: None,
        together: Vec::new(),
        sandbox: None,
        estimator: Default::default(),
        placement: Default::default(),
        baseline: "a".to_owned(),
        policy: Default::default(),
        host: Default::default(),
        pki_digest: "d".to_owned(),
        scenarios: vec![Scenario::plain(Work::Handshake); 8],
        stacks: vec![stack(); 8],
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

fn stack() -> StackRecord {
    StackRecord {
        name: "a".to_owned(),
        title: "A".to_owned(),
        licence: "MIT".to_owned(),
        identity: None,
        driver_digest: String::new(),
        driver: String::new(),
        environment: Default::default(),
        state: StackState::Failed("it was not built".to_owned()),
    }
}

fn side(first: u64) -> SideMeasurement {
    SideMeasurement {
        phases: PhaseTimes {
            context_ns: first + 10,
            create_ns: first,
            handshake_ns: first + 1,
            post_handshake_ns: first + 2,
            free_ns: first + 3,
            send_ns: first + 4,
            receive_ns: first + 5,
            operation_ns: first + 10,
            close_ns: first + 11,
        },
        clock_reads: first + 6,
        wire_bytes: first + 7,
        plaintext_sent: first + 8,
        plaintext_received: first + 9,
        handshake_calls_ns: vec![first, first + 1],
        latencies: Latencies { counts: vec![(3, first), (700, 2)] },
    }
}

fn sample(block: u32, stack: usize) -> Sample {
    let measurement = Measurement {
        iterations: 7,
        client: side(100),
        server: side(200),
        elapsed_ns: 5_000,
        threads: vec![ThreadMeasurement { iterations: 7, elapsed_ns: 4_900 }],
        warm_up: Some(WarmUp {
            iterations: 3,
            elapsed_ns: 2_100,
            client: WarmUpTimes { first_ns: 900, total_ns: 1_100 },
            server: WarmUpTimes { first_ns: 500, total_ns: 800 },
        }),
        open_loop: None,
        faults: 35,
    };
    Sample { round: 1, scenario: 2, attempt: 0, block, place: 1 - stack as u32, stack, measurement }
}

/// The same with connections that arrived at a rate.
fn of_arrivals(block: u32, stack: usize) -> Sample {
    let mut sample = sample(block, stack);
    sample.measurement.open_loop = Some(OpenLoop {
        served: 6,
        span_ns: 7_000,
        client_busy_ns: 3_100,
        server_busy_ns: 3_300,
        late_ns: 70,
        responses: Latencies { counts: vec![(9, 4), (810, 2)] },
    });
    sample
}

fn overhead() -> Overhead {
    Overhead {
        stack: 1,
        round: 3,
        calibration: Calibration {
            clock_read_ns: 20.5,
            clock_step_ns: 10.0,
            handshake_client_ns: 1.0,
            request_client_ns: 1.0,
            request_server_ns: 1.0,
            handshake_server_ns: 2.0,
            send_burst_ns: 3.0,
            send_write_ns: 4.0,
            receive_burst_ns: 5.0,
            receive_write_ns: 6.0,
            operation_burst_ns: 7.0,
            operation_call_ns: 8.0,
        },
        round_trip_ns: 30_000.5,
    }
}

fn what_is_recorded_is_read_back_even_after_the_database_was_closed(place: &Place) {
    let visit = Visit { round: 1, scenario: 2, attempt: 0, complete: false };
    let failed = CellState { scenario: 2, stack: 1, proof: Proof::Failed("it fell over".to_owned()) };
    {
        let mut store = place.open();
        store.create_run(&plan("r", 5), &dead()).unwrap();
        store
            .put_cell("r", &CellState { scenario: 2, stack: 1, proof: Proof::Unsupported("no".to_owned()) })
            .unwrap();
        store.put_cell("r", &failed).unwrap();
        store.add_overhead("r", &overhead()).unwrap();
        store.begin_visit("r", &visit).unwrap();
        store.add_sample("r", &sample(0, 1)).unwrap();
        store.add_sample("r", &of_arrivals(0, 0)).unwrap();
        store.end_visit("r", &Visit { complete: true, ..visit.clone() }, 1.5).unwrap();
        store.warn("r", "loud").unwrap();
        store.warn("r", "loud").unwrap();
    }
    let mut store = place.open();
    store.take_run("r", &me()).unwrap();
    store.complete_run("r").unwrap();
    let run = store.load("r").unwrap();
    assert_eq!(run.plan, plan("r", 5));
    assert!(run.complete);
    assert_eq!(run.measuring_s, 1.5);
    assert_eq!(run.cells, [failed]);
    assert_eq!(run.overheads, [overhead()]);
    assert_eq!(run.visits, [Visit { complete: true, ..visit }]);
    assert_eq!(run.samples, [sample(0, 1), of_arrivals(0, 0)], "in the order in which they were measured");
    assert_eq!(run.warnings, ["loud"]);
}

fn pairs_and_their_samples_are_kept_as_they_were(place: &Place) {
    let mut store = place.open();
    let pair = |server, proof| PairState { scenario: 2, client: 1, server, proof };
    let refused = pair(
        0,
        PairProof::Refused(PairRefusal {
            side: Side::Server,
            step: Step::Handshake,
            error: "no".to_owned(),
            alert: Some("fatal handshake_failure (40)".to_owned()),
            peer: None,
        }),
    );
    let proven = pair(
        1,
        PairProof::Proven { facts: ProvenFacts::Other(serde_json::json!({ "a": 1 })), iteration_ns: 7.5 },
    );
    let side = |first: u64| PairSide {
        phases: PhaseTimes {
            create_ns: first,
            handshake_ns: first + 1,
            post_handshake_ns: first + 2,
            free_ns: first + 3,
            ..PhaseTimes::default()
        },
        clock_reads: first + 4,
        wire_bytes: first + 5,
    };
    let sample = |place| PairSample {
        round: 1,
        scenario: 2,
        attempt: 0,
        block: 3,
        place,
        client: 1,
        server: place as usize,
        iterations: 9,
        sides: [side(10), side(20)],
    };
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.put_pair("r", &pair(0, proven.proof.clone())).unwrap();
    store.put_pair("r", &refused).unwrap();
    store.put_pair("r", &proven).unwrap();
    assert!(store.add_pair_sample("r", &sample(0)).is_err(), "there is no visit yet");
    store.begin_visit("r", &Visit { round: 1, scenario: 2, attempt: 0, complete: false }).unwrap();
    store.add_pair_sample("r", &sample(0)).unwrap();
    store.add_pair_sample("r", &sample(1)).unwrap();
    assert!(store.add_pair_sample("r", &sample(1)).is_err(), "a slice is recorded once");
    let run = store.load("r").unwrap();
    assert_eq!(run.pairs, [refused, proven], "a later word replaces an earlier one");
    assert_eq!(run.pair_samples, [sample(0), sample(1)]);
    assert_eq!(store.runs().unwrap()[0].samples, 2);
}

fn counts_are_kept_as_they_were_and_once(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    let side = |instructions| SideCount {
        phases: PhaseCounts {
            create: Count { instructions, loads: 2, stores: u64::MAX, simulated: None },
            ..PhaseCounts::default()
        },
        handshake_calls: vec![Count { instructions: 1, ..Count::default() }],
        marks: 3,
    };
    let counting = Counting {
        iterations: 32,
        sides: Sides { client: side(1 << 60), server: side(7) },
        features: vec!["avx2".to_owned()],
        wire: "00".to_owned(),
    };
    let count = |seed, counted| CellCount { scenario: 0, stack: 1, seed, counted };
    let counts =
        [count(1, Counted::Unsupported("no".to_owned())), count(7, Counted::Counted(Box::new(counting)))];
    for count in &counts {
        store.add_count("r", count).unwrap();
    }
    assert!(store.add_count("r", &counts[1]).is_err(), "the same cell and seed again");
    assert_eq!(store.load("r").unwrap().counts, counts);
}

fn a_slice_cannot_be_recorded_twice(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.begin_visit("r", &Visit { round: 1, scenario: 2, attempt: 0, complete: false }).unwrap();
    store.add_sample("r", &sample(0, 1)).unwrap();
    assert!(matches!(store.add_sample("r", &sample(0, 1)), Err(StoreError::Database { .. })));
    assert_eq!(store.load("r").unwrap().samples.len(), 1);
}

fn a_sample_needs_a_visit_and_a_visit_a_run(place: &Place) {
    let mut store = place.open();
    assert!(store.begin_visit("r", &Visit { round: 1, scenario: 2, attempt: 0, complete: false }).is_err());
    store.create_run(&plan("r", 5), &me()).unwrap();
    assert!(store.add_sample("r", &sample(0, 1)).is_err());
}

fn runs_are_listed_newest_first_and_an_unknown_one_is_named(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("old", 5), &me()).unwrap();
    store.create_run(&plan("new", 6), &me()).unwrap();
    let ids: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(ids, ["new", "old"]);
    let error = store.load("none").unwrap_err().to_string();
    assert!(error.starts_with("there is no run none in "), "{error}");
    assert!(error.ends_with("`tlslab runs` lists them"), "{error}");
}

fn a_database_of_a_newer_lab_is_left_alone(place: &Place) {
    drop(place.open());
    place.make_newer();
    let error = crate::open(&place.address).err().expect("is refused").to_string();
    assert!(error.contains("has schema 99, this lab knows up to "), "{error}");
}

fn a_text_with_a_nul_and_a_number_beyond_all_are_kept(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.warn("r", "end of its standard error: a\0b").unwrap();
    let visit = Visit { round: 1, scenario: 2, attempt: 0, complete: false };
    store.begin_visit("r", &visit).unwrap();
    let mut beyond = sample(0, 1);
    beyond.measurement.elapsed_ns = u64::MAX;
    store.add_sample("r", &beyond).unwrap();
    store.end_visit("r", &Visit { complete: true, ..visit }, 1.0).unwrap();
    store.complete_run("r").unwrap();
    drop(store);
    let run = place.open().load("r").unwrap();
    assert_eq!(run.warnings, ["end of its standard error: a\u{fffd}b"]);
    assert!(run.samples[0].measurement.elapsed_ns >= i64::MAX as u64);
}

#[test]
fn another_programs_database_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for (name, made) in [
        ("tables", "CREATE TABLE bookmark (url TEXT)"),
        ("marked", "PRAGMA application_id = 252006675"),
        ("versioned", "CREATE TABLE bookmark (url TEXT); PRAGMA user_version = 3"),
    ] {
        let path = folder.path().join(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(made).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = crate::open(&Address::Sqlite(path.clone())).err().expect("is refused").to_string();
        assert!(
            error.ends_with(
                "is another program's database and was not changed; name another --store or --out"
            ),
            "{error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

fn what_a_kill_left_open_is_kept_and_packed_in_the_end(place: &Place) {
    let visit = |attempt| Visit { round: 1, scenario: 2, attempt, complete: false };
    let later = |block| Sample { attempt: 1, ..of_arrivals(block, 1) };
    let mut store = place.open();
    store.create_run(&plan("r", 5), &dead()).unwrap();
    store.begin_visit("r", &visit(0)).unwrap();
    store.add_sample("r", &sample(0, 1)).unwrap();
    store.add_sample("r", &sample(1, 1)).unwrap();
    drop(store);
    let mut store = place.open();
    assert_eq!(store.load("r").unwrap().samples, [sample(0, 1), sample(1, 1)]);
    store.take_run("r", &me()).unwrap();
    store.begin_visit("r", &visit(1)).unwrap();
    store.add_sample("r", &later(0)).unwrap();
    store.end_visit("r", &Visit { complete: true, ..visit(1) }, 1.0).unwrap();
    let all = [sample(0, 1), sample(1, 1), later(0)];
    assert_eq!(store.load("r").unwrap().samples, all);
    assert_eq!(store.runs().unwrap()[0].samples, 3);
    store.complete_run("r").unwrap();
    let run = place.open().load("r").unwrap();
    assert_eq!(run.samples, all);
    assert_eq!(run.visits, [visit(0), Visit { complete: true, ..visit(1) }]);
    assert_eq!(store.runs().unwrap()[0].samples, 3);
}

#[test]
fn a_file_that_is_no_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    std::fs::write(&path, "not a database, but long enough to be taken for one at first sight".repeat(40))
        .unwrap();
    let error = crate::open(&Address::Sqlite(path)).err().expect("is refused").to_string();
    assert!(error.contains("runs.sqlite"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_named_without_the_password() {
    let address = Address::Postgres("postgres://me:secret@127.0.0.1:1/d".to_owned());
    let error = crate::open(&address).err().expect("is refused").to_string();
    assert!(error.starts_with("cannot connect to postgres://me@127.0.0.1:1/d: "), "{error}");
    assert!(!error.contains("secret"), "{error}");
}
