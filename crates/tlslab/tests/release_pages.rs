//! The pages of releases are generated from the recorded database, and the answer above each table follows
//! from the table. `UPDATE=1` writes the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tlslab_text::number::change;

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/releases");
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recorded/runs.sqlite.zst");
/// The stacks with several measured releases in the database.
const STACKS: [(&str, &str); 3] =
    [("openssl", "openssl.md"), ("rustls/ring", "rustls-ring.md"), ("wolfssl", "wolfssl.md")];

fn tlslab(words: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_tlslab");
    Command::new(program).args(words).env_remove("TLSLAB_STORE").output().unwrap()
}

#[track_caller]
fn said(words: &[&str]) -> String {
    let output = tlslab(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(PAGES).join(name)).unwrap()
}

/// The pages of the recorded database with the notes of `docs/releases/notes`.
fn made() -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut database = File::create(folder.path().join("tlslab.sqlite")).unwrap();
    zstd::stream::copy_decode(File::open(RECORDED).unwrap(), &mut database).unwrap();
    for note in page("notes").lines().filter(|line| !line.starts_with('#')) {
        let [stack, version, text] = note.split('\t').collect::<Vec<_>>()[..] else { panic!("{note}") };
        said(&["annotate", stack, version, text, "--out", out]);
    }
    let pages = folder.path().join("pages");
    let stacks = format!("{{{}}}", STACKS.map(|(stack, _)| stack).join(","));
    said(&["history", "--pages", pages.to_str().unwrap(), "--stack", &stacks, "--out", out]);
    let files = fs::read_dir(pages).unwrap().map(|file| file.unwrap().path());
    let named = |path: PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap())
    };
    files.map(named).collect()
}

#[test]
fn the_pages_are_what_the_recorded_database_has() {
    let made = made();
    let is_page = |name: &str| [".md", ".svg"].iter().any(|end| name.ends_with(end));
    if std::env::var_os("UPDATE").is_some() {
        for file in fs::read_dir(PAGES).unwrap().map(|file| file.unwrap().path()) {
            if is_page(file.to_str().unwrap()) {
                fs::remove_file(file).unwrap();
            }
        }
        made.iter().for_each(|(name, text)| fs::write(Path::new(PAGES).join(name), text).unwrap());
        return;
    }
    let names = fs::read_dir(PAGES).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.filter(|name| is_page(name)).collect();
    assert_eq!(names, made.keys().cloned().collect(), "UPDATE=1 writes them");
    for (name, text) in made {
        let is_same = page(&name) == text;
        let command = "`UPDATE=1 cargo test --workspace --test release_pages` writes them";
        assert!(is_same, "docs/releases/{name} is not what the database has; {command}");
    }
}

/// The paragraph below the title.
fn answer(page: &str) -> String {
    page.lines().nth(2).unwrap().replace('\\', "")
}

/// The rows of the table under a heading, without its header.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let Some((_, section)) = page.split_once(&format!("\n## {heading}\n")) else { return Vec::new() };
    let section = section.split("\n## ").next().unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().replace('\\', "")).collect()
    };
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(cells).collect()
}

fn number(text: &str) -> f64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

/// A value with its release: `1,620 (3.1.4)`.
fn value(cell: &str) -> (f64, String) {
    let (value, label) = cell.split_once(" (").unwrap();
    (number(value), label.trim_end_matches(')').to_owned())
}

/// The releases that a sentence names: `3.0.8 to 3.3.2 (5 releases), 4.0.0`.
fn listed(text: &str, releases: &[String]) -> Vec<String> {
    let place = |label: &str| releases.iter().position(|one| one == label).unwrap();
    let range = |part: &str| {
        let part = part.split(" (").next().unwrap();
        let (first, last) = part.split_once(" to ").or(part.split_once(" and ")).unwrap_or((part, part));
        releases[place(first)..=place(last)].to_vec()
    };
    text.split(", ").flat_map(range).collect()
}

#[test]
fn every_answer_follows_from_the_tables_below_it() {
    for (stack, file) in STACKS {
        let page = page(file);
        let answer = answer(&page);
        assert!(self::page("README.md").replace('\\', "").contains(&answer), "{answer}");
        let measured = page.lines().find_map(|line| line.strip_prefix("Measured: ")).unwrap();
        let releases: Vec<String> = measured.trim_end_matches('.').split(", ").map(str::to_owned).collect();
        let table = rows(&page, "Releases to skip");
        let mut skipped: Vec<String> = table.iter().map(|row| row[0].clone()).collect();
        skipped.dedup();
        match answer.strip_prefix(&format!("{stack}: skip ")) {
            Some(rest) => {
                assert_eq!(listed(rest.split(": ").next().unwrap(), &releases), skipped, "{answer}");
                assert_clauses(&answer, &table);
            }
            None => assert_nothing(&answer, &skipped, &rows(&page, "Regressions")),
        }
        let (_, moved) = answer.split_once(" Move to ").unwrap();
        let label = moved.split([',', ':']).next().unwrap();
        let newest = releases
            .iter()
            .rfind(|release| !skipped.contains(release) && !moved.contains(&format!("; {release} steps up")));
        assert_eq!(Some(label), newest.map(String::as_str), "{answer}");
    }
}

/// Each row is of a release that is 10 % worse than both others, and each clause is a row.
fn assert_clauses(answer: &str, table: &[Vec<String>]) {
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    let mut clauses = Vec::new();
    for row in table {
        let [release, metric, before, here, back, after, _] = &row[..] else { panic!("{row:?}") };
        let ((before, earlier), (after, later)) = (value(before), value(after));
        let times = (number(here) / before).min(number(here) / after);
        assert!(times >= 1.1, "{row:?} is nothing to skip");
        let change = change(number(here) / before);
        let end = match back.as_str() {
            "never" => format!("back only in part by {later} ("),
            back => format!("back within 5 % by {back} ("),
        };
        let values = format!("{} in {earlier} → {here}", row[2].split(" (").next().unwrap());
        clauses.push((metric, times, format!(": {change} in {release} ({values}"), end));
        let known = worst.entry(metric).or_default();
        *known = known.max(times);
    }
    let told: Vec<_> = clauses.iter().filter(|(_, _, clause, _)| answer.contains(clause)).collect();
    assert_eq!(told.len(), worst.len().min(2), "{answer}");
    for (metric, times, clause, end) in told {
        assert!(*times >= worst[metric.as_str()], "{answer} has not the worst of {metric}");
        assert!(answer.split(clause).nth(1).unwrap().contains(end), "{answer} lacks {end}");
    }
}

/// Nothing is skipped, and the largest step is the first regression.
fn assert_nothing(answer: &str, skipped: &[String], regressions: &[Vec<String>]) {
    assert!(answer.contains("no release to skip") && skipped.is_empty(), "{answer}");
    let Some((_, step)) = answer.split_once("; largest step: ") else {
        return assert!(regressions.is_empty(), "{answer}: {regressions:?}");
    };
    let [release, metric, change, values, ..] = &regressions[0][..] else { panic!("{regressions:?}") };
    let (before, after) = values.split_once(" → ").unwrap();
    assert!(step.starts_with(metric.as_str()), "{answer}");
    assert!(step.contains(&format!(": {change} in {release} ({before} in ")), "{answer}");
    assert!(step.contains(&format!(" → {after}")), "{answer}");
}

/// The releases that are 10 % worse than an earlier and a later one, found by trying all three.
fn skipped_by_trying(timelines: &Value, stack: &str) -> BTreeSet<String> {
    let mut skipped = BTreeSet::new();
    for timeline in timelines["timelines"].as_array().unwrap() {
        let series = &timeline["series"];
        if series["stack"] != stack {
            continue;
        }
        let least = match series["metric"].as_str().unwrap() {
            "contention.atomics" => 100.0,
            "contention.serial" => 10_000.0,
            "count.instructions" => 0.0,
            _ => 256.0,
        };
        let points: Vec<(&str, f64)> = timeline["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| (point["label"].as_str().unwrap(), point["value"].as_f64().unwrap()))
            .collect();
        for (at, (label, here)) in points.iter().enumerate() {
            let is_better = |(_, other): &(&str, f64)| *here >= 1.1 * other && here - other >= least;
            if points[..at].iter().any(is_better) && points[at + 1..].iter().any(is_better) {
                skipped.insert((*label).to_owned());
            }
        }
    }
    skipped
}

#[test]
fn the_command_has_the_same_answers_in_all_formats() {
    let recorded = ["--recorded", RECORDED];
    let releases = |more: &[&str]| said(&[&["history", "--releases"], &recorded[..], more].concat());
    let json: Value = serde_json::from_str(&releases(&["--format", "json"])).unwrap();
    let (terminal, markdown) = (releases(&[]), releases(&["--format", "markdown"]));
    let history = said(&[&["history", "--by-version", "--format", "json"], &recorded[..]].concat());
    let history: Value = serde_json::from_str(&history).unwrap();
    for stack in json["stacks"].as_array().unwrap() {
        let sentence = stack["sentence"].as_str().unwrap();
        assert!(terminal.contains(sentence) && markdown.replace('\\', "").contains(sentence), "{sentence}");
        let name = stack["advice"]["stack"].as_str().unwrap();
        let skip = stack["advice"]["skip"].as_array().unwrap();
        let skipped = skip.iter().map(|one| one["label"].as_str().unwrap().to_owned()).collect();
        assert_eq!(skipped_by_trying(&history, name), skipped, "{name}");
    }
    assert!(terminal.starts_with(json["stacks"][0]["sentence"].as_str().unwrap()), "{terminal}");
    let ratios = |kind: &str| -> Vec<f64> {
        json[kind].as_array().unwrap().iter().map(|step| step["ratio"].as_f64().unwrap()).collect()
    };
    let (regressions, improvements) = (ratios("regressions"), ratios("improvements"));
    assert!(regressions.is_sorted_by(|a, b| a >= b) && regressions.iter().all(|ratio| *ratio > 1.0));
    assert!(improvements.is_sorted() && improvements.iter().all(|ratio| *ratio < 1.0));
    let refused = tlslab(&["history", "--releases", "--format", "html", "--recorded", RECORDED]);
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("`tlslab history --pages DIR`"), "{refused}");
}
