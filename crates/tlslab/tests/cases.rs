//! Public questions about TLS libraries, as data in docs/cases: each file has every field, its commands run, each
//! number of its answer is in the recorded output, and the page is what the files generate.
//!
//! `docs/cases/measure NAME` records an output; `UPDATE=1` writes the page.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde::Deserialize;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tlslab");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Lines that every run ends with, which no page shows.
const ENDS: [&str; 3] = ["method, policy, proof: ", "repeat: `tlslab ", "next: `tlslab "];
/// The only stack of short forms: its library is installed, and its driver is compiled in seconds.
const SHORT_STACK: &str = "openssl@system";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    title: String,
    /// In this project's words.
    question: String,
    command: String,
    needs: Needs,
    /// The same work, as little of it as there is, of [`SHORT_STACK`].
    #[serde(default)]
    short: String,
    /// The page shows lines with one of these texts; all lines if the list is empty.
    #[serde(default)]
    keep: Vec<String>,
    /// Of those, it does not show lines with one of these.
    #[serde(default)]
    drop: Vec<String>,
    outcome: Outcome,
    answer: String,
    /// What would change the answer.
    changes: String,
    asked: Asked,
    /// The file's name without `.toml`.
    #[serde(skip)]
    name: String,
    /// The first line of the record: date, host, load and program.
    #[serde(skip)]
    host: String,
    /// What the command printed.
    #[serde(skip)]
    output: String,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Needs {
    /// Recorded results alone.
    Recorded,
    /// Builds of libraries.
    Builds,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
enum Outcome {
    #[serde(rename = "answered")]
    Answered,
    #[serde(rename = "in part")]
    InPart,
    #[serde(rename = "not seen here")]
    NotSeen,
}

impl Outcome {
    fn text(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::InPart => "in part",
            Self::NotSeen => "not seen here",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    project: String,
    by: String,
    year: u16,
    /// As the thread said when it was read: `open`, `closed`, `merged`; `published` for a report.
    state: String,
    threads: Vec<Thread>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Thread {
    address: String,
    title: String,
}

/// All cases, the newest question first.
fn cases() -> Vec<Case> {
    let folder = Path::new(ROOT).join("docs/cases");
    let mut cases = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let mut case: Case = toml::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        case.name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let record = fs::read_to_string(path.with_extension("txt")).unwrap_or_default();
        let (host, output) = record
            .split_once('\n')
            .unwrap_or_else(|| panic!("{0} has no record: run `docs/cases/measure {0}`", case.name));
        (case.host, case.output) = (host.to_owned(), output.to_owned());
        cases.push(case);
    }
    cases.sort_by_key(|case| (std::cmp::Reverse(case.asked.year), case.name.clone()));
    cases
}

/// The lines that the page shows. A gap is a line of its own.
fn trimmed(case: &Case) -> String {
    let has_one = |line: &str, texts: &[String]| texts.iter().any(|text| line.contains(text.as_str()));
    let (mut text, mut is_gap) = (String::new(), false);
    for line in case.output.trim_end().lines() {
        if ENDS.iter().any(|end| line.starts_with(end)) {
            continue;
        }
        let is_kept = (case.keep.is_empty() || has_one(line, &case.keep)) && !has_one(line, &case.drop);
        if is_kept {
            text += line;
            text.push('\n');
        } else if !is_gap {
            text += "[...]\n";
        }
        is_gap = !is_kept;
    }
    text
}

fn page(cases: &[Case]) -> String {
    let open = cases.iter().filter(|case| case.asked.state == "open").count();
    let mut page = format!(
        "<!-- written by `UPDATE=1 cargo test --workspace --test cases` from the files of this folder -->\n\
         # Cases\n\n\
         Questions that makers and users of TLS libraries asked in public, each with the command that answers it \
         and what it printed: {} cases, {open} of them open when they were read.\n\n\
         Questions are in this project's words; the addresses have the askers' own. Outputs are what the program \
         printed: `[...]` stands for lines that a case's file does not select. Counts, bytes and sizes do not \
         depend on the load of the host; where a case has times, its answer says what the host did.\n\n\
         To add a case, copy a `.toml` of this folder, run `docs/cases/measure NAME`, then \
         `UPDATE=1 cargo test --workspace --test cases`.\n\n\
         | question | answer | outcome | command |\n|---|---|---|---|\n",
        cases.len()
    );
    for case in cases {
        let short = case.answer.split_inclusive(". ").next().unwrap_or_default().trim();
        let anchor = anchor(&case.title);
        let verb = case.command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        writeln!(
            page,
            "| [{}](#{anchor}) ({}, {}) | {short} | {} | `{verb}` |",
            case.title,
            case.asked.project,
            case.asked.year,
            case.outcome.text()
        )
        .unwrap();
    }
    for case in cases {
        page += &section(case);
    }
    page
}

fn section(case: &Case) -> String {
    let threads: Vec<String> =
        case.asked.threads.iter().map(|thread| format!("[{}]({})", thread.title, thread.address)).collect();
    let Asked { project, by, year, state, .. } = &case.asked;
    format!(
        "\n## {}\n\n{}\n\nAsked in {year} by {by} ({project}; {state}): {}.\n\n```console\n$ {}\n{}```\n\n\
         **{}.** {}\n\n**What would change it.** {}\n\nRecorded: {}.\n",
        case.title,
        case.question,
        threads.join(", "),
        case.command,
        trimmed(case),
        match case.outcome {
            Outcome::Answered => "Answer",
            Outcome::InPart => "Answer, in part",
            Outcome::NotSeen => "Not seen here",
        },
        case.answer,
        case.changes,
        case.host,
    )
}

/// The address of a heading within its page.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase();
    let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-'].contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[test]
fn the_page_is_what_the_files_generate() {
    let path = Path::new(ROOT).join("docs/cases/README.md");
    let written = page(&cases());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == written, "write it with `UPDATE=1 cargo test --workspace --test cases`");
}

#[test]
fn every_case_has_every_field() {
    let cases = cases();
    let open = cases.iter().filter(|case| case.asked.state == "open").count();
    assert!(cases.len() >= 18 && open * 2 >= cases.len(), "{} cases, {open} open", cases.len());
    let mut titles = BTreeSet::new();
    for case in &cases {
        let name = &case.name;
        assert!(titles.insert(anchor(&case.title)), "{name}: another case has its title");
        for (field, text) in
            [("question", &case.question), ("answer", &case.answer), ("changes", &case.changes)]
        {
            assert!(text.len() > 40 && text.ends_with(['.', '?']), "{name}: {field} has no sentence");
            let sentences = text.matches(". ").count() + text.matches("? ").count() + 1;
            assert!(sentences <= 3, "{name}: {field} has {sentences} sentences");
        }
        assert!((2020..2100).contains(&case.asked.year), "{name}: {}", case.asked.year);
        assert!(["open", "closed", "merged", "published"].contains(&case.asked.state.as_str()), "{name}");
        assert!(!case.asked.threads.is_empty(), "{name} names no thread");
        for thread in &case.asked.threads {
            assert!(thread.address.starts_with("https://") && !thread.title.is_empty(), "{name}");
        }
        assert!(case.host.contains("load ") && case.host.starts_with("20"), "{name}: {}", case.host);
        assert!(!trimmed(case).replace("[...]\n", "").trim().is_empty(), "{name}: no line is kept");
    }
}

/// The numbers of a text, with points and commas between digits. Those of names, such as `IPv6`, are excluded.
fn numbers(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '.' || letter == ',';
    let parts = text.split(|letter: char| !is_part(letter));
    let parts = parts.map(|part| part.trim_matches(['.', ',']).to_owned());
    parts.filter(|part| part.starts_with(|letter: char| letter.is_ascii_digit())).collect()
}

#[test]
fn each_number_of_an_answer_was_printed_or_asked() {
    let mut wrong = Vec::new();
    for case in cases() {
        let asked = format!("{} {} {}", case.title, case.question, case.command);
        let known: BTreeSet<String> = numbers(&trimmed(&case)).union(&numbers(&asked)).cloned().collect();
        let unknown: Vec<String> = numbers(&case.answer).difference(&known).cloned().collect();
        if !unknown.is_empty() {
            wrong.push(format!("{}: {unknown:?} of its answer are in no line of its output", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let found = numbers("1,234.5 and -3.2.1, 4., IPv6");
    assert_eq!(found, ["1,234.5", "3.2.1", "4"].map(str::to_owned).into());
}

/// What a command prints in an empty folder in which docs/ is the lab's.
fn run(command: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(format!("{ROOT}/docs"), folder.path().join("docs")).unwrap();
    let words = shlex::split(command).unwrap();
    let mut program = Command::new(PROGRAM);
    program.args(&words[1..]).current_dir(folder.path()).env_remove("TLSLAB_STORE");
    program.env("COLUMNS", "120").env("TLSLAB_ROOT", ROOT).output().unwrap()
}

/// What it prints if it succeeds, without spaces at the ends of lines.
fn printed(name: &str, command: &str) -> String {
    let output = run(command);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {command}: {}: {error}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn every_command_can_be_parsed() {
    for case in cases() {
        let short = (case.needs == Needs::Builds).then_some(case.short);
        assert_eq!(short.is_some(), !short.as_deref().unwrap_or_default().is_empty(), "{}: short", case.name);
        let text = format!("{} {}", case.answer, case.changes);
        let named = text.split("`tlslab ").skip(1).filter_map(|part| part.split_once('`'));
        let named = named.map(|(words, _)| format!("tlslab {words}"));
        for command in [Some(case.command), short].into_iter().flatten().chain(named) {
            assert!(command.starts_with("tlslab "), "{}: {command}", case.name);
            // With --help a command does nothing, but its verb and its options are checked.
            printed(&case.name, &format!("{command} --help"));
        }
    }
}

#[test]
fn cases_of_recorded_results_print_what_their_files_have() {
    let mut count = 0;
    for case in cases().iter().filter(|case| case.needs == Needs::Recorded) {
        count += 1;
        let text = printed(&case.name, &case.command);
        let next = format!("run `docs/cases/measure {}` and look at the change", case.name);
        assert_eq!(text.trim_end(), case.output.trim_end(), "{}: {next}", case.name);
    }
    assert!(count > 0);
}

#[test]
fn the_short_form_of_every_other_case_runs() {
    let mut done = BTreeSet::new();
    for case in cases().into_iter().filter(|case| case.needs == Needs::Builds) {
        if !done.insert(case.short.clone()) {
            continue;
        }
        let words = shlex::split(&case.short).unwrap();
        let stacks = words.iter().filter(|word| word.contains("openssl"));
        let others: Vec<&String> = stacks.filter(|word| !word.contains(SHORT_STACK)).collect();
        assert!(case.short.contains(SHORT_STACK) && others.is_empty(), "{}: {}", case.name, case.short);
        let text = printed(&case.name, &case.short);
        assert!(!text.trim().is_empty(), "{}: {} prints nothing", case.name, case.short);
    }
}

/// The named stacks and scenarios: their order may differ, and so may disturbances of the machine.
fn names(text: &str) -> BTreeSet<String> {
    let is_name = |word: &&str| word.contains('/') && !word.contains("tlslab-results");
    text.split_whitespace().filter(is_name).map(str::to_owned).collect()
}

#[test]
#[ignore = "builds libraries in several versions and measures them: `make test-all`"]
fn cases_that_build_name_what_their_records_name() {
    for mut case in cases().into_iter().filter(|case| case.needs == Needs::Builds) {
        let recorded = names(&trimmed(&case));
        case.output = printed(&case.name, &case.command);
        assert_eq!(recorded, names(&trimmed(&case)), "{}: run `docs/cases/measure {0}`", case.name);
    }
}
