//! Lists for pages.

use tlslab_record::{ImportedRun, Series};

use super::history::{figure, series};
use super::outcomes::outcome;
use super::*;
use crate::database::Database;
use crate::run::sql::SqlStore;
use crate::{
    Browse, Cursor, OutcomeFilter, OutcomeState, RunFilter, RunKind, RunSummary, SampleTimes, SeriesFilter,
    Store, open_to_browse,
};

on_every_database! {
    runs_are_listed_page_by_page_and_none_twice,
    runs_are_filtered_by_everything_that_is_named,
    a_page_shows_of_a_run_what_the_list_of_all_runs_shows,
    the_samples_of_a_scenario_are_those_of_its_complete_visits,
    outcomes_are_listed_page_by_page_and_filtered,
    series_are_found_by_patterns_that_mean_nothing_else,
    the_points_of_many_series_are_those_of_each,
    leases_are_listed_while_somebody_holds_them,
    browsing_changes_nothing_and_makes_nothing,
    a_database_of_an_older_or_a_newer_lab_is_not_browsed,
}

fn browse(place: &Place) -> Box<dyn Browse> {
    open_to_browse(&place.address).unwrap()
}

/// The names of all matching runs, in pages of this many.
fn paged(place: &Place, filter: &RunFilter, limit: usize) -> Vec<String> {
    let browse = browse(place);
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let page = browse.runs(filter, after.as_ref(), limit).unwrap();
        assert!(page.items.len() <= limit && !(page.items.is_empty() && page.next.is_some()));
        names.extend(page.items.into_iter().map(|run| run.id));
        let Some(next) = page.next else { return names };
        // It goes through a link.
        after = Some(next.to_string().parse::<Cursor>().unwrap());
    }
}

fn runs_are_listed_page_by_page_and_none_twice(place: &Place) {
    let mut store = place.open();
    // Some begin at the same time.
    for (id, started) in [("b", 5), ("a", 5), ("c", 5), ("e", 9), ("d", 1)] {
        store.create_run(&plan(id, started), &me()).unwrap();
    }
    for limit in 1..=6 {
        assert_eq!(paged(place, &RunFilter::default(), limit), ["e", "c", "b", "a", "d"], "{limit}");
    }
    let browse = browse(place);
    assert_eq!(browse.runs(&RunFilter::default(), None, 0).unwrap().items.len(), 1, "a page has a row");
    assert!(browse.runs(&RunFilter::default(), None, usize::MAX).unwrap().next.is_none());
    for text in ["", "5", "5.", "x.a", "5.A", "5.a'"] {
        assert!(text.parse::<Cursor>().is_err(), "{text}");
    }
}

fn imported(id: &str, started_unix_ms: u64) -> ImportedRun {
    let (format, label) = ("criterion".to_owned(), "1".to_owned());
    ImportedRun { id: id.to_owned(), started_unix_ms, format, label, files: vec![], raw: vec![] }
}

fn runs_are_filtered_by_everything_that_is_named(place: &Place) {
    let mut store = place.open();
    let stacks = |names: &[&str]| {
        names.iter().map(|name| StackRecord { name: (*name).to_owned(), ..stack() }).collect::<Vec<_>>()
    };
    let mut first = plan("first", 5);
    first.stacks = stacks(&["a@1", "b@1", "a@1"]);
    first.baseline = "a@1".to_owned();
    store.create_run(&first, &me()).unwrap();
    store.complete_run("first").unwrap();
    store.set_job("j");
    let mut second = plan("second", 6);
    second.stacks = stacks(&["a@2"]);
    second.suite = "full".to_owned();
    store.create_run(&second, &Owner { host: "other".to_owned(), ..me() }).unwrap();
    store.import(&imported("third", 7), &[figure("s", 0, 1.0)]).unwrap();
    let none = RunFilter::default;
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (none(), &["third", "second", "first"][..]),
        (RunFilter { suite: text("quick"), ..none() }, &["first"]),
        (RunFilter { stack: text("a@1"), ..none() }, &["first"]),
        (RunFilter { stack: text("a@2"), ..none() }, &["second"]),
        (RunFilter { stack: text("library@1.0"), ..none() }, &["third"]),
        (RunFilter { stack: text("a%"), ..none() }, &[]),
        (RunFilter { job: text("j"), ..none() }, &["second"]),
        (RunFilter { host: text("other"), ..none() }, &["second"]),
        (RunFilter { complete: Some(true), ..none() }, &["third", "first"]),
        (RunFilter { complete: Some(false), ..none() }, &["second"]),
        (RunFilter { kind: Some(RunKind::Measured), ..none() }, &["second", "first"]),
        (RunFilter { kind: Some(RunKind::Imported), ..none() }, &["third"]),
        (RunFilter { since_unix_ms: Some(6), ..none() }, &["third", "second"]),
        (RunFilter { until_unix_ms: Some(6), ..none() }, &["first"]),
        (RunFilter { job: text("j"), complete: Some(true), ..none() }, &[]),
        (RunFilter { suite: text("' OR 1 = 1 --"), ..none() }, &[]),
    ] {
        for limit in [1, 10] {
            assert_eq!(paged(place, &filter, limit), expected, "{filter:?}");
        }
    }
}

fn a_page_shows_of_a_run_what_the_list_of_all_runs_shows(place: &Place) {
    let mut store = place.open();
    store.set_job("j");
    let visit = |attempt| Visit { round: 1, scenario: 2, attempt, complete: false };
    for (id, started) in [("kept", 5), ("pruned", 6), ("open", 7)] {
        store.create_run(&plan(id, started), &me()).unwrap();
        for attempt in 0..2 {
            store.begin_visit(id, &visit(attempt)).unwrap();
            (0..3).for_each(|block| {
                store.add_sample(id, &Sample { attempt, ..sample(block, 1) }).unwrap();
            });
        }
        store.end_visit(id, &Visit { complete: true, ..visit(0) }, 1.0).unwrap();
        if id != "open" {
            store.complete_run(id).unwrap();
        }
    }
    store.delete_samples("pruned", 9).unwrap();
    store.import(&imported("imported", 8), &[]).unwrap();
    let all: Vec<RunSummary> = store.runs().unwrap();
    assert_eq!(all.iter().map(|run| run.samples).collect::<Vec<_>>(), [0, 6, 6, 6]);
    assert_eq!(browse(place).runs(&RunFilter::default(), None, 10).unwrap().items, all);
}

fn the_samples_of_a_scenario_are_those_of_its_complete_visits(place: &Place) {
    let mut store = place.open();
    let mut plan = plan("r", 5);
    for (number, scenario) in plan.scenarios.iter_mut().enumerate() {
        scenario.name = format!("s{number}");
    }
    store.create_run(&plan, &me()).unwrap();
    let visit = |scenario, attempt| Visit { round: 1, scenario, attempt, complete: false };
    for visit in [visit(3, 0), visit(2, 0), visit(2, 1)] {
        let Visit { scenario, attempt, .. } = visit;
        store.begin_visit("r", &visit).unwrap();
        for (block, stack) in [(0, 0), (0, 1), (1, 1)] {
            store.add_sample("r", &Sample { scenario, attempt, ..sample(block, stack) }).unwrap();
        }
        if attempt == 0 {
            store.end_visit("r", &Visit { complete: true, ..visit }, 1.0).unwrap();
        }
    }
    let of = |scenario: &str| browse(place).samples("r", scenario).unwrap();
    let found = of("s2").unwrap();
    assert_eq!((found.stacks.len(), found.complete), (8, false));
    // In a block, the second stack comes first.
    let times = |stack: usize| {
        let measured = sample(0, stack).measurement;
        let each = |side: &SideMeasurement| side.phases.total_ns() as f64 / 7.0;
        let (client_ns, server_ns) = (each(&measured.client), each(&measured.server));
        assert!(client_ns > 0.0 && server_ns > client_ns);
        SampleTimes { round: 1, stack, client_ns, server_ns }
    };
    assert_eq!(found.samples, [times(1), times(0), times(1)]);
    assert_eq!(of("s3").unwrap().samples, found.samples);
    assert_eq!(of("s4").unwrap().samples, []);
    assert_eq!(of("s9"), None);
    store.complete_run("r").unwrap();
    assert!(of("s2").unwrap().complete);
    store.delete_samples("r", 9).unwrap();
    let refused = |run: &str| browse(place).samples(run, "s2").unwrap_err();
    assert!(matches!(refused("r"), StoreError::SamplesDeleted { .. }));
    assert!(matches!(refused("none"), StoreError::NoSuchRun { .. }));
}

fn outcomes_are_listed_page_by_page_and_filtered(place: &Place) {
    let mut store = place.open();
    let mut other = outcome("j4", 8, OutcomeState::Done);
    other.summary.run = None;
    other.summary.kind = "run".to_owned();
    other.summary.host = "other".to_owned();
    other.summary.trust = "own".to_owned();
    let first = [
        ("j1", 5, OutcomeState::Done),
        ("j3", 5, OutcomeState::Failed),
        ("j2", 5, OutcomeState::Interrupted),
    ];
    let records = first.map(|(id, at, state)| outcome(id, at, state));
    for record in records.iter().chain([&other]) {
        store.put_outcome(record).unwrap();
    }
    let browse = browse(place);
    let listed = |filter: &OutcomeFilter, limit| {
        let (mut names, mut after) = (Vec::new(), None);
        loop {
            let page = browse.outcomes(filter, after.as_ref(), limit).unwrap();
            names.extend(page.items.into_iter().map(|one| one.id));
            after = page.next;
            if after.is_none() {
                return names;
            }
        }
    };
    let none = OutcomeFilter::default;
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (none(), &["j4", "j3", "j2", "j1"][..]),
        (OutcomeFilter { kind: text("run"), ..none() }, &["j4"]),
        (OutcomeFilter { run: text("r"), ..none() }, &["j3", "j2", "j1"]),
        (OutcomeFilter { host: text("other"), ..none() }, &["j4"]),
        (OutcomeFilter { trust: text("reviewed"), ..none() }, &["j3", "j2", "j1"]),
        (OutcomeFilter { state: Some(OutcomeState::Failed), ..none() }, &["j3"]),
        (OutcomeFilter { since_unix_ms: Some(6), ..none() }, &["j4"]),
        (OutcomeFilter { until_unix_ms: Some(8), ..none() }, &["j3", "j2", "j1"]),
    ] {
        for limit in [1, 2, 10] {
            assert_eq!(listed(&filter, limit), expected, "{filter:?}");
        }
    }
    assert_eq!(browse.outcome("j4").unwrap(), Some(other));
    assert_eq!(browse.outcome("j").unwrap(), None);
}

fn series_are_found_by_patterns_that_mean_nothing_else(place: &Place) {
    let mut store = place.open();
    let names = ["a/b", "a/b/c", "A/b", "a%b", "a_b", "a[x]b", "axb", "a\\b", "a*b"];
    let figures: Vec<_> = names.iter().map(|name| figure(name, 0, 1.0)).collect();
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.put_figures("r", &figures).unwrap();
    store.import(&imported("i", 7), &[figure("axb", 0, 1.0)]).unwrap();
    let browse = browse(place);
    let found = |filter: &SeriesFilter| {
        let list = browse.series(filter, 100).unwrap();
        assert!(!list.has_more);
        let mut names: Vec<String> = list.series.into_iter().map(|one| one.series.scenario).collect();
        names.sort();
        names
    };
    let none = SeriesFilter::default;
    let scenario = |pattern: &str| SeriesFilter { scenario: Some(pattern.to_owned()), ..none() };
    assert_eq!(found(&none()).len(), names.len());
    for (pattern, expected) in [
        ("a/*", &["a/b", "a/b/c"][..]),
        ("a%b", &["a%b"]),
        ("a_b", &["a_b"]),
        ("a[x]b", &["a[x]b"]),
        ("a\\b", &["a\\b"]),
        ("a?b", &["a%b", "a*b", "a/b", "a\\b", "a_b", "axb"]),
        ("*c", &["a/b/c"]),
        ("A*", &["A/b"]),
        ("", &[]),
    ] {
        assert_eq!(found(&scenario(pattern)), expected, "{pattern}");
    }
    let text = |text: &str| Some(text.to_owned());
    for (filter, count) in [
        (SeriesFilter { stack: text("lib*"), side: text("client"), ..none() }, names.len()),
        (SeriesFilter { metric: text("time"), class: text("some *"), ..none() }, names.len()),
        (SeriesFilter { stack: text("lib"), ..none() }, 0),
        (SeriesFilter { side: text("server"), ..none() }, 0),
        (SeriesFilter { metric: text("count*"), ..none() }, 0),
        (SeriesFilter { class: text("other"), ..none() }, 0),
    ] {
        assert_eq!(found(&filter).len(), count, "{filter:?}");
    }
    let all = browse.series(&none(), 100).unwrap().series;
    assert_eq!(all, store.series().unwrap());
    let first = browse.series(&none(), 2).unwrap();
    assert_eq!((&first.series[..], first.has_more), (&all[..2], true));
}

fn the_points_of_many_series_are_those_of_each(place: &Place) {
    let mut store = place.open();
    for (id, started) in [("new", 7), ("old", 5)] {
        let figures: Vec<_> =
            (0..70).map(|number| figure(&format!("s{number}"), 0, f64::from(number))).collect();
        store.create_run(&plan(id, started), &me()).unwrap();
        store.put_figures(id, &figures).unwrap();
    }
    let browse = browse(place);
    let mut wanted: Vec<Series> = (0..70).map(|number| series(&format!("s{number}"))).collect();
    wanted.insert(3, series("unknown"));
    wanted.push(series("s3"));
    // A page of them and a single one, and more than one statement can request.
    wanted.extend((0..500).map(|number| series(&format!("other{number}"))));
    wanted.push(series("s5"));
    for wanted in [&wanted[..], &wanted[..1], &wanted[..9], &[]] {
        let expected: Vec<_> = wanted.iter().map(|one| store.points(one).unwrap()).collect();
        assert_eq!(browse.points_of(wanted).unwrap(), expected);
    }
    let last = browse.points_of(&wanted).unwrap().pop().unwrap();
    assert_eq!(last.iter().map(|point| &*point.run).collect::<Vec<_>>(), ["old", "new"]);
    let error = browse.points_of(&vec![series("a"); 5_001]).unwrap_err().to_string();
    assert_eq!(error, "the points of 5001 series are more than are read at once; ask for at most 5000");
}

fn leases_are_listed_while_somebody_holds_them(place: &Place) {
    let mut store = place.open();
    for (id, started) in [("a", 5), ("b", 6), ("c", 7), ("d", 8)] {
        store.create_run(&plan(id, started), &me()).unwrap();
    }
    store.complete_run("b").unwrap();
    store.release_run("c").unwrap();
    let leases = browse(place).leases().unwrap();
    assert_eq!(leases, [store.lease("d").unwrap(), store.lease("a").unwrap()]);
}

fn browsing_changes_nothing_and_makes_nothing(place: &Place) {
    let error = open_to_browse(&place.address).err().expect("there is nothing").to_string();
    match &place.address {
        Address::Sqlite(path) => {
            assert!(error.contains("there is no database"), "{error}");
            assert!(!path.exists() && !path.parent().unwrap().exists());
        }
        Address::Postgres(_) => assert!(error.contains("has schema 0, this lab reads"), "{error}"),
    }
    let mut store = place.open();
    // Writes of another connection are visible at once.
    let browse = {
        store.create_run(&plan("a", 5), &me()).unwrap();
        browse(place)
    };
    store.create_run(&plan("b", 6), &me()).unwrap();
    assert_eq!(browse.runs(&RunFilter::default(), None, 10).unwrap().items.len(), 2);
    assert_eq!(browse.capabilities().unwrap(), []);
    let refused = match &place.address {
        Address::Sqlite(path) => write(crate::database::sqlite::Sqlite::open_to_read(path).unwrap()),
        Address::Postgres(url) => write(crate::database::postgres::Postgres::open_to_read(url).unwrap()),
    };
    assert!(refused.contains("read-only") || refused.contains("readonly"), "{refused}");
}

fn write<D: Database>(database: D) -> String {
    SqlStore::new(database).put_entry("a", "b", "c").unwrap_err().to_string()
}

fn a_database_of_an_older_or_a_newer_lab_is_not_browsed(place: &Place) {
    drop(place.open());
    place.make_newer();
    let error = open_to_browse(&place.address).err().expect("is refused").to_string();
    assert!(error.contains("has schema 99, this lab knows up to "), "{error}");
    let older = place.another();
    drop(older.open());
    older.execute(match older.address {
        Address::Sqlite(_) => "PRAGMA user_version = 3",
        Address::Postgres(_) => "DELETE FROM migration WHERE number > 3",
    });
    let error = open_to_browse(&older.address).err().expect("is refused").to_string();
    assert!(
        error.contains("has schema 3, this lab reads ") && error.contains("`tlslab recompute` brings"),
        "{error}"
    );
}

#[test]
fn lists_are_read_from_indices_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let database = crate::database::sqlite::Sqlite::open(&folder.path().join("runs.sqlite")).unwrap();
    let explained = |(sql, values): (String, Vec<crate::database::value::Value>)| {
        let rows = database.rows(&format!("EXPLAIN QUERY PLAN {sql}"), &values).unwrap();
        let steps: Vec<String> = rows.iter().map(|row| row.get(3).unwrap()).collect();
        steps.join("\n")
    };
    let after = Some(Cursor { at_unix_ms: 5, id: "a".to_owned() });
    for after in [None, after.as_ref()] {
        let filter = RunFilter { stack: Some("a".to_owned()), complete: Some(true), ..RunFilter::default() };
        let steps = explained(crate::browse::sql::runs(&filter, after, 50));
        assert!(steps.contains("run USING INDEX run_by_start"), "{steps}");
        assert!(!steps.contains("SCAN visit") && !steps.contains("SCAN sample"), "{steps}");
        let steps = explained(crate::browse::sql::outcomes(&OutcomeFilter::default(), after, 50));
        assert!(steps.contains("outcome USING INDEX outcome_by_end"), "{steps}");
        assert!(!steps.contains("TEMP B-TREE"), "{steps}");
    }
}
