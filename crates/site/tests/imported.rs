//! A site of results that other programs measured.

mod fixture;

use std::path::Path;

use tlslab_lab::{ForeignBetterAsked, ForeignFormat, Given, ImportRequest, Results, import, keep_imported};
use tlslab_pages::{Served, Target};
use tlslab_record::Policy;
use tlslab_site::{Made, Options, Site, Source, write};

/// A run for each value, a day after the one before.
fn fill(folder: &Path, measure: &str, values: &[f64], better: Option<ForeignBetterAsked>) -> Results {
    let results = Results::of(folder.to_owned());
    let mut store = results.open().unwrap();
    for (at, value) in values.iter().enumerate() {
        let file = folder.join("bmf.json");
        std::fs::write(&file, format!(r#"{{"load test": {{"{measure}": {{"value": {value}}}}}}}"#)).unwrap();
        let request = ImportRequest {
            files: vec![file],
            format: ForeignFormat::Bencher,
            label: Some(format!("1.{at}")),
            time: Some(jiff::Timestamp::from_second(1_790_000_000 + 86_400 * at as i64).unwrap()),
            stack: Some("server".to_owned()),
            given: Given { better, ..Given::default() },
            class: "machine".to_owned(),
            epoch: "e".to_owned(),
        };
        keep_imported(&mut *store, &import(&request).unwrap()).unwrap();
    }
    results
}

/// Forty values at 1000, then ten at 1200, with a little scatter.
fn risen() -> Vec<f64> {
    let level = |at: u32| if at < 40 { 1000.0 } else { 1200.0 };
    (0..50).map(|at| level(at) + f64::from(at * 7 % 5)).collect()
}

fn site(results: Results) -> Site {
    let source = Source::open(results, Policy::default().history).unwrap();
    Site::read(source, &Options { base: "https://lab.example/".to_owned(), ..Options::default() }).unwrap()
}

fn text(site: &Site, target: Target) -> String {
    match site.make(&target, &Served { has: |_| true }).unwrap().unwrap() {
        Made::Page(page) => page.body.as_str().to_owned(),
        Made::File { text, .. } => text,
    }
}

fn file(site: &Site, path: &str) -> String {
    text(site, Target::File(path.to_owned()))
}

#[test]
fn three_imported_runs_are_on_every_page_that_leads_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let site = site(fill(folder.path(), "latency", &[100.0, 101.0, 106.0], None));
    let overview = text(&site, Target::Overview);
    assert!(!overview.contains("Nothing has been measured"), "{overview}");
    assert!(
        overview.contains("Imported results") && overview.contains("href=\"/history/server\""),
        "{overview}"
    );
    assert!(overview.contains("3 points: too few to judge a step (at least "), "{overview}");
    assert!(overview.contains("The lab itself has measured nothing here yet."), "{overview}");
    let histories = text(&site, Target::History);
    assert!(
        histories.contains("This page shows all series.") && histories.contains("load test"),
        "{histories}"
    );
    let history = text(&site, Target::HistoryOf("server".to_owned()));
    assert!(history.contains("server 1.2: 3 points: too few to judge a step (at least "), "{history}");
    assert!(!history.contains("No version has changed"), "{history}");
    assert!(!history.contains("href=\"/runs/") && !history.contains("href=\"/scenarios/"), "{history}");
    let runs = text(&site, Target::Runs);
    assert!(runs.contains("<h1>3 imported runs</h1>") && runs.contains("href=\"/history/server\""), "{runs}");
    assert!(file(&site, "data/imported.json").contains("\"series\": 1"));
    assert!(text(&site, Target::Search).contains("1 "), "the search has an entry");
    let out = tempfile::tempdir().unwrap();
    let written = write(&site, &out.path().join("site"), "a", &mut |_, _, _| {}).unwrap();
    assert_eq!(written.broken, []);
    assert!(out.path().join("site/history/server.html").is_file());
}

#[test]
fn without_a_direction_a_step_gets_no_verdict_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let site = site(fill(folder.path(), "requests-per-second", &risen(), None));
    let history = text(&site, Target::HistoryOf("server".to_owned()));
    assert!(history.contains("<span class=\"v rise\">rises by 20.0 %</span>"), "{history}");
    assert!(history.contains("which values are better is unknown"), "{history}");
    let overview = text(&site, Target::Overview);
    assert!(overview.contains("<span class=\"v quiet\">no verdict</span>"), "{overview}");
    assert!(overview.contains("Imported results alone, without a verdict"), "{overview}");
    let json = file(&site, "data/history/server.json");
    assert!(json.contains("\"better\": \"unknown\""), "{json}");
    let badge = file(&site, "badges/server.svg");
    assert!(badge.contains("<title>server: ○ 1.49 no verdict</title>"), "{badge}");
    let feed = file(&site, "feed.atom");
    assert!(
        feed.contains("server 1.40: 0 worse, 0 better, 1 without a verdict, the largest rises by 20.0 %"),
        "{feed}"
    );
    for page in [&history, &overview] {
        let shown = page.replace("<span class=\"v regression\">worse</span>", "");
        let shown = shown.replace("<span class=\"v improvement\">better</span>", "");
        assert!(!shown.contains("v regression") && !shown.contains("v improvement"), "{shown}");
    }
}

#[test]
fn a_direction_that_was_given_makes_a_verdict() {
    for (better, class) in
        [(ForeignBetterAsked::Larger, "improvement"), (ForeignBetterAsked::Smaller, "regression")]
    {
        let folder = tempfile::tempdir().unwrap();
        let site = site(fill(folder.path(), "requests-per-second", &risen(), Some(better)));
        let history = text(&site, Target::HistoryOf("server".to_owned()));
        assert!(history.contains(&format!("<span class=\"v {class}\">+20.0 %</span>")), "{history}");
    }
}

#[test]
fn the_lab_s_own_stacks_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    fixture::fill(folder.path());
    let site = site(fill(folder.path(), "latency", &[100.0, 101.0, 106.0], None));
    let overview = text(&site, Target::Overview);
    assert!(
        overview.contains("href=\"/stacks/openssl\"") && overview.contains("Imported results"),
        "{overview}"
    );
    let runs = text(&site, Target::Runs);
    assert!(runs.contains("<h1>3 runs, 3 imported runs</h1>"), "{runs}");
    let histories = text(&site, Target::History);
    assert!(histories.contains("all series of server"), "{histories}");
}
