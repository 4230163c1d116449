//! A site of made-up runs, as files.

mod fixture;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tlslab_choice::Candidate;
use tlslab_estimate::Metric;
use tlslab_pages::site::{Choice, ScenarioPage, StackPage};
use tlslab_pages::{Served, Target};
use tlslab_record::Policy;
use tlslab_site::{Made, Options, Site, Source, Written, write};

fn site(database: &Path) -> Site {
    let results = tlslab_lab::Results::of(database.to_owned());
    let (base, capabilities) = ("https://lab.example/".to_owned(), fixture::capabilities());
    let options = Options { base, capabilities, ..Options::default() };
    Site::read(Source::open(results, Policy::default().history).unwrap(), &options).unwrap()
}

fn written(database: &Path, folder: &Path, program: &str) -> Written {
    write(&site(database), folder, program, &mut |_, _, _| {}).unwrap()
}

#[test]
fn every_link_leads_somewhere_and_only_what_changed_is_written_again() {
    let (database, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = out.path().join("site");
    fixture::fill(database.path());
    let first = written(database.path(), &folder, "a");
    assert_eq!(first.broken, []);
    assert_eq!((first.written, first.removed), (first.files, 0));
    let again = written(database.path(), &folder, "a");
    assert_eq!((again.files, again.written, again.removed), (first.files, 0, 0));
    // Somebody has changed a page, and another is gone.
    fs::write(folder.join("choose.html"), "x").unwrap();
    fs::remove_file(folder.join("runs/20261122-101500-k3vq.html")).unwrap();
    assert_eq!(written(database.path(), &folder, "a").written, 2);
    // Another program makes the same pages; none has to be written.
    assert_eq!(written(database.path(), &folder, "b").broken, []);
    // A file that is not the site's stays.
    fs::write(folder.join("CNAME"), "lab.example").unwrap();
    let mut manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("tlslab-site.json")).unwrap()).unwrap();
    let old = serde_json::json!({ "sha256": "", "bytes": 1 });
    manifest["files"]["runs/old.html"] = old.clone();
    manifest["files"]["../outside.html"] = old;
    fs::write(folder.join("tlslab-site.json"), manifest.to_string()).unwrap();
    fs::write(folder.join("runs/old.html"), "old").unwrap();
    fs::write(out.path().join("outside.html"), "mine").unwrap();
    assert_eq!(written(database.path(), &folder, "b").removed, 1);
    assert!(folder.join("CNAME").is_file() && out.path().join("outside.html").is_file());
    assert!(!folder.join("runs/old.html").exists());
}

#[test]
fn reading_writes_nothing_to_the_database() {
    let database = tempfile::tempdir().unwrap();
    fixture::fill(database.path());
    let bytes = |name: &str| fs::read(database.path().join(name)).unwrap();
    let before = bytes("tlslab.sqlite");
    let out = tempfile::tempdir().unwrap();
    written(database.path(), out.path(), "a");
    assert!(bytes("tlslab.sqlite") == before, "the database has changed");
}

#[test]
fn what_each_stack_can_do_is_a_page_with_each_reason_once() {
    let database = tempfile::tempdir().unwrap();
    fixture::fill(database.path());
    let served = Served { has: |_| true };
    let page = |site: &Site, target| match site.make(&target, &served).unwrap() {
        Some(Made::Page(page)) => page.body.as_str().to_owned(),
        _ => String::new(),
    };
    let with = site(database.path());
    let text = page(&with, Target::Capabilities);
    for (stack, able) in fixture::capabilities() {
        let (_, part) = text.split_once(&format!("<summary><b>{stack}</b>")).expect(&stack);
        let (part, _) = part.split_once("</details>").unwrap();
        assert!(part.contains(&format!("<section id=\"{}\">", tlslab_pages::slug(&stack))), "{part}");
        assert_eq!(part.matches("<li>").count(), able.cannot.len(), "{stack}");
    }
    assert!(
        text.contains("<li>Bertie speaks TLS 1.3 alone<span class=\"under\">resumption 1.2/ticket, "),
        "{text}"
    );
    for leading in [Target::Stacks, Target::Stack("openssl".to_owned())] {
        assert!(page(&with, leading).contains("href=\"/capabilities\">Capabilities of each stack</a>"));
    }
    let results = tlslab_lab::Results::of(database.path().to_owned());
    let source = Source::open(results, Policy::default().history).unwrap();
    let without = Site::read(source, &Options::default()).unwrap();
    assert!(!without.targets().contains(&Target::Capabilities));
    assert_eq!(page(&without, Target::Capabilities), "");
    let data = || Target::File("data/capabilities.json".to_owned());
    assert!(with.make(&data(), &served).unwrap().is_some());
    assert!(without.make(&data(), &served).unwrap().is_none());
    assert!(!page(&without, Target::Stacks).contains("/capabilities"));
}

#[test]
fn pages_say_what_changed_and_lead_to_each_other() {
    let database = tempfile::tempdir().unwrap();
    fixture::fill(database.path());
    let site = site(database.path());
    let served = Served { has: |_| true };
    let text = |target: Target| match site.make(&target, &served).unwrap().unwrap() {
        Made::Page(page) => page.body.as_str().to_owned(),
        Made::File { text, .. } => text,
    };
    let overview = text(Target::Overview);
    assert!(
        overview.contains("openssl 3.5.5: ") && overview.contains("the largest +4.70 % in instructions"),
        "{overview}"
    );
    assert!(overview.contains("href=\"/stacks/openssl\"") && overview.contains("href=\"/history/openssl\""));
    let stack = text(Target::Stack("openssl".to_owned()));
    assert!(stack.contains("<p class=\"advice\">openssl: no release to skip: "), "{stack}");
    let kinds = [stack.find("aria-label=\"Regressions\""), stack.find("aria-label=\"Improvements\"")];
    assert!(kinds[0].is_some() && kinds[0] < kinds[1], "{stack}");
    assert!(
        stack.contains("/runs/20261123-101500-k3vq") && stack.contains("942,300 instructions"),
        "{stack}"
    );
    let scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/chain+name";
    let scenarios: BTreeSet<Target> =
        site.targets().into_iter().filter(|target| matches!(target, Target::Scenario(_))).collect();
    assert!(!scenarios.is_empty(), "{scenario}");
    for target in scenarios {
        assert!(text(target).contains("tlslab run --scenario"));
    }
    let feed = text(Target::File("feed.atom".to_owned()));
    assert!(
        feed.contains("<title>openssl 3.5.5: ") && feed.contains("https://lab.example/stacks/openssl.html"),
        "{feed}"
    );
    let badge = text(Target::File("badges/openssl.svg".to_owned()));
    assert!(badge.contains("<title>openssl: ▲ 3.5.5 +4.70 %</title>"), "{badge}");
    let comparisons = text(Target::Comparisons);
    assert!(comparisons.contains("href=\"/comparisons/"), "{comparisons}");
    assert!(site.make(&Target::Run("../../etc/passwd".to_owned()), &served).unwrap().is_none());
}

fn text(site: &Site, target: &Target) -> String {
    match site.make(target, &tlslab_pages::Alone).unwrap().unwrap() {
        Made::File { text, .. } => text,
        Made::Page(page) => page.body.as_str().to_owned(),
    }
}

#[test]
fn a_stack_that_protects_nothing_is_shown_and_not_ranked() {
    let database = tempfile::tempdir().unwrap();
    let bare = fixture::fill_bare(database.path());
    let site = site(database.path());
    let mut shown = 0;
    for target in site.targets() {
        let Target::File(path) = &target else { continue };
        if !path.starts_with("data/scenarios/") {
            continue;
        }
        let page: ScenarioPage = serde_json::from_str(&text(&site, &target)).unwrap();
        for table in page.tables.iter().filter(|table| table.is_ranked) {
            let unranked: Vec<usize> = (0..table.rows.len()).filter(|at| table.rows[*at].unranked).collect();
            let places: Vec<usize> =
                (0..table.rows.len()).filter(|at| table.rows[*at].stack == bare).collect();
            assert_eq!(unranked, places, "{}: {table:?}", page.name);
            assert!(unranked.iter().all(|at| at + 1 == table.rows.len()), "{}: {table:?}", page.name);
            shown += unranked.len();
        }
    }
    assert!(shown > 0, "{bare} has no row");
    let choice: Choice =
        serde_json::from_str(&text(&site, &Target::File("data/choose.json".to_owned()))).unwrap();
    let (its, others): (Vec<_>, Vec<_>) =
        choice.candidates.iter().partition(|candidate| bare.starts_with(&candidate.stack));
    let figures =
        |of: &[&Candidate]| of.iter().flat_map(|of| &of.costs).filter(|cost| cost.figure.is_some()).count();
    assert!(its.len() == 1 && !its[0].costs.is_empty(), "{its:?}");
    assert!(figures(&its) == 0 && figures(&others) > 0, "{choice:?}");
}

#[test]
fn each_metric_is_of_the_newest_run_that_has_it() {
    let database = tempfile::tempdir().unwrap();
    let [times, counts] = fixture::fill_metrics_apart(database.path());
    let site = site(database.path());
    let of_kind = |folder: &str| -> Vec<String> {
        let is_it = |target: &Target| matches!(target, Target::File(path) if path.starts_with(folder));
        site.targets().iter().filter(|target| is_it(target)).map(|target| text(&site, target)).collect()
    };
    let pages: Vec<ScenarioPage> =
        of_kind("data/scenarios/").iter().map(|page| serde_json::from_str(page).unwrap()).collect();
    for metric in ["time", "count.instructions"] {
        let run = if metric == "time" { &times } else { &counts };
        let tables = pages.iter().flat_map(|page| &page.tables).filter(|table| table.metric == metric);
        let rows: Vec<&String> = tables.flat_map(|table| &table.rows).map(|row| &row.run).collect();
        assert!(!rows.is_empty() && rows.iter().all(|of| *of == run), "{metric}: {rows:?}");
    }
    for stack in of_kind("data/stacks/") {
        let page: StackPage = serde_json::from_str(&stack).unwrap();
        for cell in page.cells {
            let is_of = |(metric, _): &(String, _)| (metric == "count.instructions") == (cell.run == counts);
            assert!(cell.figures.iter().all(is_of), "{cell:?}");
        }
    }
}

#[test]
fn stacks_of_one_run_are_judged_by_the_ratios_of_its_report() {
    let database = tempfile::tempdir().unwrap();
    let results = fixture::fill(database.path());
    let site = site(database.path());
    let store = tlslab_store::open_to_read(&results.address()).unwrap();
    let text = |target: &Target| text(&site, target);
    let mut compared = 0;
    for target in site.targets() {
        let Target::File(path) = &target else { continue };
        if !path.starts_with("data/scenarios/") {
            continue;
        }
        let page: ScenarioPage = serde_json::from_str(&text(&target)).unwrap();
        for table in page.tables.iter().filter(|table| table.metric == "time") {
            let first = &table.rows[0];
            let report = tlslab_lab::report_of(&results, &*store, store.load(&first.run).unwrap()).unwrap();
            let ratio_of = |stack: &str, baseline: &str| {
                let of_it = report.cells_of(&page.name, stack);
                let mut cells = of_it.filter(|cell| cell.metric == Metric::Time);
                let cell = cells.find(|cell| cell.side.to_string() == table.side)?;
                let ratio = cell.outcome.measured()?.ratio.clone()?;
                (ratio.baseline == baseline).then_some(ratio.estimated)
            };
            for row in &table.rows[1..] {
                let Some(found) = row.first_over else { continue };
                if let Some(of_first) = ratio_of(&first.stack, &row.stack) {
                    let interval = of_first.interval.unwrap();
                    assert_eq!(
                        (found.ratio, found.lower, found.upper),
                        (of_first.value, interval.lower, interval.upper)
                    );
                    compared += 1;
                }
                if let Some(of_row) = ratio_of(&row.stack, &first.stack) {
                    assert!(
                        (found.ratio * of_row.value - 1.0).abs() < 1e-9,
                        "{}: {found:?}, {of_row:?}",
                        page.name
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 0, "no stack was compared with a baseline");
    let choice: Choice = serde_json::from_str(&text(&Target::File("data/choose.json".to_owned()))).unwrap();
    assert!(!choice.pairs.is_empty());
    let chooser = text(&Target::Choose);
    assert!(!chooser.contains("no run measured both"), "{chooser}");
}

#[test]
fn tables_are_json_that_can_be_read_back() {
    let database = tempfile::tempdir().unwrap();
    fixture::fill(database.path());
    let site = site(database.path());
    for target in site.targets() {
        let Target::File(path) = &target else { continue };
        let Made::File { kind, text } = site.make(&target, &tlslab_pages::Alone).unwrap().unwrap() else {
            panic!("{path} is a page");
        };
        if kind == "application/json" {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(value.is_array() || value.is_object(), "{path}");
        }
    }
}

#[test]
fn a_database_that_there_is_not_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let results = tlslab_lab::Results::of(folder.path().to_owned());
    let error = Source::open(results, Policy::default().history).err().unwrap().to_string();
    assert!(error.contains("tlslab.sqlite") && error.contains("there is no database"), "{error}");
    let file = folder.path().join("x.zst");
    fs::write(&file, "no zstd").unwrap();
    let error = Source::recorded(&file, Policy::default().history).err().unwrap().to_string();
    assert!(error.starts_with("cannot unpack") && error.ends_with("x.zst"), "{error}");
}

/// A database, packed.
fn packed(database: &Path) -> std::path::PathBuf {
    let file = database.join("packed.zst");
    let text = fs::read(database.join("tlslab.sqlite")).unwrap();
    fs::write(&file, zstd::encode_all(&text[..], 1).unwrap()).unwrap();
    file
}

#[test]
fn several_recorded_databases_are_one_site() {
    let [whole, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    fixture::fill(whole.path());
    tlslab_store::open(&tlslab_lab::Results::of(other.path().to_owned()).address()).unwrap();
    let [whole_file, empty_file] = [&whole, &other].map(|database| packed(database.path()));
    let runs = |files: &[&Path]| {
        let source = Source::all_recorded(files, Policy::default().history).unwrap();
        let site = Site::read(source, &Options::default()).unwrap();
        site.runs().iter().map(|run| run.id.clone()).collect::<Vec<_>>()
    };
    let alone = runs(&[&whole_file]);
    assert!(!alone.is_empty() && runs(&[&empty_file]).is_empty());
    // Into whichever it is copied, and also twice, each run is there once.
    assert_eq!(runs(&[&whole_file, &empty_file]), alone);
    assert_eq!(runs(&[&empty_file, &whole_file, &whole_file]), alone);
}
