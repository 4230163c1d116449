//! Databases of the version before leases, with runs in them.
//!
//! `previous/` has them as text: at commit f4a1ca8 a test filled a database of each kind by the functions of
//! `Store`, with the runs that are expected here, and wrote it by `sqlite3 FILE .dump` with the file's two
//! marks (`user_version`, `application_id`) at the end, and by `pg_dump --inserts --no-owner --no-privileges`
//! without comments.

use tlslab_record::{Figure, FigureOutcome, FigureValue, RunRecord, Weighed, Weight, WeightKind};

use super::*;
use crate::{RunFilter, RunKind, Store, open_to_browse};

on_every_database! {
    runs_of_the_previous_version_are_read_with_everything,
    a_run_that_the_previous_version_left_can_be_taken_and_completed,
}

fn filled(place: &Place) -> Box<dyn Store> {
    if let Address::Sqlite(path) = &place.address {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    place.execute(match place.address {
        Address::Sqlite(_) => include_str!("previous/sqlite.sql"),
        Address::Postgres(_) => include_str!("previous/postgres.sql"),
    });
    place.open()
}

const FIRST: Visit = Visit { round: 1, scenario: 2, attempt: 0, complete: true };
const SECOND: Visit = Visit { round: 1, scenario: 2, attempt: 1, complete: false };

fn second(block: u32) -> Sample {
    Sample { attempt: 1, ..sample(block, 1) }
}

fn figures() -> Vec<Figure> {
    let value = FigureValue { value: 1.25, lower: Some(1.0), upper: None, n: 16 };
    let hole = FigureOutcome::Unsupported { unsupported: "no".to_owned() };
    let of = |scenario: &str, outcome| Figure {
        stack: "library@1.0".to_owned(),
        label: "1.0".to_owned(),
        outcome,
        ..history::figure(scenario, 0, 0.0)
    };
    vec![of("a", FigureOutcome::Value(value)), of("b", hole)]
}

/// The previous version had no such phase, and did not count faults.
fn as_before(mut sample: Sample) -> Sample {
    for side in [&mut sample.measurement.client, &mut sample.measurement.server] {
        side.phases.close_ns = 0;
    }
    sample.measurement.faults = 0;
    sample
}

fn runs_of_the_previous_version_are_read_with_everything(place: &Place) {
    let store = filled(place);
    let listed: Vec<_> = store.runs().unwrap();
    let seen: Vec<_> = listed.iter().map(|run| (&*run.id, run.complete, run.samples)).collect();
    assert_eq!(
        seen,
        [("imported", true, 0), ("interrupted", false, 3), ("pruned", true, 3), ("complete", true, 3)]
    );
    for run in &listed {
        let nobody = (run.owner.is_none(), run.lease_until_unix_ms, &*run.job, &*run.host);
        assert_eq!(nobody, (true, 0, "", ""));
        assert_eq!(store.lease(&run.id).unwrap().token, 0);
    }
    for id in ["complete", "interrupted"] {
        let run: RunRecord = store.load(id).unwrap();
        assert_eq!(run.samples, [sample(0, 1), sample(0, 0), second(0)].map(as_before));
        assert_eq!(run.visits, [FIRST, SECOND]);
        assert_eq!(run.measuring_s, 1.5);
        assert_eq!(run.warnings, ["loud"]);
        let proof = Proof::Unsupported("no".to_owned());
        assert_eq!(run.cells, [CellState { scenario: 2, stack: 1, proof }]);
        let counted = Counted::Unsupported("no".to_owned());
        assert_eq!(run.counts, [CellCount { scenario: 0, stack: 1, seed: u64::MAX, counted }]);
        let weighed = Weighed::Unsupported("no".to_owned());
        assert_eq!(
            run.weights,
            [Weight { scenario: 0, stack: 1, kind: WeightKind::Heap, process: 0, weighed }]
        );
    }
    for (id, expected) in [("complete", 2), ("pruned", 2), ("imported", 1), ("interrupted", 0)] {
        assert_eq!(store.figures(id).unwrap(), figures()[..expected], "{id}");
    }
    assert_eq!(store.points(&figures()[0].series).unwrap().len(), 3);
    assert_eq!(listed[2].samples_deleted_unix_ms, Some(9));
    assert_eq!(listed[0].kind, RunKind::Imported);
    assert_eq!(store.imported("imported").unwrap().raw[0].values, [1.5, 2.5]);
    assert_eq!(store.annotations().unwrap()[0].text, "noted");
    let browse = open_to_browse(&place.address).unwrap();
    for (stack, expected) in
        [("a", &["interrupted", "pruned", "complete"][..]), ("library@1.0", &["imported"])]
    {
        let filter = RunFilter { stack: Some(stack.to_owned()), ..RunFilter::default() };
        let found = browse.runs(&filter, None, 10).unwrap().items;
        assert_eq!(found.iter().map(|run| &*run.id).collect::<Vec<_>>(), expected);
    }
}

fn a_run_that_the_previous_version_left_can_be_taken_and_completed(place: &Place) {
    let mut store = filled(place);
    let refused = store.add_sample("interrupted", &second(1));
    assert!(matches!(refused, Err(StoreError::LeaseLost { .. })), "nobody has taken it");
    assert_eq!(store.take_run("interrupted", &me()).unwrap().token, 1);
    store.add_sample("interrupted", &second(1)).unwrap();
    store.end_visit("interrupted", &Visit { complete: true, ..SECOND }, 1.0).unwrap();
    store.put_figures("interrupted", &figures()).unwrap();
    store.complete_run("interrupted").unwrap();
    let run = place.open().load("interrupted").unwrap();
    let [of_before, new] = [&run.samples[..3], &run.samples[3..]];
    assert_eq!(of_before, [sample(0, 1), sample(0, 0), second(0)].map(as_before));
    assert_eq!(new, [second(1)]);
    assert_eq!((run.complete, run.measuring_s), (true, 2.5));
    assert_eq!(run.visits, [FIRST, Visit { complete: true, ..SECOND }]);
    // Complete ones can still be computed again and pruned.
    store.put_figures("complete", &figures()[..1]).unwrap();
    assert_eq!(store.delete_samples("complete", 11).unwrap().samples, 3);
}
