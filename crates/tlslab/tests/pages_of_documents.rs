//! The pages of published documents equal the program's output from their recorded results.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use tlslab_record::RULE_VERSION;
use tlslab_reproduction::{Measured, Record};

/// The differences between the pages of a folder and the program's output from the records in `documents`.
fn differences(root: &Path, documents: &[&Path], pages: &Path) -> Vec<String> {
    let mut differences = Vec::new();
    let mut names: Vec<String> = fs::read_dir(pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names.iter().filter_map(|name| name.strip_suffix(".md")).filter(|name| *name != "claims") {
        let record = format!("{name}.recorded.json.gz");
        if !documents.iter().any(|folder| folder.join(&record).is_file()) {
            differences.push(format!(
                "{name}.md: no results are recorded in documents/{name}.recorded.json.gz; `tlslab reproduce {name} --record` does that"
            ));
        }
    }
    let printed = tempfile::tempdir().unwrap();
    let output = program(root, &["--all", "--from", "--to", printed.path().to_str().unwrap()]);
    if !output.status.success() {
        differences.push(String::from_utf8_lossy(&output.stderr).into_owned());
        return differences;
    }
    for entry in fs::read_dir(printed.path()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !names.contains(&name) {
            differences.push(format!("{name}: there is no such page; `make documents` writes it"));
        }
    }
    for name in names {
        let is = fs::read_to_string(pages.join(&name)).unwrap();
        let printed = fs::read_to_string(printed.path().join(&name)).unwrap_or_default();
        if is != printed {
            let line = is.lines().zip(printed.lines()).position(|(is, printed)| is != printed);
            let line = line.unwrap_or_else(|| is.lines().count().min(printed.lines().count()));
            differences.push(format!(
                "{name}: line {} is not what the program prints; `make documents` writes it",
                line + 1
            ));
        }
    }
    differences
}

fn program(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.arg("--root").arg(root).arg("reproduce").args(arguments).output().expect("the program starts")
}

const DOCUMENT: &str = "title = \"Nothing measured\"\nby = \"somebody\"\non = \"another machine\"\nflaws = [\"It has no figures.\"]\n";

/// A folder with a document whose record has nothing of it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lab = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    fs::write(folder.path().join("tlslab.toml"), format!("lab = \"{lab}\"\n")).unwrap();
    for below in ["documents", "pages"] {
        fs::create_dir(folder.path().join(below)).unwrap();
    }
    fs::write(folder.path().join("documents/nothing.toml"), DOCUMENT).unwrap();
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    // A trial that the document does not have.
    let measured = Measured { trials: [("another".to_owned(), vec![])].into(), ..Measured::default() };
    packer.write_all(Record::of("nothing", &measured).json("/here").as_bytes()).unwrap();
    fs::write(folder.path().join("documents/nothing.recorded.json.gz"), packer.finish().unwrap()).unwrap();
    folder
}

#[test]
fn every_page_of_docs_is_what_the_program_prints_from_its_record() {
    let lab = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let found = differences(lab, &[&lab.join("documents")], &lab.join("docs/documents"));
    assert!(found.is_empty(), "docs/documents:\n{}", found.join("\n"));
}

#[test]
fn a_changed_word_and_a_missing_record_are_found() {
    let folder = folder();
    let [own, pages] = ["documents", "pages"].map(|below| folder.path().join(below));
    // A folder of one's own has the lab's documents, too.
    let of_lab = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../documents"));
    let documents = &[own.as_path(), of_lab];
    let output = program(folder.path(), &["--all", "--from", "--to", pages.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = pages.join("nothing.md");
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("# Nothing measured\n"), "{text}");
    assert_eq!(differences(folder.path(), documents, &pages), Vec::<String>::new());
    fs::write(&page, text.replace("no figures", "some figures")).unwrap();
    assert_eq!(
        differences(folder.path(), documents, &pages),
        ["nothing.md: line 5 is not what the program prints; `make documents` writes it"]
    );
    fs::write(&page, text).unwrap();
    fs::write(pages.join("other.md"), "# Other\n").unwrap();
    let found = differences(folder.path(), documents, &pages);
    assert!(found[0].contains("`tlslab reproduce other --record` does that"), "{found:?}");
}

#[test]
fn a_record_is_printed_in_every_format_and_a_wrong_one_is_refused() {
    let folder = folder();
    let printed = |arguments: &[&str]| {
        let output = program(folder.path(), arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(printed(&["nothing", "--from"]).contains("It has no figures."));
    assert!(printed(&["nothing", "--from", "--format", "markdown"]).starts_with("# Nothing measured\n"));
    assert!(printed(&["nothing", "--from", "--format", "html"]).starts_with("<!"));
    let file = folder.path().join("other.gz");
    fs::write(&file, "text").unwrap();
    let output = program(folder.path(), &["nothing", &format!("--from={}", file.display())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("cannot be unpacked"), "{said}");
    assert!(said.contains("measure the document again and record it"), "{said}");
    let output = program(folder.path(), &["--from"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no document was named"));
    let output = program(folder.path(), &["wrong", "--from"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no document of this name"));
}

/// The content of a record, as plain JSON: this check shares no code with the program's own reading of it.
fn record(file: &Path) -> Value {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The day of a run that is called `20261126-100653-4614`.
fn day(run: &str) -> String {
    let month: usize = run[4..6].parse().unwrap();
    format!("{} {} {}", run[6..8].trim_start_matches('0'), MONTHS[month - 1], &run[..4])
}

/// What a page's first line after the title must contain but lacks, by the records of its hosts and by its
/// own cells.
fn unsaid(records: &[Value], page: &str) -> Vec<String> {
    let first = page.lines().nth(2).unwrap_or_default();
    let mut needed: Vec<String> = records.iter().flat_map(lacking).collect();
    let cells = page.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split(" | "));
    match cells.filter(|cell| cell.trim_start_matches("| ").starts_with("failed: ")).count() {
        0 => {}
        1 => needed.push("; 1 cell failed".to_owned()),
        several => needed.push(format!("; {several} cells failed")),
    }
    if !needed.is_empty() {
        needed.push("Preliminary".to_owned());
    }
    needed.extend(records.iter().flat_map(runs).max().map(|run| day(&run)));
    needed.retain(|words| !first.contains(words.as_str()));
    needed
}

fn reports(record: &Value) -> Vec<&Value> {
    let runs = record["reports"].as_object().unwrap().values().flat_map(|runs| runs.as_array().unwrap());
    runs.map(|run| &run["report"]).collect()
}

fn comparisons(record: &Value) -> Vec<&Value> {
    record["comparisons"].as_object().unwrap().values().collect()
}

/// The runs in a record.
fn runs(record: &Value) -> Vec<String> {
    let of_reports = reports(record).into_iter().map(|report| &report["run"]["id"]);
    let all = of_reports.chain(comparisons(record).into_iter().map(|of| &of["runs"][0]));
    all.map(|run| run.as_str().unwrap().to_owned()).collect()
}

/// The parts that a record lacks, in the words of a page.
fn lacking(record: &Value) -> Vec<String> {
    let (reports, comparisons) = (reports(record), comparisons(record));
    let is_timed = |report: &&&Value| report["run"]["metrics"].as_array().unwrap().contains(&"time".into());
    let compares_times =
        |of: &&&Value| of["changes"].as_array().unwrap().iter().any(|change| change["metric"] == "time");
    let timed: Vec<&&Value> = reports.iter().filter(is_timed).collect();
    let compared: Vec<&&Value> = comparisons.iter().filter(compares_times).collect();
    let is_fixed = |placement: &Value| placement != "randomised-with-program";
    let mut needed = Vec::new();
    if record["provenance"]["share"].as_f64().is_some_and(|share| share < 1.0) {
        needed.push("of the time".to_owned());
    }
    if timed.iter().any(|report| is_fixed(&report["run"]["placement"]))
        || compared.iter().any(|of| is_fixed(&of["design"]["placement"]))
    {
        needed.push("placement in memory was not always random".to_owned());
    }
    if timed.iter().any(|report| report["run"]["between_runs"]["time"].as_f64().unwrap_or(0.0) == 0.0) {
        needed.push("intervals exclude the variance between runs".to_owned());
    }
    if record["rule"] != RULE_VERSION && !(timed.is_empty() && comparisons.is_empty()) {
        needed.push("an earlier rule".to_owned());
    }
    let mut commits = record["provenance"]["commits"].as_array().into_iter().flatten();
    if commits.any(|commit| commit["dirty"] == true) {
        needed.push("changes that were not committed".to_owned());
    }
    needed
}

/// Each committed document: its name, the records of its hosts, and its page.
fn committed() -> Vec<(String, Vec<Value>, String)> {
    let lab = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let names = fs::read_dir(lab.join("documents")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut documents: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for name in names.filter(|name| name.ends_with(".recorded.json.gz")) {
        let document = name.split('.').next().unwrap().to_owned();
        documents.entry(document).or_default().push(record(&lab.join("documents").join(name)));
    }
    assert!(documents.len() > 4);
    let read = |(name, records): (String, Vec<Value>)| {
        let page = fs::read_to_string(lab.join(format!("docs/documents/{name}.md"))).unwrap();
        (name, records, page)
    };
    documents.into_iter().map(read).collect()
}

#[test]
fn a_page_says_first_what_its_record_lacks() {
    for (name, records, page) in committed() {
        assert_eq!(unsaid(&records, &page), Vec::<String>::new(), "{name}.md: {:?}", page.lines().nth(2));
    }
}

#[test]
fn a_page_that_passes_for_more_than_it_is_is_found() {
    let (_, mut records, page) = committed().into_iter().find(|(name, ..)| name == "wolfssl").unwrap();
    let mut record = records.remove(0);
    let first = page.lines().nth(2).unwrap();
    // A page of a complete record, whose first line has only the day.
    let whole = page.replacen(first, "Measured on 26 November 2026.", 1).replace("| failed: ", "| 7 ");
    record["provenance"]["share"] = 1.0.into();
    record["rule"] = RULE_VERSION.into();
    for run in
        record["reports"].as_object_mut().unwrap().values_mut().flat_map(|runs| runs.as_array_mut().unwrap())
    {
        let run = &mut run["report"]["run"];
        run["placement"] = "randomised-with-program".into();
        run["between_runs"] = serde_json::json!({ "time": 0.02, "ratio": 0.002 });
        run["id"] = "20261126-100653-4614".into();
    }
    assert_eq!(unsaid(&[record.clone()], &whole), Vec::<String>::new());
    let lacking = |place: &str, value: Value| {
        let mut doctored = record.clone();
        *doctored.pointer_mut(place).unwrap() = value;
        unsaid(&[doctored], &whole)
    };
    assert_eq!(lacking("/provenance/share", 0.1.into()), ["of the time", "Preliminary"]);
    assert_eq!(lacking("/rule", Value::Null), ["an earlier rule", "Preliminary"]);
    let run = "/reports/throughput/0/report/run";
    let placement = lacking(&format!("{run}/placement"), "fixed".into());
    assert_eq!(lacking(&format!("{run}/placement"), "randomised".into()), placement);
    assert_eq!(placement, ["placement in memory was not always random", "Preliminary"]);
    let between = lacking(&format!("{run}/between_runs"), Value::Null);
    assert_eq!(between, ["intervals exclude the variance between runs", "Preliminary"]);
    assert_eq!(lacking(&format!("{run}/id"), "20261205-100653-4614".into()), ["5 December 2026"]);
    let failed = whole.clone() + "| failed: it crashed |\n";
    assert_eq!(unsaid(&[record], &failed), ["; 1 cell failed", "Preliminary"]);
}
