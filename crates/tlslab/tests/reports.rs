//! Cases from public reports about other benchmark programs, as data: `tests/reports/NAME/report.toml` has
//! the address of the report, the steps, and the correct results. A new one is a folder.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use support::tlslab;

/// A case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    /// Where it was reported.
    addresses: Vec<String>,
    /// The general defect.
    kind: String,
    /// Files that are created before, besides those of the folder.
    #[serde(default)]
    files: Vec<Made>,
    /// The steps, in order.
    steps: Vec<Step>,
}

/// A file, or one for each value. `{n}` and `{n02}` are the value's place from 1, `{value}` is the value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    name: String,
    #[serde(default)]
    text: String,
    /// Bytes in hex instead.
    #[serde(default)]
    bytes: String,
    #[serde(default)]
    values: Vec<f64>,
}

/// A command in a copy of the folder, and its correct result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The words after `tlslab`.
    words: Vec<String>,
    /// The command is repeated for each of these numbers, `{n}` or `{n02}` in its words.
    #[serde(default)]
    numbers: Option<[usize; 2]>,
    #[serde(default)]
    status: i32,
    /// Required output, on either stream.
    #[serde(default)]
    has: Vec<String>,
    /// Forbidden output.
    #[serde(default)]
    lacks: Vec<String>,
    /// Files that it writes.
    #[serde(default)]
    writes: Vec<Written>,
}

/// A file, and its required content.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    file: String,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

fn filled(text: &str, n: usize, value: Option<f64>) -> String {
    let text = text.replace("{n}", &n.to_string()).replace("{n02}", &format!("{n:02}"));
    value.map_or(text.clone(), |value| text.replace("{value}", &value.to_string()))
}

/// The defects; empty if all is right.
fn wrong(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("report.toml")).unwrap();
    let report: Report =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    assert!(report.addresses.iter().all(|address| address.starts_with("https://")), "{}", folder.display());
    assert!(!report.kind.is_empty() && !report.steps.is_empty(), "{}", folder.display());
    let place = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, place.path().join(path.file_name().unwrap())).unwrap();
    }
    for made in &report.files {
        make(made, place.path());
    }
    let mut wrong = Vec::new();
    for step in &report.steps {
        let (from, to) = step.numbers.map_or((1, 1), |[from, to]| (from, to));
        for n in from..=to {
            carry_out(step, n, place.path(), &mut wrong);
        }
    }
    wrong
}

fn make(made: &Made, place: &Path) {
    let values: Vec<Option<f64>> =
        if made.values.is_empty() { vec![None] } else { made.values.iter().copied().map(Some).collect() };
    for (n, value) in values.into_iter().enumerate() {
        let bytes = match made.bytes.is_empty() {
            true => filled(&made.text, n + 1, value).into_bytes(),
            false => {
                let pairs = made.bytes.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
                pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
            }
        };
        fs::write(place.join(filled(&made.name, n + 1, value)), bytes).unwrap();
    }
}

fn carry_out(step: &Step, n: usize, place: &Path, wrong: &mut Vec<String>) {
    let words: Vec<String> = step.words.iter().map(|word| filled(word, n, None)).collect();
    let mut command = tlslab();
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TLSLAB_")) {
        command.env_remove(name);
    }
    let done = command.args(&words).current_dir(place).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&done.stdout) + &text(&done.stderr);
    let mut complain = |what: String, said: &str| {
        let shown: String = said.chars().take(4_000).collect();
        wrong.push(format!("`tlslab {}`: {what}\n{shown}", words.join(" ")));
    };
    if done.status.code() != Some(step.status) {
        complain(format!("ended with {}, not {}", done.status, step.status), &said);
    }
    for (what, is_in) in missing(&step.has, &step.lacks, &said) {
        complain(format!("it {} {what:?}", if is_in { "says" } else { "does not say" }), &said);
    }
    for written in &step.writes {
        let found = fs::read_to_string(place.join(&written.file));
        let Ok(found) = found else {
            complain(format!("it does not write {}", written.file), &said);
            continue;
        };
        for (what, is_in) in missing(&written.has, &written.lacks, &found) {
            complain(
                format!("{} {} {what:?}", written.file, if is_in { "has" } else { "does not have" }),
                &found,
            );
        }
    }
}

/// Required text that is missing, and forbidden text that is present.
fn missing<'t>(has: &'t [String], lacks: &'t [String], text: &str) -> Vec<(&'t str, bool)> {
    let absent = has.iter().filter(|wanted| !text.contains(*wanted)).map(|wanted| (wanted.as_str(), false));
    let present =
        lacks.iter().filter(|unwanted| text.contains(*unwanted)).map(|unwanted| (unwanted.as_str(), true));
    absent.chain(present).collect()
}

#[test]
fn what_was_reported_of_others_is_right_here() {
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reports");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(reports).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    assert!(!folders.is_empty());
    let mut all = String::new();
    for folder in &folders {
        for complaint in wrong(folder) {
            all += &format!("{}: {complaint}\n\n", folder.file_name().unwrap().display());
        }
    }
    assert!(all.is_empty(), "{all}");
}
