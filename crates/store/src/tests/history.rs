//! Figures, imported runs, and deleted samples.

use tlslab_record::{Annotation, Figure, FigureOutcome, FigureValue, ImportedRun, RawValues, Series};

use super::*;
use crate::{Deleted, RunKind, Store};

on_every_database! {
    figures_are_kept_as_they_were_and_replaced_as_a_whole,
    a_series_has_the_points_of_all_runs_oldest_first,
    labels_are_listed_by_run_and_place,
    labs_that_write_the_same_series_at_once_do_not_wait_for_each_other,
    an_imported_run_has_figures_and_raw_values,
    samples_go_and_figures_stay,
    an_annotation_is_kept_replaced_and_removed,
}

fn an_annotation_is_kept_replaced_and_removed(place: &Place) {
    let note = |scenario: &str, text: &str, noted_unix_ms| Annotation {
        stack: "library".to_owned(),
        label: "1.1".to_owned(),
        scenario: scenario.to_owned(),
        text: text.to_owned(),
        noted_unix_ms,
    };
    let mut store = place.open();
    store.annotate(&note("", "fix of a leak", 1)).unwrap();
    store.annotate(&note("handshake/**", "another compiler", 2)).unwrap();
    store.annotate(&note("", "a fix <b>", 3)).unwrap();
    drop(store);
    let mut store = place.open();
    let expected = [note("", "a fix <b>", 3), note("handshake/**", "another compiler", 2)];
    assert_eq!(store.annotations().unwrap(), expected);
    store.annotate(&note("", "", 4)).unwrap();
    assert_eq!(store.annotations().unwrap(), expected[1..]);
}

pub(super) fn series(scenario: &str) -> Series {
    let text = str::to_owned;
    Series {
        scenario: text(scenario),
        stack: text("library"),
        side: text("client"),
        metric: text("time"),
        unit: text("µs"),
        class: text("some machine"),
    }
}

pub(super) fn figure(scenario: &str, place: u32, value: f64) -> Figure {
    let value = FigureValue { value, lower: Some(value - 0.5), upper: None, n: 16 };
    let label = format!("1.{place}");
    let outcome = FigureOutcome::Value(value);
    Figure {
        series: series(scenario),
        stack: format!("library@{label}"),
        place,
        label,
        epoch: "e".to_owned(),
        outcome,
    }
}

fn hole(scenario: &str, outcome: FigureOutcome) -> Figure {
    Figure { outcome, ..figure(scenario, 0, 0.0) }
}

fn run(store: &mut dyn Store, id: &str, started_unix_ms: u64, figures: &[Figure]) {
    store.create_run(&plan(id, started_unix_ms), &me()).unwrap();
    store.put_figures(id, figures).unwrap();
    store.complete_run(id).unwrap();
}

fn figures_are_kept_as_they_were_and_replaced_as_a_whole(place: &Place) {
    let mut store = place.open();
    // A reason may be longer than what fits into an index.
    let long = "why ".repeat(2_000);
    let figures = [
        figure("a", 0, 0.1 + 0.2),
        figure("a", 1, f64::MIN_POSITIVE),
        hole("b", FigureOutcome::Unsupported { unsupported: "no".to_owned() }),
        hole("c", FigureOutcome::Failed { failed: long }),
    ];
    run(&mut *store, "r", 5, &figures);
    assert_eq!(place.open().figures("r").unwrap(), figures);
    store.put_figures("r", &figures[1..2]).unwrap();
    assert_eq!(store.figures("r").unwrap(), figures[1..2]);
    assert_eq!(store.series().unwrap().len(), 1, "what has no point is no series");
}

fn a_series_has_the_points_of_all_runs_oldest_first(place: &Place) {
    let mut store = place.open();
    run(&mut *store, "new", 7, &[figure("a", 0, 3.0)]);
    run(&mut *store, "old", 5, &[figure("a", 1, 2.0), figure("a", 0, 1.0), figure("b", 0, 9.0)]);
    let points = store.points(&series("a")).unwrap();
    let seen: Vec<_> = points
        .iter()
        .map(|point| {
            (&*point.run, point.started_unix_ms, &*point.label, point.outcome.value().unwrap().value)
        })
        .collect();
    assert_eq!(seen, [("old", 5, "1.0", 1.0), ("old", 5, "1.1", 2.0), ("new", 7, "1.0", 3.0)]);
    let listed: Vec<_> = store.series().unwrap().into_iter().map(|one| (one.series, one.points)).collect();
    assert_eq!(listed, [(series("a"), 3), (series("b"), 1)]);
    assert!(store.points(&series("z")).unwrap().is_empty());
}

fn labels_are_listed_by_run_and_place(place: &Place) {
    let mut store = place.open();
    let failed = hole("b", FigureOutcome::Failed { failed: "no".to_owned() });
    run(&mut *store, "new", 7, &[failed, figure("a", 2, 3.0), figure("b", 2, 3.0)]);
    run(&mut *store, "old", 5, &[figure("a", 1, 2.0), figure("a", 0, 1.0)]);
    let seen: Vec<_> = store.appearances().unwrap();
    assert!(seen.iter().all(|one| one.stack == "library"));
    let seen: Vec<_> = seen.iter().map(|one| (&*one.run, &*one.label, one.has_value)).collect();
    assert_eq!(
        seen,
        [("old", "1.0", true), ("old", "1.1", true), ("new", "1.0", false), ("new", "1.2", true)]
    );
}

fn labs_that_write_the_same_series_at_once_do_not_wait_for_each_other(place: &Place) {
    drop(place.open());
    std::thread::scope(|scope| {
        for lab in 0..4 {
            scope.spawn(move || {
                let mut store = place.open();
                // Each lab names them in another order.
                let mut all: Vec<Figure> = (0..60).map(|one| figure(&format!("s{one}"), 0, 1.0)).collect();
                all.rotate_left(lab * 15);
                run(&mut *store, &lab.to_string(), 5, &all);
            });
        }
    });
    assert!(place.open().series().unwrap().iter().all(|one| one.points == 4));
}

fn an_imported_run_has_figures_and_raw_values(place: &Place) {
    let mut store = place.open();
    let raw = vec![RawValues { series: series("a"), values: vec![1.5, 2.5] }];
    let imported = ImportedRun {
        id: "i".to_owned(),
        started_unix_ms: 5,
        format: "criterion".to_owned(),
        label: "abc".to_owned(),
        files: vec!["f".to_owned()],
        raw,
    };
    store.import(&imported, &[figure("a", 0, 2.0)]).unwrap();
    assert_eq!(store.imported("i").unwrap(), imported);
    assert_eq!(store.figures("i").unwrap(), [figure("a", 0, 2.0)]);
    store.create_run(&plan("own", 9), &me()).unwrap();
    store.put_figures("own", &[figure("b", 0, 2.0)]).unwrap();
    let are_imported: Vec<bool> = store.series().unwrap().iter().map(|one| one.imported).collect();
    assert_eq!(are_imported, [true, false]);
    let listed = &store.runs().unwrap()[1];
    assert_eq!((listed.kind, &*listed.suite, listed.complete), (RunKind::Imported, "criterion", true));
    assert!(store.load("i").unwrap_err().to_string().contains("was imported"));
    assert!(store.import(&imported, &[]).is_err(), "a run's name is its own");
    assert_eq!(store.figures("i").unwrap().len(), 1);
}

fn samples_go_and_figures_stay(place: &Place) {
    let mut store = place.open();
    let visit = Visit { round: 1, scenario: 2, attempt: 0, complete: true };
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.begin_visit("r", &visit).unwrap();
    for block in 0..20 {
        store.add_sample("r", &sample(block, 1)).unwrap();
    }
    store.end_visit("r", &visit, 1.0).unwrap();
    store.put_figures("r", &[figure("a", 0, 2.0)]).unwrap();
    store.complete_run("r").unwrap();
    let there = store.samples_of("r").unwrap();
    assert_eq!(there.samples, 20);
    assert!(there.bytes > 50, "{there:?}");
    assert_eq!(store.load("r").unwrap().samples.len(), 20, "asking takes nothing away");
    assert_eq!(store.delete_samples("r", 7).unwrap(), there);
    store.shrink().unwrap();
    assert!(store.bytes().unwrap() > 0);
    let error = store.load("r").unwrap_err().to_string();
    assert!(error.contains("were pruned: `tlslab history"), "{error}");
    assert_eq!(store.figures("r").unwrap(), [figure("a", 0, 2.0)]);
    let listed = &store.runs().unwrap()[0];
    assert_eq!((listed.samples, listed.samples_deleted_unix_ms), (20, Some(7)));
    assert_eq!(store.samples_of("r").unwrap(), Deleted::default());
}
