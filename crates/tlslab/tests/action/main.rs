//! A comparison becomes a comment, and the action's own steps run as they would on a forge.

mod acknowledging;
mod changes;
mod examples;
mod fake;
mod pushes;
#[path = "../support/mod.rs"]
mod support;
mod trees;
mod workflow;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use fake::Fake;
use serde_json::{Value, json};
use support::stdout;
use workflow::Job;

const COMPARISON: &str = include_str!("comparison.json");
const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "89abcdef0123456789abcdef0123456789abcdef";
const MARK: &str = "<!-- tlslab:tlslab -->";
const BOT: &str = "github-actions[bot]";

/// A folder as ci/measure writes it.
fn measured(comparison: &str, number: &str, commit: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("comparison.json"), comparison).unwrap();
    let about = format!("{{\"number\": {number}, \"commit\": \"{commit}\"}}");
    fs::write(folder.path().join("about.json"), about).unwrap();
    folder
}

/// The verb, with a token and without this test's environment.
fn verb(fake: &Fake, folder: &Path, more: &[&str]) -> Command {
    let mut command = support::tlslab();
    for (name, _) in std::env::vars() {
        if name.to_lowercase().ends_with("_proxy") {
            command.env_remove(name);
        }
    }
    command.args(["comment", "--forge", "github", "--repository", "o/r", "--api", &fake.url, "--from"]);
    command.arg(folder).args(more).env("TLSLAB_TOKEN", "secret-7");
    command
}

fn comment(fake: &Fake, folder: &Path, more: &[&str]) -> Output {
    verb(fake, folder, more).output().unwrap()
}

fn refused(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!said.contains("secret-7"), "{said}");
    said
}

#[test]
fn a_comment_is_made_once_and_edited_ever_after() {
    let fake = Fake::new(7, HEAD);
    let folder = measured(COMPARISON, "7", HEAD);
    let link = ["--link", "https://github.example/o/r/actions/runs/11", "--commit", HEAD];
    assert_eq!(stdout(&comment(&fake, folder.path(), &link)), "comment 1 created on 7\n");
    insta::assert_snapshot!("comment", fake.state().comments[0].1);
    assert_eq!(stdout(&comment(&fake, folder.path(), &link)), "comment 1 on 7 is unchanged\n");

    let changed = COMPARISON.replace("rustls/ring@0.23.36", "rustls/ring@0.23.35");
    let folder = measured(&changed, "7", HEAD);
    assert_eq!(stdout(&comment(&fake, folder.path(), &link)), "comment 1 edited on 7\n");
    assert!(fake.state().comments[0].1.contains("0.23.35"));
    // A comment with another name is another comment.
    assert_eq!(stdout(&comment(&fake, folder.path(), &["--name", "nightly"])), "comment 2 created on 7\n");
    assert_eq!(fake.state().comments.len(), 2);
    assert!(fake.state().asked.iter().all(|[.., token]| token == "Bearer secret-7"));
}

#[test]
fn what_others_wrote_is_never_edited() {
    let fake = Fake::new(7, HEAD);
    let folder = measured(COMPARISON, "7", HEAD);
    let theirs: Vec<(String, String)> = vec![
        ("mallory".into(), format!("{MARK}\nall is well")),
        (BOT.into(), format!("> {MARK}\nquoted by another workflow")),
        (BOT.into(), "<!-- tlslab:nightly -->\nanother comment".into()),
        ("github-actions".into(), format!("{MARK}\na user of a similar name")),
        (String::new(), format!("{MARK}\nof an account that is gone")),
    ];
    fake.state().comments = theirs.clone();
    fake.state().page = 2;
    assert_eq!(stdout(&comment(&fake, folder.path(), &[])), "comment 6 created on 7\n");
    let changed = measured(&COMPARISON.replace("0.23.36", "0.23.35"), "7", HEAD);
    // Behind two full pages.
    assert_eq!(stdout(&comment(&fake, changed.path(), &[])), "comment 6 edited on 7\n");
    assert_eq!(fake.state().comments[..5], theirs);
    // With a user's own token the comment is that user's.
    fake.state().login = Some("alice".into());
    assert_eq!(stdout(&comment(&fake, changed.path(), &[])), "comment 7 created on 7\n");
    assert_eq!(stdout(&comment(&fake, folder.path(), &["--author", BOT])), "comment 6 edited on 7\n");
}

#[test]
fn a_forge_that_is_busy_is_asked_again_and_nothing_is_said_twice() {
    let fake = Fake::new(7, HEAD);
    let folder = measured(COMPARISON, "7", HEAD);
    let busy = (429, "Retry-After: 0");
    let used_up = (403, "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 1");
    fake.state().next = [(502, "Retry-After: 0"), used_up, busy].into();
    assert_eq!(stdout(&comment(&fake, folder.path(), &[])), "comment 1 created on 7\n");

    // The comment was created, but the answer got lost: it is found on the second attempt.
    fake.state().comments.clear();
    fake.state().lost = 1;
    assert_eq!(stdout(&comment(&fake, folder.path(), &[])), "comment 1 on 7 is unchanged\n");
    assert_eq!(fake.state().comments.len(), 1);

    // It never ends.
    fake.state().next = [busy; 9].into();
    let said = refused(&comment(&fake, folder.path(), &[]));
    assert!(said.contains("status 429") && said.contains("5 times") && said.contains("later"), "{said}");
    fake.state().next = [(429, "Retry-After: 4000")].into();
    let said = refused(&comment(&fake, folder.path(), &[]));
    assert!(said.contains("4000 s"), "{said}");
}

#[test]
fn the_error_of_a_token_that_may_not_names_what_it_needs() {
    let fake = Fake::new(7, HEAD);
    let folder = measured(COMPARISON, "7", HEAD);
    let first = |status| {
        fake.state().next = [(status, "")].into();
        refused(&comment(&fake, folder.path(), &[]))
    };
    let said = first(403);
    assert!(said.contains("permissions: pull-requests: write") && said.contains("from a fork"), "{said}");
    let said = first(401);
    assert!(said.contains("the token is not accepted"), "{said}");
    let said = first(404);
    assert!(said.contains("/repos/o/r/pulls/7") && said.contains("not found"), "{said}");
    let said = first(301);
    assert!(said.contains("status 301"), "a token does not follow to where it was not meant to go: {said}");
    let mut none = verb(&fake, folder.path(), &[]);
    none.env_remove("TLSLAB_TOKEN").env_remove("GITHUB_TOKEN");
    assert!(refused(&none.output().unwrap()).contains("set TLSLAB_TOKEN or GITHUB_TOKEN"));
    let elsewhere = comment(&fake, folder.path(), &["--link", "https://a.example) [x](javascript:x"]);
    assert!(refused(&elsewhere).contains("--link"));
}

#[test]
fn a_forged_folder_is_refused() {
    let fake = Fake::new(7, HEAD);
    let described = |comparison: &str, number: &str, commit: &str| {
        let folder = measured(comparison, number, commit);
        refused(&comment(&fake, folder.path(), &["--commit", HEAD]))
    };
    assert!(described(COMPARISON, "8", HEAD).contains("/pulls/8: not found"), "another pull request");
    assert!(described(COMPARISON, "7", OTHER).contains("but the measured workflow ran"), "another commit");
    for number in ["0", "-7", "7.5", "\"7\"", "\"7/../../../user\"", "null", "99999999999999999999999"] {
        assert!(described(COMPARISON, number, HEAD).contains("about.json"), "{number}");
    }
    for commit in [&HEAD.to_uppercase(), &HEAD[1..], "main", "$(id)", &format!("{HEAD}\\n")] {
        assert!(described(COMPARISON, "7", commit).contains("not 40 hexadecimal digits"), "{commit}");
    }
    assert!(described("<script>", "7", HEAD).contains("it is not a comparison.json"));
    assert!(described(&" ".repeat((16 << 20) + 1), "7", HEAD).contains("more than 16777216 bytes"));
    assert!(described(&COMPARISON.replace("\"pair\": 0", "\"pair\": 9"), "7", HEAD).contains("is of pair 9"));
    let long = "x".repeat(70_000);
    assert!(described(&with_name(&long), "7", HEAD).contains("characters even without its tables"));
    assert!(
        described(&COMPARISON.replace("\"format\": 1", "\"format\": 2"), "7", HEAD)
            .contains("its format is 2")
    );

    // A link to a private file.
    let folder = measured(COMPARISON, "7", HEAD);
    fs::remove_file(folder.path().join("comparison.json")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("comparison.json")).unwrap();
    assert!(refused(&comment(&fake, folder.path(), &[])).contains("is a link, not a plain file"));

    // Another pull request, of another fork, may be at the same commit.
    let folder = measured(COMPARISON, "7", HEAD);
    let elsewhere = comment(&fake, folder.path(), &["--commit", HEAD, "--head-repository", "71"]);
    assert!(refused(&elsewhere).contains("comes from another repository than the one that was measured"));

    // The pull request has moved on, or never was at this commit.
    fake.state().head = OTHER.to_owned();
    let moved = described(COMPARISON, "7", HEAD);
    assert!(moved.contains(&format!("at commit {OTHER}")), "{moved}");
    assert_eq!(fake.writes(), 0);
}

/// The comparison with another name of its new stack.
fn with_name(name: &str) -> String {
    let mut comparison: Value = serde_json::from_str(COMPARISON).unwrap();
    comparison["pairs"][0]["new"] = name.into();
    comparison.to_string()
}

#[test]
fn what_a_stranger_writes_stays_text() {
    let evil = "@everyone <script>alert(1)</script> ![x](https://evil.example/p.png) &commat;all `a` | b\n/close\n#1";
    let mut comparison: Value = serde_json::from_str(COMPARISON).unwrap();
    comparison["pairs"][0]["new"] = evil.into();
    comparison["pairs"][0]["base_version"] = evil.into();
    comparison["warnings"] = json!([evil]);
    comparison["lab_version"] = evil.into();
    comparison["design"]["arrangement"] = evil.into();
    comparison["changes"][0]["scenario"] = evil.into();
    comparison["changes"][0]["acknowledged"] = json!({ "text": evil, "up_to": 1.5 });
    comparison["changes"][0]["points"] = json!([{ "class": evil, "points": 3, "comparable": false }]);
    comparison["pairs"][0]["version"] = json!({ "stack": evil, "label": evil });
    let file = |which: &str| format!("profiles/01-s.client.{which}.callgrind.gz");
    comparison["profiles"] = json!([{ "pair": 0, "scenario": evil, "side": "client", "baseline": file("baseline"),
        "candidate": file("candidate"), "iterations": 32 }]);
    let fake = Fake::new(7, HEAD);
    let folder = measured(&comparison.to_string(), "7", HEAD);
    // Other files next to it are ignored.
    fs::write(folder.path().join("comparison.md"), "@everyone").unwrap();
    fs::create_dir(folder.path().join("profiles")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join(file("candidate"))).unwrap();
    fs::write(folder.path().join("profiles/@everyone"), "@everyone").unwrap();
    stdout(&comment(&fake, folder.path(), &["--artifact", "an artifact"]));
    let text = fake.state().comments[0].1.clone();
    insta::assert_snapshot!("strange", text);
    // Escaped characters are plain, and within code nothing is a mention or markup.
    let mut letters = text.chars();
    let mut plain = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            letter => plain.push(letter),
        }
    }
    let outside: String = plain.split('`').step_by(2).collect();
    for wrong in ["@everyone", "<script", "](", "![", "https://", "&commat;", "\u{202e}"] {
        assert!(!outside.contains(wrong), "{wrong} in {outside}");
    }
    assert!(text.lines().all(|line| !line.starts_with('/')));
}

#[test]
fn a_merge_request_is_commented_on_likewise() {
    let fake = Fake::new(7, HEAD);
    fake.state().login = Some("project_7_bot".into());
    let folder = measured(COMPARISON, "7", HEAD);
    let run = |folder: &Path| {
        let mut command = support::tlslab();
        for (name, _) in std::env::vars() {
            if name.to_lowercase().ends_with("_proxy") {
                command.env_remove(name);
            }
        }
        command.args(["comment", "--forge", "gitlab", "--from"]).arg(folder);
        command.env("CI_API_V4_URL", &fake.url).env("CI_PROJECT_ID", "7").env("GITLAB_TOKEN", "glpat-7");
        stdout(&command.env_remove("TLSLAB_TOKEN").output().unwrap())
    };
    assert_eq!(run(folder.path()), "comment 1 created on 7\n");
    let changed = measured(&COMPARISON.replace("0.23.36", "0.23.35"), "7", HEAD);
    assert_eq!(run(changed.path()), "comment 1 edited on 7\n");
    assert!(fake.state().asked.iter().all(|[.., token]| token == "glpat-7"));
}

/// The job of the second workflow.
fn second<'a>(fake: &'a Fake, temp: &'a Path, head: &str) -> Job<'a> {
    let payload = json!({ "workflow_run": {
        "event": "pull_request", "head_sha": head, "head_repository": { "id": 70 }, "html_url": "https://github.example/o/r/actions/runs/10" } });
    Job {
        event: "workflow_run",
        payload,
        workspace: temp,
        temp,
        api: &fake.url,
        token: "secret-7",
        more: &[],
    }
}

#[test]
fn the_second_workflow_comments_what_the_first_has_left() {
    let fake = Fake::new(7, HEAD);
    let folder = measured(COMPARISON, "7", HEAD);
    let temp = tempfile::tempdir().unwrap();
    let job = second(&fake, temp.path(), HEAD);
    let shown = folder.path().display().to_string();
    let inputs = [("comment", "only"), ("folder", &*shown), ("program", env!("CARGO_BIN_EXE_tlslab"))];
    let ended = job.run(&inputs);
    assert_eq!(ended.status, 0, "{}", ended.log);
    assert!(ended.log.contains("comment 1 created on 7"), "{}", ended.log);
    let text = fake.state().comments[0].1.clone();
    assert!(text.contains("(https://github.example/o/r/actions/runs/10)"), "{text}");
    // The forge knows what ran: a folder with other claims is forged.
    let forged = second(&fake, temp.path(), OTHER).run(&inputs);
    assert_eq!(forged.status, 1, "{}", forged.log);
    assert_eq!(fake.writes(), 1);
}
