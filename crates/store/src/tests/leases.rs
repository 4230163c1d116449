//! Which process may write to a run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tlslab_record::{RunRecord, Weighed, Weight, WeightKind};

use super::*;
use crate::Store;
use crate::lease::model::LEASE;
use crate::lease::renewal::Renewal;

on_every_database! {
    a_run_is_leased_to_its_maker_and_held,
    a_dead_owner_holds_nothing,
    a_released_run_can_be_taken_and_its_former_owner_writes_no_more,
    a_lease_that_has_ended_can_be_taken_but_is_good_until_then,
    a_lease_is_renewed_by_its_token,
    a_lease_is_renewed_while_its_renewal_lives,
    every_write_of_a_former_owner_is_refused_and_changes_nothing,
    who_never_took_a_run_cannot_write_to_it,
    a_complete_run_takes_figures_and_warnings_from_anybody_and_no_measurements,
    of_many_that_take_a_run_at_once_one_has_it,
    nothing_is_written_with_an_old_token_once_the_run_was_taken,
    a_run_has_the_job_and_the_host_of_who_measures_it,
    an_incomplete_run_is_recorded_anew_unless_somebody_else_measures_it,
}

const VISIT: Visit = Visit { round: 1, scenario: 2, attempt: 0, complete: false };

/// A living process on another host.
fn elsewhere() -> Owner {
    Owner { host: "elsewhere".to_owned(), machine: "m".to_owned(), ..me() }
}

/// Ends all leases, as time does.
fn let_time_pass(place: &Place) {
    place.execute("UPDATE run SET lease_until_unix_ms = 1");
}

fn a_run_is_leased_to_its_maker_and_held(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    let lease = store.lease("r").unwrap();
    assert_eq!((lease.owner, lease.token), (Some(me()), 1));
    let mut other = place.open();
    let error = other.take_run("r", &elsewhere()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, StoreError::Held { by, .. } if by == me()));
    let says = format!("is measured by process {} on {}, whose lease lasts until 2", me().process, me().host);
    assert!(text.starts_with("the run r in ") && text.contains(&says), "{text}");
    assert!(text.contains(" UTC; wait until it has ended, or end that process and resume"), "{text}");
    assert!(store.warn("r", "still mine").is_ok());
    let error = other.take_run("none", &me()).unwrap_err();
    assert!(matches!(error, StoreError::NoSuchRun { .. }), "{error}");
}

fn a_dead_owner_holds_nothing(place: &Place) {
    place.open().create_run(&plan("r", 5), &dead()).unwrap();
    let mut store = place.open();
    let error = store.take_run("r", &elsewhere()).unwrap_err();
    assert!(matches!(error, StoreError::Held { .. }), "another machine cannot see it: {error}");
    let lease = store.take_run("r", &me()).unwrap();
    assert_eq!((lease.owner, lease.token), (Some(me()), 2));
}

fn a_released_run_can_be_taken_and_its_former_owner_writes_no_more(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.release_run("r").unwrap();
    store.release_run("r").unwrap();
    let lease = store.lease("r").unwrap();
    assert_eq!((lease.owner, lease.until_unix_ms), (None, 0));
    assert!(matches!(store.warn("r", "too late"), Err(StoreError::LeaseLost { .. })));
    let mut other = place.open();
    assert!(other.take_run("r", &elsewhere()).unwrap().token > lease.token);
    other.warn("r", "mine").unwrap();
    store.release_run("r").unwrap();
    other.warn("r", "a release without a lease ends no lease of others").unwrap();
}

fn a_lease_that_has_ended_can_be_taken_but_is_good_until_then(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    let_time_pass(place);
    store.warn("r", "nobody has taken it").unwrap();
    place.open().take_run("r", &elsewhere()).unwrap();
    assert!(matches!(store.warn("r", "too late"), Err(StoreError::LeaseLost { .. })));
}

fn a_lease_is_renewed_by_its_token(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    let first = store.lease("r").unwrap();
    let_time_pass(place);
    let renewed = place.open().renew_run("r", 1).unwrap();
    assert_eq!(renewed.token, 1);
    assert!(renewed.until_unix_ms >= first.until_unix_ms);
    let far = first.until_unix_ms + u64::try_from(LEASE.as_millis()).unwrap();
    assert!(renewed.until_unix_ms <= far, "{renewed:?} {first:?}");
    for token in [0, 2] {
        assert!(matches!(place.open().renew_run("r", token), Err(StoreError::LeaseLost { .. })));
    }
    store.release_run("r").unwrap();
    assert!(matches!(place.open().renew_run("r", 1), Err(StoreError::LeaseLost { .. })));
    assert_eq!(store.lease("r").unwrap().until_unix_ms, 0);
}

/// Waits for another thread's action.
fn soon(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "it never is");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn a_lease_is_renewed_while_its_renewal_lives(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    let_time_pass(place);
    let mut again = place.open();
    // Between two renewals there is time to take it, also on a machine that is busy.
    let often = Duration::from_millis(200);
    let renewal = Renewal::start(often, move || again.renew_run("r", 1).map(drop));
    soon(|| store.lease("r").unwrap().until_unix_ms > 1);
    assert!(!renewal.lost().load(Ordering::SeqCst));
    let_time_pass(place);
    // It may be renewed before it is taken: then that is refused, and tried again.
    let mut other = place.open();
    soon(|| {
        let_time_pass(place);
        other.take_run("r", &elsewhere()).is_ok()
    });
    let lost = renewal.lost();
    soon(|| lost.load(Ordering::SeqCst));
    drop(renewal);
    assert!(store.renewal("r").is_ok(), "the handle does not know it yet");
    assert!(place.open().renewal("r").is_err(), "this one never took it");
    let begun = Instant::now();
    drop(store.renewal("r").unwrap());
    assert!(begun.elapsed() < Duration::from_secs(5), "its end is not waited for");
}

/// Every function that writes to a run that is not complete, by name.
type Write = (&'static str, fn(&mut dyn Store) -> Result<(), StoreError>);

const WRITES: [Write; 13] = [
    ("put_cell", |store| {
        store.put_cell("r", &CellState { scenario: 0, stack: 0, proof: Proof::Failed("no".to_owned()) })
    }),
    ("add_overhead", |store| store.add_overhead("r", &overhead())),
    ("begin_visit", |store| store.begin_visit("r", &Visit { attempt: 7, ..VISIT })),
    ("add_sample", |store| store.add_sample("r", &sample(9, 1))),
    ("put_pair", |store| {
        let proof = PairProof::Refused(PairRefusal {
            side: Side::Server,
            step: Step::Handshake,
            error: "no".to_owned(),
            alert: None,
            peer: None,
        });
        store.put_pair("r", &PairState { scenario: 0, client: 0, server: 0, proof })
    }),
    ("add_pair_sample", |store| store.add_pair_sample("r", &pair_sample())),
    ("end_visit", |store| store.end_visit("r", &Visit { complete: true, ..VISIT }, 1.0)),
    ("add_count", |store| {
        let counted = Counted::Unsupported("no".to_owned());
        store.add_count("r", &CellCount { scenario: 0, stack: 0, seed: 1, counted })
    }),
    ("add_weight", |store| {
        let weighed = Weighed::Unsupported("no".to_owned());
        store.add_weight("r", &Weight { scenario: 0, stack: 0, kind: WeightKind::Heap, process: 0, weighed })
    }),
    ("warn", |store| store.warn("r", "loud")),
    ("put_figures", |store| store.put_figures("r", &[])),
    ("delete_samples", |store| store.delete_samples("r", 9).map(drop)),
    ("complete_run", |store| store.complete_run("r")),
];

fn pair_sample() -> PairSample {
    let side = PairSide { phases: PhaseTimes::default(), clock_reads: 1, wire_bytes: 1 };
    PairSample {
        round: 1,
        scenario: 2,
        attempt: 0,
        block: 0,
        place: 0,
        client: 0,
        server: 0,
        iterations: 1,
        sides: [side, side],
    }
}

/// A run with a visit and a sample, in a handle that measures it.
fn measuring(place: &Place) -> Box<dyn Store> {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.begin_visit("r", &VISIT).unwrap();
    store.add_sample("r", &sample(0, 1)).unwrap();
    store.put_figures("r", &[history::figure("a", 0, 1.0)]).unwrap();
    store
}

fn content(place: &Place) -> (RunRecord, Vec<tlslab_record::Figure>) {
    let store = place.open();
    (store.load("r").unwrap(), store.figures("r").unwrap())
}

fn every_write_of_a_former_owner_is_refused_and_changes_nothing(place: &Place) {
    let mut former = measuring(place);
    let_time_pass(place);
    let mut present = place.open();
    present.take_run("r", &elsewhere()).unwrap();
    let before = content(place);
    for (name, write) in WRITES {
        let error = write(&mut *former).expect_err(name);
        assert!(matches!(error, StoreError::LeaseLost { .. }), "{name}: {error}");
        assert_eq!(content(place), before, "{name}");
        let text = error.to_string();
        assert!(text.starts_with("the run r in ") && text.contains("does not hold its lease"), "{text}");
    }
    // Otherwise the writes would be valid.
    for (name, write) in WRITES.into_iter().filter(|(name, _)| *name != "delete_samples") {
        write(&mut *present).unwrap_or_else(|cause| panic!("{name}: {cause}"));
    }
    assert!(content(place).0.complete);
}

fn who_never_took_a_run_cannot_write_to_it(place: &Place) {
    let _measuring = measuring(place);
    let before = content(place);
    for (name, write) in WRITES {
        let error = write(&mut *place.open()).expect_err(name);
        assert!(matches!(error, StoreError::LeaseLost { .. }), "{name}: {error}");
    }
    assert_eq!(content(place), before);
}

fn a_complete_run_takes_figures_and_warnings_from_anybody_and_no_measurements(place: &Place) {
    let mut store = measuring(place);
    store.complete_run("r").unwrap();
    let lease = store.lease("r").unwrap();
    assert_eq!((lease.owner, lease.until_unix_ms), (None, 0));
    let before = content(place);
    for mut handle in [store, place.open()] {
        assert!(matches!(handle.take_run("r", &me()), Err(StoreError::Complete { .. })));
        for (name, write) in WRITES {
            if !["warn", "put_figures", "delete_samples"].contains(&name) {
                let error = write(&mut *handle).expect_err(name);
                assert!(matches!(error, StoreError::Complete { .. }), "{name}: {error}");
            }
        }
    }
    assert_eq!(content(place), before);
    let mut other = place.open();
    other.warn("r", "loud").unwrap();
    other.put_figures("r", &[]).unwrap();
    assert_eq!(content(place).0.warnings, ["loud"]);
    assert_eq!(content(place).1, []);
    assert_eq!(other.delete_samples("r", 9).unwrap().samples, 1);
}

fn of_many_that_take_a_run_at_once_one_has_it(place: &Place) {
    place.open().create_run(&plan("r", 5), &dead()).unwrap();
    let winners = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut store = place.open();
                match store.take_run("r", &me()) {
                    Ok(_) => {
                        winners.fetch_add(1, Ordering::SeqCst);
                        store.warn("r", "mine").unwrap();
                    }
                    Err(StoreError::Held { .. }) => {
                        assert!(store.warn("r", "not mine").is_err());
                    }
                    Err(cause) => panic!("{cause}"),
                }
            });
        }
    });
    assert_eq!(winners.into_inner(), 1);
    let store = place.open();
    assert_eq!(
        (store.lease("r").unwrap().token, store.load("r").unwrap().warnings),
        (2, vec!["mine".to_owned()])
    );
}

fn nothing_is_written_with_an_old_token_once_the_run_was_taken(place: &Place) {
    for attempt in 0..10 {
        let place = place.another();
        let mut former = measuring(&place);
        let is_taken = AtomicBool::new(false);
        let written = AtomicUsize::new(0);
        let seen = std::thread::scope(|scope| {
            let (is_taken, written) = (&is_taken, &written);
            scope.spawn(move || {
                // Single statements and whole transactions.
                for block in 1..5_000 {
                    let was_taken = is_taken.load(Ordering::SeqCst);
                    let done = match block % 4 {
                        0 => former.end_visit("r", &VISIT, 1.0),
                        _ => former.add_sample("r", &sample(block, 1)),
                    };
                    match done {
                        Ok(()) => assert!(!was_taken, "written after the run was taken"),
                        Err(StoreError::LeaseLost { .. }) => return,
                        Err(cause) => panic!("{cause}"),
                    }
                    written.store(block as usize, Ordering::SeqCst);
                    // SQLite has no queue: a process that writes without a pause blocks others.
                    std::thread::sleep(Duration::from_millis(1));
                }
                panic!("it was never refused");
            });
            let mut present = place.open();
            soon(|| written.load(Ordering::SeqCst) > attempt * 3);
            let_time_pass(&place);
            present.take_run("r", &elsewhere()).unwrap();
            // Writes before the takeover are committed, and none comes after it.
            let seen = content(&place);
            is_taken.store(true, Ordering::SeqCst);
            seen
        });
        assert_eq!(content(&place), seen);
    }
}

fn a_run_has_the_job_and_the_host_of_who_measures_it(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("own", 5), &me()).unwrap();
    store.set_job("j1");
    store.create_run(&plan("r", 6), &dead()).unwrap();
    let listed = |place: &Place| {
        let run = place.open().runs().unwrap().remove(0);
        (run.job, run.host, run.owner, run.lease_until_unix_ms > 0)
    };
    assert_eq!(listed(place), ("j1".to_owned(), me().host, Some(dead()), true));
    assert_eq!(place.open().runs().unwrap()[1].job, "");
    let mut other = place.open();
    let_time_pass(place);
    other.take_run("r", &elsewhere()).unwrap();
    assert_eq!(listed(place), ("j1".to_owned(), "elsewhere".to_owned(), Some(elsewhere()), true));
    other.release_run("r").unwrap();
    assert_eq!(listed(place), ("j1".to_owned(), "elsewhere".to_owned(), None, false));
}

fn an_incomplete_run_is_recorded_anew_unless_somebody_else_measures_it(place: &Place) {
    let mut first = place.open();
    first.create_run(&plan("r", 5), &elsewhere()).unwrap();
    first.begin_visit("r", &VISIT).unwrap();
    first.add_sample("r", &sample(0, 1)).unwrap();
    first.warn("r", "loud").unwrap();
    let mut store = place.open();
    assert!(matches!(store.create_run_anew(&plan("r", 5), &me()), Err(StoreError::Held { .. })));
    assert!(matches!(store.create_run_anew(&plan("none", 5), &me()), Err(StoreError::NoSuchRun { .. })));
    assert_eq!(store.load("r").unwrap().samples.len(), 1);
    // The owner itself begins again, by another handle: later writes of the first one are rejected.
    store.create_run_anew(&plan("r", 5), &elsewhere()).unwrap();
    store.begin_visit("r", &VISIT).unwrap();
    store.add_sample("r", &sample(0, 0)).unwrap();
    assert!(first.add_sample("r", &sample(1, 0)).is_err() && first.complete_run("r").is_err());
    let run = place.open().load("r").unwrap();
    assert_eq!((run.samples, run.warnings), (vec![sample(0, 0)], vec![]));
    store.release_run("r").unwrap();
    let mut other = place.open();
    other.create_run_anew(&plan("r", 6), &me()).unwrap();
    other.complete_run("r").unwrap();
    assert!(matches!(other.create_run_anew(&plan("r", 5), &me()), Err(StoreError::Complete { .. })));
    let run = place.open().load("r").unwrap();
    assert_eq!((run.complete, run.plan.started_unix_ms, run.samples.len()), (true, 6, 0));
}
