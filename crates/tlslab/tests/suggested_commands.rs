//! Commands that messages suggest can be run as printed. No stack is built.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};
use tlslab_record::{ComparisonPlan, Plan};
use tlslab_store::{Address, Owner};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tlslab");

/// Texts in backticks that begin with the lab's name.
fn suggested(text: &str) -> Vec<String> {
    let parts = text.split("`tlslab ").skip(1).filter_map(|part| part.split_once('`'));
    parts.map(|(words, _)| format!("tlslab {words}")).collect()
}

/// The values of the string literals, except for those of comments.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_comment = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => literals(group.stream(), found),
            TokenTree::Literal(literal) if !is_comment => {
                found.extend(syn::parse_str::<syn::LitStr>(&literal.to_string()).map(|text| text.value()));
            }
            TokenTree::Ident(name) => is_comment = name == "doc",
            TokenTree::Literal(_) | TokenTree::Punct(_) => {}
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|end| end == "rs") => found.push(path),
            false => {}
        }
    }
}

/// A format string with a word in place of each argument.
fn filled(text: &str) -> String {
    let mut filled = String::new();
    for (place, part) in text.split('{').enumerate() {
        match part.split_once('}') {
            Some((_, after)) if place > 0 => filled += &format!("X{after}"),
            _ => filled += part,
        }
    }
    filled
}

/// Whether the command line can be parsed: in an empty folder without a lab's folder, no command does more
/// than that.
fn is_read(words: &[String]) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(folder.path()).env("TLSLAB_ROOT", "missing").env_remove("TLSLAB_STORE");
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    // The parser's errors begin so; all other output means that it was parsed.
    if error.starts_with("error: ") { Err(error) } else { Ok(()) }
}

#[test]
fn a_command_that_cannot_be_read_is_found() {
    let words = |line: &str| shlex::split(line).unwrap();
    assert!(is_read(&words("runs --out a")).is_ok() && is_read(&words("run --stack a")).is_ok());
    for wrong in ["ruin", "runs --stack a", "run --budget soon", "profile"] {
        assert!(is_read(&words(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn every_command_in_a_message_can_be_read() {
    let mut files = Vec::new();
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files {
        let mut found = Vec::new();
        literals(TokenStream::from_str(&fs::read_to_string(&file).unwrap()).unwrap(), &mut found);
        for command in found.iter().flat_map(|text| suggested(&filled(text))) {
            count += 1;
            let words = shlex::split(&command).unwrap_or_default();
            if let Err(error) = is_read(&words[1..]) {
                wrong.push(format!("{}: {command}: {error}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "only {count} commands were found");
}

#[test]
fn the_examples_of_the_help_can_be_read() {
    for verb in ["run", "compare", "bisect", "history", "backfill", "annotate", "profile", "diff"] {
        let help = support::stdout(
            &Command::new(PROGRAM).args([verb, "--help"]).env("COLUMNS", "999").output().unwrap(),
        );
        let example = help.lines().find_map(|line| line.strip_prefix("Example: tlslab "));
        let words = shlex::split(example.unwrap_or_else(|| panic!("{verb}: no example"))).unwrap();
        is_read(&words).unwrap_or_else(|error| panic!("{verb}: {error}"));
    }
}

/// The output of each command that suggests another one, called with places of its own.
#[test]
fn printed_commands_name_the_places_that_were_given() {
    let folder = tempfile::tempdir().unwrap();
    symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."), folder.path().join("a b")).unwrap();
    fs::create_dir(folder.path().join("other")).unwrap();
    let lab = |line: &str| -> Output {
        // A shell parses it, as printed.
        let mut shell = Command::new("sh");
        shell.args(["-c", &line.replacen("tlslab", "\"$PROGRAM\"", 1)]).env("PROGRAM", PROGRAM);
        for name in ["TLSLAB_ROOT", "TLSLAB_CACHE", "TLSLAB_STORE"] {
            shell.env_remove(name);
        }
        shell.current_dir(folder.path()).output().unwrap()
    };
    let places = "--root 'a b' --cache c";
    let kept = "--out 'd e'";
    fs::write(folder.path().join("bmf.json"), r#"{"a/b": {"latency": {"value": 1}}}"#).unwrap();
    let import = "tlslab import bmf.json --format bencher --label 1 --stack library --out";
    support::stdout(&lab(&format!("{import} other {places}")));
    for (line, keeps_runs) in [
        ("stacks openssl", false),
        ("scenarios --suite smoke", false),
        ("cache", false),
        ("reproduce", false),
        ("requests --scenario openssh", false),
        ("profile --stack openssl --scenario openssh", false),
        ("diff files:'a b' files:'a b'", false),
        ("build openssl@0.9.8", false),
        ("compare --runs 1", true),
        ("compare --runs 1@other 2@other", true),
        ("history", true),
        ("report 1", true),
        ("export 1 --format csv", true),
        ("recompute 1", true),
        ("copy 1 --to sqlite:to", true),
        ("annotate 'x y' 1 text", true),
        ("run --resume 1", true),
        ("run --scenario 'handshake/1.1/*'", true),
    ] {
        let kept = if keeps_runs { kept } else { "" };
        let output = lab(&format!("tlslab {line} {places} {kept}"));
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let commands = suggested(&text);
        assert!(!commands.is_empty(), "{line}: {text}");
        for command in commands {
            assert!(command.contains(places), "{line}: {command}");
            let words = shlex::split(&command).unwrap();
            let verb = words[1].as_str();
            let is_elsewhere = words.iter().any(|word| word == "--store");
            let needs_out =
                keeps_runs && !is_elsewhere && !["stacks", "scenarios", "versions", "build"].contains(&verb);
            assert_eq!(command.contains(kept) && keeps_runs, needs_out, "{line}: {command}");
            is_read(&words[1..]).unwrap_or_else(|error| panic!("{line}: {command}: {error}"));
            if verb == "runs" {
                support::stdout(&lab(&command));
            }
        }
    }
}

#[test]
fn only_options_of_the_command_line_are_repeated_and_no_password() {
    let lab = |args: &[&str]| {
        let secret = "postgres://u:secret@h/d";
        let mut command = support::tlslab();
        let output =
            command.args(args).env("TLSLAB_CACHE", "c").env("TLSLAB_STORE", secret).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let runs = ["compare", "--runs", "1"];
    let plain = format!(
        "tlslab: the comparison: 1 of two are named; name two: `tlslab compare --runs BASELINE CANDIDATE --root {root}`"
    );
    assert_eq!(lab(&runs), format!("{plain}\n"));
    let plain = plain.trim_end_matches('`');
    let places = ["--out=it's `d`", "--store", "postgres://u:other@h/d", "--history=sqlite:-x"];
    assert_eq!(
        lab(&[&runs[..], &places].concat()),
        format!(
            "{plain} --out \"it's \"'`d`' --store postgres://u@h/d --history sqlite:-x` \
             (with the password of --store, which is not printed)\n"
        )
    );
    assert_eq!(lab(&[&runs[..], &["--cache=-c"]].concat()), format!("{plain} '--cache=-c'`\n"));
}

/// An empty plan.
fn plan(id: &str, comparison: Option<ComparisonPlan>) -> Plan {
    Plan {
        id: id.to_owned(),
        started_unix_ms: 5,
        lab_version: "0.1.0".to_owned(),
        command: vec![],
        request: None,
        suite: "smoke".to_owned(),
        seed: 1,
        budget_s: 1.0,
        rounds: 1,
        slice_ns: 1,
        slices: 1,
        warm_up: None,
        evictor: None,
        canaries: None,
        together: Vec::new(),
        sandbox: None,
        estimator: Default::default(),
        placement: Default::default(),
        baseline: "a".to_owned(),
        policy: Default::default(),
        host: Default::default(),
        pki_digest: String::new(),
        scenarios: vec![],
        stacks: vec![],
        pairing: tlslab_protocol::Pairing::Own,
        rows: None,
        comparison,
        metrics: vec![],
        preload: None,
        counting: None,
        contention: None,
        sizes: Vec::new(),
    }
}

#[test]
fn what_was_interrupted_is_resumed_by_its_own_verb() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("d e");
    let compared = serde_json::from_value(serde_json::json!({
        "pairs": [], "looks": [1], "confirmation": 1, "alpha": 0.1, "false_discovery_rate": 0.1, "time_floor": 0.1,
        "exact_floor": 0.1, "negligible": 0.1, "moves": false, "arrangement": "turns", "visit_s": 1.0,
    }));
    let mut store = tlslab_store::open(&Address::Sqlite(out.join("tlslab.sqlite"))).unwrap();
    for plan in [plan("one", None), plan("two", Some(compared.unwrap()))] {
        store.create_run(&plan, &Owner::this_process()).unwrap();
        store.release_run(&plan.id).unwrap();
    }
    let said = |args: &[&str]| {
        let output =
            support::tlslab().current_dir(folder.path()).args(args).args(["--out", "d e"]).output().unwrap();
        suggested(&[output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat())
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let run = format!("tlslab run --resume one --root {root} --out 'd e'");
    let comparison = format!("tlslab compare --resume two --root {root} --out 'd e'");
    for args in [&["runs"][..], &["recompute", "one", "two"]] {
        assert_eq!(said(args), [run.clone(), comparison.clone()]);
    }
    assert_eq!(said(&["run", "--resume", "two"]), [comparison]);
}
