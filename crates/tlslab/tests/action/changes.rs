//! End to end: a repository, a change with a cost, and the texts that are posted to the forge.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::fake::Fake;
use crate::second;
use crate::support::{self, stdout};
use crate::workflow::Job;

pub(crate) const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tlslab");

pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@b.example"]).args(words);
    stdout(&command.output().unwrap()).trim().to_owned()
}

/// rustls as Cargo has unpacked it, as a repository: `main`, and a branch with a slow-down, both pushed to
/// `origin`.
pub(crate) fn repository(folder: &Path) -> PathBuf {
    support::driver("rustls/ring");
    let said = stdout(&support::tlslab().args(["stacks", "rustls/ring"]).output().unwrap());
    let mut words = said.split([' ', ',', '\n']).filter(|word| !word.is_empty());
    words.find(|word| *word == "rustls").unwrap();
    let version = words.next().unwrap().to_owned();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"));
    let registries = fs::read_dir(home.join("registry/src")).unwrap();
    let mut found = registries.map(|entry| entry.unwrap().path().join(format!("rustls-{version}")));
    let source = found.find(|path| path.is_dir()).unwrap_or_else(|| panic!("Cargo has no rustls {version}"));
    let clone = folder.join("clone");
    let status = Command::new("cp").arg("-r").args([&source, &clone]).status().unwrap();
    assert!(status.success());
    let _ = fs::remove_file(clone.join(".cargo-ok"));
    git(&clone, &["init", "--quiet", "--initial-branch", "main"]);
    git(&clone, &["add", "--all", "--force"]);
    git(&clone, &["commit", "--quiet", "-m", "as it is"]);
    // The name of a branch may be anything.
    git(&clone, &["checkout", "--quiet", "-b", "slow-$(touch${IFS}pwned)-`id`"]);
    let file = clone.join("src/hash_hs.rs");
    let text = fs::read_to_string(&file).unwrap();
    let behind = "fn add_raw(&mut self, buf: &[u8]) -> &mut Self {";
    assert_eq!(text.matches(behind).count(), 1);
    // A separate function, whose work differs from that of others that were inlined.
    let cost = "#[inline(never)]\nfn planted_cost() {\n    let mut n = 0_u64;\n    while n < 2000 {\n        n = core::hint::black_box(n + 1);\n    }\n}\nplanted_cost();";
    fs::write(&file, text.replace(behind, &format!("{behind}\n        {cost}"))).unwrap();
    git(&clone, &["commit", "--quiet", "--all", "-m", "slower"]);
    let origin = folder.join("origin.git");
    git(folder, &["init", "--quiet", "--bare", "origin.git"]);
    git(&clone, &["remote", "add", "origin", origin.to_str().unwrap()]);
    git(&clone, &["push", "--quiet", "origin", "--all"]);
    clone
}

pub(crate) fn inputs<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut inputs = vec![
        ("program", PROGRAM),
        ("stacks", "rustls/ring@path:."),
        ("scenarios", SCENARIO),
        ("metrics", "count"),
        ("fail-on", "regression"),
    ];
    inputs.extend(more);
    inputs
}

#[test]
#[ignore = "builds rustls three times: `make test-all`"]
fn a_slow_down_is_seen_told_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let clone = repository(folder.path());
    let base = git(&clone, &["rev-parse", "main"]);
    let head = git(&clone, &["rev-parse", "HEAD"]);
    let fake = Fake::new(7, &head);
    let payload = |from: &str| {
        json!({ "pull_request": {
            "number": 7, "title": "$(touch pwned)",
            "head": { "sha": head, "ref": "slow-$(touch${IFS}pwned)-`id`", "repo": { "full_name": from } },
            "base": { "sha": base, "repo": { "full_name": "o/r" } } } })
    };
    let temp = folder.path().join("temp");
    let job = |from: &str, token: &'static str| Job {
        event: "pull_request",
        payload: payload(from),
        workspace: &clone,
        temp: &temp,
        api: &fake.url,
        token,
        more: &[],
    };

    // A branch of the repository itself: one job does everything, and fails at the end.
    let ended = job("o/r", "secret-7").run(&inputs(&[("comment", "true")]));
    assert_eq!(ended.status, 4, "{}", ended.log);
    assert!(ended.summary.contains("regression") && ended.summary.contains("🔴"), "{}", ended.summary);
    let left = &ended.artifacts["tlslab"];
    let comparison: Value =
        serde_json::from_str(&fs::read_to_string(left.join("comparison.json")).unwrap()).unwrap();
    let change = &comparison["changes"][0];
    assert_eq!(change["verdict"], "regression");
    assert!(change["ratio"].as_f64().unwrap() > 1.01, "{change}");
    assert!(change["reasons"][0]["change"].as_f64().unwrap() > 1000.0, "{change}");
    assert!(left.join("comparison.md").is_file() && left.join("comparison.html").is_file());
    // The artifact has every function's instructions, before and after.
    let profiles = comparison["profiles"].as_array().unwrap();
    assert!(!profiles.is_empty(), "{comparison}");
    for file in profiles.iter().flat_map(|profile| [&profile["baseline"], &profile["candidate"]]) {
        assert!(left.join(file.as_str().unwrap()).is_file(), "{file}");
    }
    assert_eq!(fs::read_dir(left.join("profiles")).unwrap().count(), 2 * profiles.len());
    assert_eq!(
        fs::read_to_string(left.join("about.json")).unwrap(),
        format!("{{\"number\": 7, \"commit\": \"{head}\", \"base\": \"{base}\"}}\n")
    );
    assert!(ended.log.contains("comment 1 created on 7"), "{}", ended.log);
    assert!(ended.log.contains("sandbox: bubblewrap"), "{}", ended.log);
    let text = fake.state().comments[0].1.clone();
    assert!(text.contains("planted") && !text.contains("are unknown"), "{text}");
    assert!(text.contains("in the artifact `tlslab` of the job, in the folder profiles"), "{text}");
    assert!(!clone.join("pwned").exists() && !temp.join("pwned").exists());

    // Again: the same comment.
    let again = job("o/r", "secret-7").run(&inputs(&[("comment", "true")]));
    assert_eq!(again.status, 4, "{}", again.log);
    assert!(again.log.contains("comment 1 edited on 7"), "{}", again.log);

    // From a fork: measured without a token, commented by the second workflow.
    fake.state().comments.clear();
    fake.state().asked.clear();
    let fork = job("mallory/r", "").run(&inputs(&[("comment", "true")]));
    assert_eq!(fork.status, 4, "{}", fork.log);
    assert!(fork.log.contains("from a fork"), "{}", fork.log);
    assert!(fake.state().asked.is_empty(), "the first workflow asks the forge for nothing");
    let shown = fork.artifacts["tlslab"].display().to_string();
    let temp = folder.path().join("second");
    let described =
        second(&fake, &temp, &head).run(&[("program", PROGRAM), ("comment", "only"), ("folder", &shown)]);
    assert_eq!(described.status, 0, "{}", described.log);
    assert_eq!(fake.state().comments.len(), 1);
    let text = fake.state().comments[0].1.clone();
    assert!(text.contains("regression"), "{text}");

    kept_in_a_branch(folder.path(), &base, &head);
    kept_as_an_artifact(folder.path(), &fake, &base, &head);
}

/// Two pushes to the default branch at once: both are in the history.
fn kept_in_a_branch(folder: &Path, base: &str, head: &str) {
    let origin = folder.join("origin.git");
    let push = json!({ "before": base, "after": head, "repository": { "default_branch": "main" } });
    // Both have read the branch before either pushes.
    let meeting = folder.join("meeting");
    fs::create_dir(&meeting).unwrap();
    let program = folder.join("program");
    let waits = "[ \"$1\" != copy ] || { mktemp -p \"$meeting\" >&2; until [ \"$(ls \"$meeting\" | wc -l)\" -ge 2 ]; do sleep 0.1; done; }";
    let text = format!("#!/bin/sh\nmeeting='{}'\n{waits}\nexec '{PROGRAM}' \"$@\"\n", meeting.display());
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let runs: Vec<_> = ["one", "other"]
        .map(|name| {
            let (folder, origin, push) = (folder.to_owned(), origin.clone(), push.clone());
            let (program, head) = (program.display().to_string(), head.to_owned());
            std::thread::spawn(move || {
                let clone = folder.join(name);
                git(&folder, &["clone", "--quiet", origin.to_str().unwrap(), name]);
                let temp = folder.join(format!("temp-{name}"));
                let more =
                    [("GITHUB_REF", "refs/heads/main"), ("GITHUB_SHA", &*head), ("TLSLAB_PATIENCE", "0")];
                let job = Job {
                    event: "push",
                    payload: push,
                    workspace: &clone,
                    temp: &temp,
                    api: "http://127.0.0.1:9",
                    token: "",
                    more: &more,
                };
                let mut inputs = inputs(&[("history", "branch"), ("fail-on", "none")]);
                inputs[0] = ("program", &program);
                job.run(&inputs)
            })
        })
        .into_iter()
        .map(|run| run.join().unwrap())
        .collect();
    for run in &runs {
        assert_eq!(run.status, 0, "{}", run.log);
        assert!(run.log.contains("1 run copied"), "{}", run.log);
        assert!(!run.artifacts["tlslab"].join("about.json").exists(), "it is of no pull request");
    }
    assert!(runs.iter().any(|run| run.log.contains("could not be pushed; try 1 of 8")), "one was quicker");
    let commits = git(&origin, &["log", "--format=%s", "tlslab-history"]);
    assert_eq!(commits, format!("history: of {head}\nhistory: of {head}\nhistory: begun"));
    let clone = folder.join("kept");
    git(
        folder,
        &[
            "clone",
            "--quiet",
            "--branch",
            "tlslab-history",
            origin.to_str().unwrap(),
            clone.to_str().unwrap(),
        ],
    );
    let mut listed = support::tlslab();
    let listed = stdout(&listed.args(["runs", "--out"]).arg(&clone).output().unwrap());
    for run in &runs {
        let id = run.log.lines().find_map(|line| line.strip_prefix("compare ")?.split(':').next());
        assert!(listed.contains(id.unwrap()), "{} in {listed}", id.unwrap());
    }
    // The copy is a run like any other.
    let id = listed.split_whitespace().find(|word| word.starts_with("20")).unwrap();
    let mut export = support::tlslab();
    export.args(["export", id, "--format", "csv", "--out"]).arg(&clone);
    assert!(stdout(&export.output().unwrap()).contains(SCENARIO));
}

/// The newest database of the default branch is taken, never a fork's or an expired one, and the run is
/// added.
fn kept_as_an_artifact(folder: &Path, fake: &Fake, base: &str, head: &str) {
    let old = folder.join("kept/tlslab.sqlite");
    let zip = folder.join("old.zip");
    let mut zipped = Command::new("python3");
    stdout(&zipped.args(["-m", "zipfile", "-c"]).args([&zip, &old]).output().unwrap());
    let artifact = |id: u32, day: u32, branch: &str, from: u32, is_expired: bool| {
        json!({ "id": id, "created_at": format!("2026-01-{day:02}T00:00:00Z"), "expired": is_expired,
            "workflow_run": { "head_branch": branch, "repository_id": 1, "head_repository_id": from } })
    };
    fake.state().zip = fs::read(zip).unwrap();
    fake.state().artifacts = json!([
        artifact(2, 2, "main", 1, false),
        artifact(3, 3, "main", 1, false),
        artifact(4, 4, "main", 9, false),
        artifact(5, 5, "feature", 1, false),
        artifact(6, 6, "main", 1, true),
    ]);
    let temp = folder.join("temp-artifact");
    let more = [("GITHUB_REF", "refs/heads/main")];
    let clone = folder.join("clone");
    let mut job = Job {
        event: "push",
        payload: json!({ "before": base, "after": head, "repository": { "default_branch": "main" } }),
        workspace: &clone,
        temp: &temp,
        api: &fake.url,
        token: "secret-7",
        more: &more,
    };
    let wanted = [("history", "artifact"), ("fail-on", "none")];
    let ended = job.run(&inputs(&wanted));
    assert_eq!(ended.status, 0, "{}", ended.log);
    let runs = |folder: &Path| {
        let mut listed = support::tlslab();
        stdout(&listed.args(["runs", "--out"]).arg(folder).output().unwrap()).matches(" complete").count()
    };
    assert_eq!(runs(&ended.artifacts["tlslab-history"]), runs(&folder.join("kept")) + 1);
    // The token is for the forge only; the store to which it redirects does not get it.
    let asked = fake.state().asked.clone();
    let of = |path: &str| {
        asked.iter().rfind(|[_, asked, _]| asked.starts_with(path)).map(|[.., token]| token.clone())
    };
    assert_eq!(of("/repos/o/r/actions/artifacts/3/zip").as_deref(), Some("Bearer secret-7"));
    assert_eq!(of("/storage/3/zip").as_deref(), Some(""));
    // A push to another branch does not belong to the history.
    job.more = &[("GITHUB_REF", "refs/heads/feature")];
    let ended = job.run(&inputs(&wanted));
    assert_eq!(ended.status, 0, "{}", ended.log);
    assert!(!ended.artifacts.contains_key("tlslab-history"));
}
