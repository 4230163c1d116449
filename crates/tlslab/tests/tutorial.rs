//! The commands of README, questions and tutorial: each can be parsed, and the text below it is its output.
//!
//! A comment before a block has the condition of its run: `recorded` needs only docs/recorded, `builds`
//! builds libraries and measures. `UPDATE=1` writes the output into the pages; `UPDATE=questions` runs and
//! writes the pages whose names have that word.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tlslab");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A block of commands with the output of each.
struct Block {
    /// `recorded`, `builds`, or empty: it is only parsed.
    kind: String,
    commands: Vec<(String, String)>,
}

/// The parts of a page: text, and blocks between.
enum Part {
    Text(String),
    Block(Block),
}

fn parts(page: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut text, mut lines) = (String::new(), page.lines());
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        let before = text.lines().rev().nth(1).unwrap_or_default();
        let kind =
            before.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")).unwrap_or_default();
        let mut block = Block { kind: kind.to_owned(), commands: Vec::new() };
        parts.push(Part::Text(std::mem::take(&mut text)));
        for line in lines.by_ref().take_while(|line| *line != "```") {
            match line.strip_prefix("$ ") {
                Some(command) => block.commands.push((command.to_owned(), String::new())),
                None => {
                    block.commands.last_mut().expect("a block begins with a command").1 +=
                        &format!("{line}\n")
                }
            }
        }
        parts.push(Part::Block(block));
        text = "```\n".to_owned();
    }
    parts.push(Part::Text(text));
    parts
}

fn pages() -> Vec<PathBuf> {
    let tutorial = fs::read_dir(format!("{ROOT}/docs/tutorial")).unwrap();
    let mut pages: Vec<PathBuf> = tutorial.map(|entry| entry.unwrap().path()).collect();
    pages.push(format!("{ROOT}/README.md").into());
    pages.push(format!("{ROOT}/docs/questions.md").into());
    pages.sort();
    pages
}

/// The pages whose blocks are run: all, or those to update.
fn pages_to_run() -> Vec<PathBuf> {
    let word = std::env::var("UPDATE").ok().filter(|word| word != "1");
    let is_asked = |page: &PathBuf| word.as_ref().is_none_or(|word| page.to_string_lossy().contains(word));
    pages().into_iter().filter(is_asked).collect()
}

/// Every command in a page: those of blocks, of lines in other code, and those in a sentence. Output of
/// commands is excluded.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in parts(page) {
        let text = match part {
            Part::Block(block) => {
                let commands = block.commands.into_iter().map(|(command, _)| command);
                found.extend(commands.filter(|command| command.starts_with("tlslab ")));
                continue;
            }
            Part::Text(text) => text,
        };
        let lines = text.lines().filter(|line| line.starts_with("tlslab "));
        found.extend(lines.map(|line| line.split("  #").next().unwrap_or(line).trim().to_owned()));
        let in_text = text.split("`tlslab ").skip(1).filter_map(|part| part.split_once('`'));
        found.extend(in_text.map(|(words, _)| format!("tlslab {words}")));
    }
    found
}

#[test]
fn every_command_is_one() {
    let mut count = 0;
    for path in pages() {
        for command in commands(&fs::read_to_string(&path).unwrap()) {
            count += 1;
            let words = shlex::split(&command).unwrap();
            let mut program = Command::new(PROGRAM);
            let output = program.args(&words[1..]).arg("--help").env("COLUMNS", "100").output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            // With --help a command does nothing, but its verb and its options are checked.
            assert!(output.status.success(), "{}: {command}: {error}", path.display());
        }
    }
    let wrong = Command::new(PROGRAM).args(["run", "--no-such-option", "--help"]).output().unwrap();
    assert!(!wrong.status.success(), "an option that there is not is noticed");
    assert!(count > 20, "only {count} commands were found");
}

/// Runs the blocks of a kind. Differences from the page are compared by `shape`.
fn check(kind: &str, folder: &Path, shape: fn(&str) -> String) {
    let mut count = 0;
    for path in pages_to_run() {
        let page = fs::read_to_string(&path).unwrap();
        let mut printed = String::new();
        for part in parts(&page) {
            let block = match part {
                Part::Text(text) => {
                    printed += &text;
                    continue;
                }
                Part::Block(block) => block,
            };
            for (command, expected) in block.commands {
                printed += &format!("$ {command}\n");
                let is_run = block.kind == kind && command.starts_with("tlslab ");
                if !is_run {
                    printed += &expected;
                    continue;
                }
                count += 1;
                let words = shlex::split(&command).unwrap();
                let mut program = Command::new(PROGRAM);
                program.args(&words[1..]).current_dir(folder).env("COLUMNS", "120").env("TLSLAB_ROOT", ROOT);
                let output = program.env_remove("TLSLAB_STORE").output().unwrap();
                let error = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.code().is_some_and(|code| code == 0), "{command}: {error}");
                let text = plain(&String::from_utf8(output.stdout).unwrap());
                printed += &text;
                if std::env::var_os("UPDATE").is_none() {
                    let next = "run it with UPDATE=1 and look at the change";
                    assert_eq!(shape(&expected), shape(&text), "{}: {command}: {next}", path.display());
                }
            }
        }
        if std::env::var_os("UPDATE").is_some() && printed != page {
            fs::write(&path, printed).unwrap();
        }
    }
    assert!(count > 0, "no block is {kind}");
}

/// Without spaces at the ends of lines, which no page keeps, and without empty lines at the end.
fn plain(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    if lines.is_empty() { String::new() } else { lines.join("\n") + "\n" }
}

/// A folder for commands, in which docs/ is the lab's.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(format!("{ROOT}/docs"), folder.path().join("docs")).unwrap();
    folder
}

#[test]
fn what_is_asked_of_recorded_results_is_what_the_pages_show() {
    let folder = place();
    fs::create_dir(folder.path().join("tlslab-results")).unwrap();
    let packed = fs::File::open(format!("{ROOT}/docs/recorded/runs.sqlite.zst")).unwrap();
    let unpacked = zstd::decode_all(packed).unwrap();
    fs::write(folder.path().join("tlslab-results/tlslab.sqlite"), unpacked).unwrap();
    // Durations differ from run to run.
    check("recorded", folder.path(), |text| {
        text.lines()
            .map(|line| line.split(" written, ").next().unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n")
    });
}

/// The cells of a table's lines, separated by at least two spaces.
fn cells(output: &str) -> Vec<Vec<&str>> {
    let lines = output.lines().skip_while(|line| !line.is_empty());
    let cells = lines.map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect());
    cells.filter(|cells: &Vec<&str>| cells.len() > 3).collect()
}

/// For a question's command and output: the error in its answer, by the table below it.
fn contradiction(command: &str, output: &str) -> Option<String> {
    let answer: Vec<&str> = output.lines().take_while(|line| !line.is_empty()).collect();
    let rows = cells(output);
    let (heads, rows) = rows.split_first()?;
    if command.contains(" --scenarios ") {
        // `A costs a server 12 % more time (± 3 %) with S; …`, from rows of stack, side, both figures, and
        // the cost.
        return rows.iter().filter(|row| row.len() == heads.len()).find_map(|row| {
            let (stack, side, costs) = (row[0], row[1], row[4]);
            let sentence = answer.iter().find(|line| line.contains(&format!("costs a {side} ")))?;
            let part = sentence
                .split(" costs a ")
                .nth(1)?
                .split("; ")
                .find(|part| part.contains(&format!("with {stack}")));
            let amount = costs.split_whitespace().next().unwrap();
            let is_there =
                part.is_some_and(|part| part.contains(amount) || costs.starts_with("no difference"));
            (!is_there).then(|| format!("{stack}, {side}: {costs} is not in {sentence:?}"))
        });
    }
    if command.starts_with("tlslab choose ") {
        let first = rows.first()?[0];
        let is_named = answer[0].contains(first) && !answer[0].contains(" are level");
        if !is_named {
            return Some(format!("{first} is the first row, and not in {:?}", answer[0]));
        }
        let (next, total) = (rows.get(1)?[0], rows[0][1]);
        let is_memory = command.contains("--by memory");
        let says_total = !is_memory || answer[0].contains(&format!("{first} {total}"));
        return (!answer[0].contains(next) || !says_total)
            .then(|| format!("{next} or {total} is not in {:?}", answer[0]));
    }
    None
}

#[test]
fn no_answer_contradicts_its_table() {
    let mut count = 0;
    for part in parts(&fs::read_to_string(format!("{ROOT}/docs/questions.md")).unwrap()) {
        let Part::Block(block) = part else { continue };
        for (command, output) in block.commands {
            assert!(!output.is_empty(), "{command}: write its output with UPDATE=questions");
            let wrong = contradiction(&command, &output);
            assert!(wrong.is_none(), "{command}: {}", wrong.unwrap());
            count += 1;
        }
    }
    assert!(count >= 15, "only {count} questions have an output");
    let compared = "B instead of A costs a server 10 % more time (± 1 %) with x 1.\n\n time  side  A  B  costs\n x 1  server  1  2  20 % more ± 1\n";
    assert!(contradiction("tlslab compare --scenarios a b x", compared).is_some(), "20 is not 10");
    let chosen = "a 1 is cheapest: 1 µs per connection, 9 % less than b 2.\n\n stack  each  bounds  over\n b 2  1  2  3\n a 1  1  2  3\n";
    assert!(contradiction("tlslab choose --profile x", chosen).is_none(), "both are named");
    let other = chosen.replace(" b 2  1", " c 3  1");
    assert!(contradiction("tlslab choose --profile x", &other).is_some());
}

/// The named stacks and scenarios: the order, and disturbances of the machine, may differ.
fn names(text: &str) -> String {
    let is_name = |word: &&str| word.contains('/') && !word.contains("tlslab-results");
    let names: BTreeSet<&str> = text.split_whitespace().filter(is_name).collect();
    names.into_iter().collect::<Vec<_>>().join(" ")
}

#[test]
#[ignore = "builds libraries in several versions and measures them: `make test-all`"]
fn what_is_measured_has_the_form_that_the_pages_show() {
    let folder = place();
    check("builds", folder.path(), names);
}
