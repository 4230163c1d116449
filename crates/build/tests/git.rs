//! A repository whose configuration names programs in every place that git reads: none is started, for any
//! git command.

mod lab;
#[path = "../../../tests/zoo/mod.rs"]
mod zoo;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lab::{Lab, commit, run};
use tlslab_artifact::Environment;
use tlslab_build::Builder;
use tlslab_sandbox::Sandbox;

/// The repository of the zoo in a lab of its own, and the folder with the file that its programs write.
struct Planted {
    lab: Lab,
    outside: tempfile::TempDir,
}

impl Planted {
    fn new() -> Self {
        let (lab, outside) = (Lab::new(), tempfile::tempdir().unwrap());
        let all = zoo::specimens("checkouts");
        let specimen = all.iter().find(|specimen| specimen.name == "programs-everywhere").unwrap();
        let mut script = Command::new("sh");
        script.args(["-ec", &specimen.script]).current_dir(lab.folder.path());
        let made = script.env("OUTSIDE", outside.path()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self { lab, outside }
    }

    fn repository(&self) -> PathBuf {
        self.lab.path("library")
    }

    fn check(&self, what: &str) {
        let mark = std::fs::read_to_string(self.outside.path().join("mark"));
        assert!(mark.is_err(), "{what}: {mark:?}");
    }
}

/// The queries of verbs that take a repository.
const QUESTIONS: [&[&str]; 9] = [
    &["rev-parse", "--verify", "--quiet", "--end-of-options", "main^{commit}"],
    &["rev-parse", "--verify", "--quiet", "--end-of-options", "lost^{commit}"],
    &["rev-list", "--reverse", "--first-parent", "base..main"],
    &["rev-list", "--reverse", "--first-parent", "base..lost"],
    &["merge-base", "--end-of-options", "HEAD", "base"],
    &["merge-base", "--end-of-options", "HEAD", "lost"],
    &["log", "-1", "--no-color", "--format=%h %s", "main"],
    &["status", "--porcelain"],
    &["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
];

fn ask(planted: &Planted, builder: &Builder) {
    let cancel = AtomicBool::new(false);
    for question in QUESTIONS {
        let answer = builder.ask_git(&planted.repository(), question, &cancel);
        planted.check(&question.join(" "));
        let is_there = !question.iter().any(|word| word.contains("lost"));
        match answer {
            Ok(_) => {}
            Err(cause) => {
                let cause = cause.to_string();
                assert!(!is_there && cause.contains("check that the repository is complete"), "{cause}");
            }
        }
    }
    let base = builder.ask_git(&planted.repository(), &["merge-base", "HEAD", "base"], &cancel).unwrap();
    assert_eq!(base.len(), 40);
    let title = builder.ask_git(&planted.repository(), &["log", "-1", "--format=%s", "main"], &cancel);
    assert_eq!(title.unwrap(), "signed");
}

#[test]
fn git_starts_no_program_that_a_repository_names() {
    let planted = Planted::new();
    ask(&planted, &planted.lab.builder());
    for source in ["path = \"../library\"", "git = \"../library\"\nrevision = \"main\""] {
        let recipe = planted.lab.recipe("demo", source);
        planted.lab.build_one(&recipe).unwrap_or_else(|failure| panic!("{source}: {failure}"));
        planted.check(source);
    }
    // The repository is as hostile as intended: git alone starts the named programs.
    let plain = ["log", "-1", "--format=%s", "main"];
    let _ = Command::new("git").arg("-C").arg(planted.repository()).args(plain).output().unwrap();
    let mark = std::fs::read_to_string(planted.outside.path().join("mark")).unwrap();
    assert!(mark.contains("program"), "{mark}");
}

#[test]
fn in_a_sandbox_git_starts_none_either() {
    let planted = Planted::new();
    let sandbox = Arc::new(Sandbox::find().unwrap_or_else(|reason| panic!("no sandbox: {reason}")));
    ask(&planted, &planted.lab.builder().in_sandbox(Some(sandbox)));
}

#[test]
fn a_question_to_git_ends_when_it_is_cancelled() {
    let lab = Lab::new();
    let repository = lab.path("library/.git");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(repository.join(folder)).unwrap();
    }
    std::fs::write(repository.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    // Git waits for a writer of its configuration.
    assert!(Command::new("mkfifo").arg(repository.join("config")).status().unwrap().success());
    let (cancel, builder) = (AtomicBool::new(false), lab.builder());
    let asked = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            cancel.store(true, Ordering::Relaxed);
        });
        let answer = builder.ask_git(&lab.path("library"), &["rev-parse", "HEAD"], &cancel);
        assert!(answer.is_err(), "{answer:?}");
    });
    assert!(asked.elapsed() < Duration::from_secs(30));
}

/// Git's own settings can name a mirror of a code host.
#[test]
fn an_address_is_fetched_from_where_the_users_settings_lead_it() {
    let lab = Lab::new();
    let repository = lab.path("library");
    run(&repository, "git", &["init", "--quiet", "--initial-branch=main"]);
    let first = commit(&repository, "first");
    let mirrors =
        format!("[url \"{}/\"]\n\tinsteadOf = https://host.invalid/\n", lab.folder.path().display());
    lab.write("home/.gitconfig", &mirrors);
    // Rust's own folders are looked for in the home folder too.
    let home = std::env::home_dir().unwrap();
    let toolchains = [("CARGO_HOME", home.join(".cargo")), ("RUSTUP_HOME", home.join(".rustup"))]
        .map(|(name, folder)| (name.into(), folder.into_os_string()));
    let home = [("HOME".into(), lab.path("home").into_os_string())];
    let environment = || {
        let set = toolchains.clone().into_iter().chain(std::env::vars_os()).chain(home.clone());
        Environment::choose(set.collect::<BTreeMap<OsString, OsString>>())
    };
    let recipe = |revision: &str| {
        lab.recipe("demo", &format!("git = \"https://host.invalid/library\"\nrevision = \"{revision}\""))
    };
    let builder = || lab.builder().with_environment(environment());
    for revision in [first.as_str(), "main"] {
        let (outcomes, _) = Lab::build_seen_by(&builder(), &[recipe(revision)]);
        let identity = &outcomes[0].as_ref().unwrap().identity;
        assert_eq!(identity.source_digest, first);
        assert!(identity.source.contains("https://host.invalid/library"), "{}", identity.source);
    }
    // Checked addresses are not rewritten.
    lab.write_library("library", 43);
    let second = commit(&repository, "second");
    let sandbox = Arc::new(Sandbox::find().unwrap_or_else(|reason| panic!("no sandbox: {reason}")));
    let bounded = builder().in_sandbox(Some(sandbox)).allowing(&["host.invalid".to_owned()]);
    let (outcomes, _) = Lab::build_seen_by(&bounded, &[recipe(&second)]);
    assert!(outcomes[0].is_err(), "{outcomes:?}");
}
