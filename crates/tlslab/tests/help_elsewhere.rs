//! Other forms of help: completions, manual pages, versions, and the check of a machine.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use support::{stdout, tlslab};

/// The verbs of the help.
fn verbs() -> BTreeSet<String> {
    let help = stdout(&tlslab().arg("--help").output().unwrap());
    let listed = help.split("Options:").next().unwrap_or_default();
    let verb = |line: &str| Some(line.strip_prefix("  ")?.split_whitespace().next()?.to_owned());
    listed.lines().filter_map(verb).collect()
}

#[test]
fn every_shell_completes_every_verb() {
    let verbs = verbs();
    assert!(verbs.contains("run") && verbs.contains("self-check"), "{verbs:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&tlslab().args(["completions", shell]).output().unwrap());
        let missing: Vec<_> = verbs.iter().filter(|verb| !script.contains(verb.as_str())).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
}

#[test]
fn bash_completes_a_verb_and_an_option() {
    let script = stdout(&tlslab().args(["completions", "bash"]).output().unwrap());
    let ask = r#"
        complete_words() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _tlslab tlslab "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$((COMP_CWORD - 1))]}"
            echo "${COMPREPLY[@]}"
        }
        complete_words tlslab hist
        complete_words tlslab export --form
        complete_words tlslab export --format parq"#;
    let mut bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(format!("{script}{ask}").as_bytes()).unwrap();
    let answered = bash.wait_with_output().unwrap();
    assert_eq!(stdout(&answered), "history\n--format\nparquet\n");
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    stdout(&tlslab().args(["man", pages.to_str().unwrap()]).output().unwrap());
    let page = |name: &str| fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
    for verb in verbs() {
        assert!(page(&format!("tlslab-{verb}")).contains(".SH SYNOPSIS"), "{verb}");
    }
    assert!(page("tlslab").contains("tlslab\\-run(1)"), "{}", page("tlslab"));
    assert!(page("tlslab-run").contains("\\-\\-scenario"));
}

#[test]
fn the_version_has_the_commit_and_the_files() {
    let root = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    let said = stdout(&Command::new(env!("CARGO_BIN_EXE_tlslab")).arg("--version").output().unwrap());
    let mut lines = said.lines();
    let version = lines.next().unwrap();
    assert!(version.starts_with(concat!("tlslab ", env!("CARGO_PKG_VERSION"), " (")), "{version}");
    assert!(version.contains("commit"), "{version}");
    assert_eq!(lines.next().unwrap(), format!("files: {} (here or above)", root.display()));
    let short = stdout(&Command::new(env!("CARGO_BIN_EXE_tlslab")).arg("-V").output().unwrap());
    assert_eq!(short.trim_end(), version);
}

#[test]
fn a_machine_without_a_compiler_does_not_pass_the_check() {
    let checked = |path: &str| tlslab().arg("self-check").env("PATH", path).output().unwrap();
    let here = checked(&std::env::var("PATH").unwrap());
    let listed = stdout(&here);
    assert!(listed.lines().all(|line| line.starts_with("ok ") || line.starts_with("absent ")), "{listed}");

    let empty = tempfile::tempdir().unwrap();
    let without = checked(empty.path().to_str().unwrap());
    let listed = String::from_utf8(without.stdout).unwrap();
    assert_eq!(without.status.code(), Some(1));
    let cargo = listed.lines().find(|line| line.contains("  cargo ")).unwrap();
    insta::assert_snapshot!(cargo.split_whitespace().collect::<Vec<_>>().join(" "), @"missing cargo not in PATH; install it with rustup: https://rustup.rs");
}
