//! Which trees `ci/measure` compares, and that they are whole.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::changes::git;
use crate::workflow::ROOT;

/// Repositories, and a program in place of the lab that records its arguments.
struct Place {
    folder: PathBuf,
    _removed: tempfile::TempDir,
}

/// The outcome of `ci/measure`.
struct Ended {
    is_success: bool,
    log: String,
    /// The compared trees; empty if nothing was compared.
    words: Vec<String>,
}

impl Place {
    fn new() -> Self {
        let removed = tempfile::tempdir().unwrap();
        let folder = removed.path().canonicalize().unwrap();
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >'{}/said'\n", folder.display());
        fs::write(folder.join("program"), script).unwrap();
        fs::set_permissions(folder.join("program"), PermissionsExt::from_mode(0o755)).unwrap();
        Self { folder, _removed: removed }
    }

    fn repository(&self, name: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::create_dir(&path).unwrap();
        git(&path, &["init", "--quiet", "--initial-branch", "main"]);
        path
    }

    fn measure(&self, checkout: &Path, stacks: &str, event: &str, payload: &Value) -> Ended {
        let said = self.folder.join("said");
        let _ = fs::remove_file(&said);
        fs::write(self.folder.join("event"), payload.to_string()).unwrap();
        let mut command = Command::new(Path::new(ROOT).join("ci/measure"));
        for (name, _) in std::env::vars_os() {
            if ["GITHUB_", "TLSLAB_", "CI_", "GIT_", "RUNNER_"]
                .iter()
                .any(|of| name.to_string_lossy().starts_with(of))
            {
                command.env_remove(name);
            }
        }
        let done = command
            .env("TLSLAB_PROGRAM", self.folder.join("program"))
            .env("TLSLAB_STACKS", stacks)
            .env("TLSLAB_CHECKOUT", checkout)
            .env("TLSLAB_WORK", self.folder.join("work"))
            .env("GITHUB_EVENT_NAME", event)
            .env("GITHUB_EVENT_PATH", self.folder.join("event"))
            // Git fetches a submodule from a folder only with an explicit permission.
            .envs([
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "protocol.file.allow"),
                ("GIT_CONFIG_VALUE_0", "always"),
            ])
            .output()
            .unwrap();
        let words = fs::read_to_string(said).unwrap_or_default().lines().map(str::to_owned).collect();
        let log = String::from_utf8_lossy(&done.stderr).into_owned();
        Ended { is_success: done.status.success(), log, words }
    }

    /// The commit that was checked out as `base` or `head`.
    fn commit_of(&self, side: &str) -> String {
        git(&self.folder.join("work").join(side), &["rev-parse", "HEAD"])
    }
}

fn commit(repository: &Path, file: &str, text: &str) -> String {
    fs::write(repository.join(file), text).unwrap();
    git(repository, &["add", "--all"]);
    git(repository, &["commit", "--quiet", "-m", text]);
    git(repository, &["rev-parse", "HEAD"])
}

fn pull(base: &str, head: &str) -> Value {
    json!({ "pull_request": { "number": 7, "head": { "sha": head }, "base": { "sha": base } } })
}

/// A repository with the submodule `core`, which another commit moves on; a clone of it; both commits.
fn with_submodule(place: &Place, words: &[&str]) -> (PathBuf, String, String) {
    let (core, library) = (place.repository("core"), place.repository("library"));
    let allowed = ["-c", "protocol.file.allow=always"];
    let former = commit(&core, "mini.c", "one");
    git(&library, &[&allowed[..], &["submodule", "add", "--quiet", "../core", "core"]].concat());
    let base = commit(&library, "Makefile", "all:");
    commit(&core, "mini.c", "two");
    git(&library.join("core"), &["pull", "--quiet"]);
    let head = commit(&library, "Makefile", "all: # slower");
    assert_ne!(
        git(&library, &["rev-parse", &format!("{base}:core")]),
        git(&library, &["rev-parse", "HEAD:core"])
    );
    assert_eq!(git(&library, &["rev-parse", &format!("{base}:core")]), former);
    let words = [&allowed[..], &["clone", "--quiet"], words, &["library", "clone"]].concat();
    git(&place.folder, &words);
    (place.folder.join("clone"), base, head)
}

#[test]
fn base_and_head_have_their_submodules() {
    let place = Place::new();
    let (clone, base, head) = with_submodule(&place, &["--recurse-submodules"]);
    let sources = || {
        let read = |side: &str| {
            fs::read_to_string(place.folder.join("work").join(side).join("core/mini.c")).unwrap()
        };
        [read("base"), read("head")]
    };
    let ended = place.measure(&clone, "mini@path:.", "pull_request", &pull(&base, &head));
    assert!(ended.is_success && !ended.words.is_empty(), "{}", ended.log);
    assert_eq!(sources(), ["one", "two"]);
    // A second job in the same place.
    let ended = place.measure(&clone, "mini@path:.", "pull_request", &pull(&base, &head));
    assert!(ended.is_success, "{}", ended.log);
    assert_eq!(sources(), ["one", "two"]);
    // If the checkout does not have the submodule, it is fetched.
    fs::remove_dir_all(&clone).unwrap();
    git(&place.folder, &["clone", "--quiet", "library", "clone"]);
    let ended = place.measure(&clone, "mini@path:.", "pull_request", &pull(&base, &head));
    assert!(ended.is_success, "{}", ended.log);
    assert_eq!(sources(), ["one", "two"]);
}

#[test]
fn a_submodule_that_cannot_be_had_is_named() {
    let place = Place::new();
    let (clone, base, head) = with_submodule(&place, &[]);
    fs::rename(place.folder.join("core"), place.folder.join("gone")).unwrap();
    let ended = place.measure(&clone, "mini@path:.", "pull_request", &pull(&base, &head));
    assert!(!ended.is_success && ended.words.is_empty(), "{}", ended.log);
    assert!(
        ended.log.contains("submodule core cannot be fetched; check out with submodules"),
        "{}",
        ended.log
    );
    // Unless it is not needed.
    git(&clone, &["config", "submodule.core.update", "none"]);
    let ended = place.measure(&clone, "mini@path:.", "pull_request", &pull(&base, &head));
    assert!(ended.is_success && !ended.words.is_empty(), "{}", ended.log);
}

#[test]
fn a_branch_that_was_rewritten_is_compared_with_what_it_has_in_common() {
    let place = Place::new();
    let library = place.repository("library");
    let mut shared = String::new();
    for at in 0..3 {
        shared = commit(&library, "file", &format!("m{at}"));
    }
    git(&library, &["checkout", "--quiet", "-b", "former"]);
    let former = commit(&library, "other", "another way");
    git(&library, &["checkout", "--quiet", "main"]);
    commit(&library, "file", "m3");
    let head = commit(&library, "file", "m4");
    let push = |before: &str| json!({ "before": before, "after": head, "forced": true });
    let ended = place.measure(&library, "mini@path:.", "push", &push(&former));
    assert!(ended.is_success, "{}", ended.log);
    assert_eq!((place.commit_of("base"), place.commit_of("head")), (shared.clone(), head.clone()));
    assert!(ended.log.contains("the branch was rewritten"), "{}", ended.log);
    // A push on top of the branch has the commit before it as its base, however many commits it brings.
    let ended = place.measure(&library, "mini@path:.", "push", &push(&shared));
    assert_eq!(place.commit_of("base"), shared, "{}", ended.log);
    assert!(!ended.log.contains("rewritten"), "{}", ended.log);
    // A checkout that is too shallow is completed.
    git(
        &place.folder,
        &["clone", "--quiet", "--depth", "1", &format!("file://{}", library.display()), "shallow"],
    );
    let ended = place.measure(&place.folder.join("shallow"), "mini@path:.", "push", &push(&shared));
    assert_eq!(place.commit_of("base"), shared, "{}", ended.log);
}

#[test]
fn a_folder_with_a_plus_or_a_comma_is_found_in_both_trees() {
    let place = Place::new();
    let library = place.repository("library");
    fs::create_dir(library.join("c++lib")).unwrap();
    let base = commit(&library, "c++lib/a.c", "one");
    let head = commit(&library, "c++lib/a.c", "two");
    let ended = place.measure(
        &library,
        "mini@path:./c++lib+clang,ring=path:a,b",
        "pull_request",
        &pull(&base, &head),
    );
    assert!(ended.is_success, "{}", ended.log);
    let work = place.folder.join("work").display().to_string();
    let pair = |side: &str| {
        format!("mini clang ring {side}=mini@path:{work}/{side}/c++lib+clang,ring=path:{work}/{side}/a,b")
    };
    let at = ended.words.iter().position(|word| word == "--pair").unwrap();
    assert_eq!(ended.words[at + 1..at + 3], [pair("base"), pair("head")]);
}
