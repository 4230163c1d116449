//! The action's file and the examples of workflows: what they may do, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::changes;
use super::fake::Fake;
use super::workflow::{Job, ROOT, action};
use super::{HEAD, second};

#[test]
fn no_command_of_the_action_has_an_expression_and_every_input_is_used() {
    let text = fs::read_to_string(Path::new(ROOT).join("action.yml")).unwrap();
    let action = action();
    for step in &action.runs.steps {
        assert!(!step.run.contains("${{"), "{}", step.run);
        if let Some(script) = step.run.split('"').nth(1) {
            let script = script.replace("$GITHUB_ACTION_PATH", ROOT);
            assert!(PathBuf::from(&script).is_file(), "{script}");
        }
    }
    for (name, input) in &action.inputs {
        assert!(text.matches(&format!("inputs.{name}")).count() > 0, "{name}");
        assert!(!input.description.is_empty());
    }
}

#[test]
fn the_examples_are_safe_with_forks() {
    let read = |name: &str| {
        let text = fs::read_to_string(Path::new(ROOT).join("ci/examples/github").join(name)).unwrap();
        serde_saphyr::from_str::<Value>(&text).unwrap()
    };
    let steps = |workflow: &Value| -> Vec<Value> {
        let jobs = workflow["jobs"].as_object().unwrap();
        jobs.values().flat_map(|job| job["steps"].as_array().unwrap().clone()).collect()
    };
    let inputs = action().inputs;
    let (measure, comment, acknowledge) = (read("measure.yml"), read("comment.yml"), read("acknowledge.yml"));
    assert_eq!(acknowledge["on"].as_object().unwrap().keys().collect::<Vec<_>>(), ["workflow_dispatch"]);
    assert_eq!(acknowledge["permissions"], measure["permissions"]);
    assert!(measure["on"].get("pull_request_target").is_none());
    let permissions = measure["permissions"].as_object().unwrap();
    assert!(permissions.values().all(|permission| permission == "read"), "{permissions:?}");
    assert!(measure["jobs"]["measure"].get("permissions").is_none());
    assert_eq!(comment["on"]["workflow_run"]["workflows"][0], measure["name"]);
    assert!(!comment.to_string().contains("actions/checkout"), "nothing of the pull request is checked out");
    assert_eq!(comment["permissions"], json!({}));
    let (build, may_comment) = (&comment["jobs"]["build"], &comment["jobs"]["comment"]);
    assert_eq!(may_comment["permissions"], json!({ "actions": "read", "pull-requests": "write" }));
    // The code is compiled without any rights; the job with write access takes the program from there.
    assert_eq!(build["permissions"], json!({}));
    assert_eq!(may_comment["needs"], "build");
    let of_lab = |job: &Value| -> Value {
        let steps = job["steps"].as_array().unwrap();
        steps.iter().find(|step| step["uses"].as_str().unwrap().starts_with("OWNER/")).unwrap()["with"]
            .clone()
    };
    assert_eq!(of_lab(build)["build-only"], "true");
    assert!(of_lab(may_comment)["program"].as_str().unwrap().ends_with("/program/tlslab"));
    for step in [&measure, &comment, &acknowledge].into_iter().flat_map(steps) {
        let uses = step["uses"].as_str().unwrap();
        if uses.starts_with("OWNER/tlslab@") {
            let with = step["with"].as_object().unwrap();
            assert!(with.keys().all(|name| inputs.contains_key(name)), "{with:?}");
        } else {
            let known = ["checkout", "cache", "upload-artifact", "download-artifact"];
            let (name, commit) = uses.strip_prefix("actions/").and_then(|uses| uses.split_once('@')).unwrap();
            assert!(known.contains(&name), "{uses}");
            assert!(commit.len() == 40 && commit.bytes().all(|digit| digit.is_ascii_hexdigit()), "{uses}");
        }
        assert!(step.get("run").is_none());
    }
    for text in [measure.to_string(), comment.to_string(), acknowledge.to_string()] {
        assert!(!text.contains("secrets."), "no secret is needed");
    }
}

/// The steps of the example that opens issues run unchanged, with a program and a `gh` that record their
/// arguments.
#[test]
fn the_example_for_branches_opens_one_issue_and_gives_no_right_to_what_builds() {
    let text = fs::read_to_string(Path::new(ROOT).join("ci/examples/github/branch.yml")).unwrap();
    let workflow: Value = serde_saphyr::from_str(&text).unwrap();
    let (watch, issue) = (&workflow["jobs"]["watch"], &workflow["jobs"]["issue"]);
    assert_eq!(workflow["permissions"], json!({}));
    assert_eq!(watch["permissions"], json!({ "contents": "read" }));
    assert_eq!((&issue["permissions"], &issue["needs"]), (&json!({ "issues": "write" }), &json!("watch")));
    assert!(!issue.to_string().contains("OWNER/"), "who may write runs nothing that was built");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let run = |job: &Value| {
        let steps = job["steps"].as_array().unwrap();
        let script = steps.iter().find_map(|step| step["run"].as_str()).unwrap();
        assert!(!script.contains("${{"), "{script}");
        let mut shell = std::process::Command::new("bash");
        shell.args(["-e", "-o", "pipefail", "-c", script]).current_dir(folder.path());
        let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
        shell
            .env("PATH", path)
            .env("PROGRAM", "./program")
            .env("HOME", folder.path())
            .env("TITLE", "a title");
        shell.envs(["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"].map(|name| (name, folder.path().join(name))));
        shell.output().unwrap().status.success()
    };
    for (status, is_success) in [(0, true), (3, true), (1, false)] {
        let line = "lib: main does not build since 0123 (2026-08-05, \"hi @bob \u{fffd} `x`\")";
        write("program", &format!("#!/bin/sh\nprintf '%s\\n' '{line}'\nexit {status}\n"));
        fs::remove_file(folder.path().join("GITHUB_OUTPUT")).ok();
        assert_eq!(run(watch), is_success);
        assert_eq!(read("GITHUB_OUTPUT"), format!("status={status}\n"));
    }
    let gh = |number: &str| {
        let list = format!("case $2 in list) echo {number} ;; esac");
        write("gh", &format!("#!/bin/sh\necho \"$@\" >>said\n{list}\n"));
    };
    gh("");
    assert!(run(issue) && read("said").contains("issue create --title a title --body-file body.txt"));
    let body = "    lib: main does not build since 0123 (2026-08-05, \"hi @bob  `x`\")\n";
    assert_eq!(read("body.txt"), body);
    gh("7");
    assert!(run(issue) && read("said").contains("issue edit 7 --body-file body.txt"));
    let close = &workflow["jobs"]["close"];
    assert_eq!((&close["permissions"], &close["needs"]), (&json!({ "issues": "write" }), &json!("watch")));
    assert_eq!(close["if"], json!("needs.watch.outputs.status == '0'"));
    assert!(run(close) && read("said").contains("issue close 7 --comment The newest revision builds again."));
    fs::remove_file(folder.path().join("said")).unwrap();
    gh("");
    assert!(run(close) && !read("said").contains("issue close"), "{}", read("said"));
}

#[test]
fn the_gitlab_example_keeps_token_and_cache_from_the_job_that_builds_a_change() {
    let text = fs::read_to_string(Path::new(ROOT).join("ci/examples/gitlab/.gitlab-ci.yml")).unwrap();
    let jobs: Value = serde_saphyr::from_str(&text).unwrap();
    let (measure, comment) = (&jobs["measure"], &jobs["comment"]);
    assert_eq!(comment["environment"], json!({ "name": "tlslab-comment", "action": "access" }));
    assert!(measure.get("environment").is_none() && jobs[".tlslab"].get("environment").is_none());
    assert!(jobs[".tlslab"].get("cache").is_none(), "each job has a cache of its own");
    assert_eq!(comment["cache"], json!([]), "what lies in the runner's folder may be a change's");
    let variables = [&jobs, &jobs[".tlslab"], measure].map(|job| job["variables"].get("TLSLAB_SANDBOX"));
    assert!(variables.iter().all(Option::is_none), "a change is measured in the sandbox");
    let caches = [measure, comment].map(|job| job["variables"]["TLSLAB_CACHE"].as_str().unwrap());
    assert!(caches.iter().all(|cache| cache.starts_with("/tmp/")), "outside of the checkout: {caches:?}");
    assert_ne!(caches[0], caches[1]);
    kept_cache_is_no_change_s(&jobs, measure);
    let first = measure["script"][0].as_str().unwrap();
    let run = |token: Option<&str>| {
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-ec", first])
            .env_remove("TLSLAB_TOKEN")
            .envs(token.map(|token| ("TLSLAB_TOKEN", token)));
        shell.output().unwrap()
    };
    assert!(run(None).status.success());
    let refused = run(Some("glpat-7"));
    assert!(
        !refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("environment scope")
    );
    assert!(
        comment["script"]
            .as_array()
            .unwrap()
            .iter()
            .all(|line| !line.as_str().unwrap().contains("ci/measure"))
    );
}

/// Runs the steps that restore the cache: files that an earlier job has stored, and none of the repository.
fn kept_cache_is_no_change_s(jobs: &Value, measure: &Value) {
    let before = jobs[".tlslab"]["before_script"].as_array().unwrap();
    assert_eq!(before[0], "cd /", "settings in the checkout are not read");
    let brings =
        before.iter().find_map(|line| line.as_str().filter(|line| line.contains("TLSLAB_KEPT"))).unwrap();
    let keeps = measure["script"].as_array().unwrap().iter().rev();
    let keeps = keeps.filter_map(Value::as_str).find(|line| line.contains("tar")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (checkout, cache) = (folder.path().join("checkout"), folder.path().join("cache"));
    fs::create_dir(&checkout).unwrap();
    changes::git(&checkout, &["init", "--quiet"]);
    let run = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-ec", script]).env("CI_PROJECT_DIR", &checkout).env("TLSLAB_CACHE", &cache);
        shell.env("TLSLAB_KEPT", checkout.join(".tlslab-cache/cache.tar")).output().unwrap()
    };
    assert!(run(brings).status.success());
    fs::write(cache.join("product"), "made").unwrap();
    assert!(run(keeps).status.success());
    fs::remove_dir_all(&cache).unwrap();
    assert!(run(brings).status.success());
    assert_eq!(fs::read_to_string(cache.join("product")).unwrap(), "made");
    changes::git(&checkout, &["add", "--force", ".tlslab-cache"]);
    let refused = run(brings);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && why.contains("already has files in .tlslab-cache"), "{why}");
}

/// A change may bring a tlslab.toml, drivers and scenarios: they take effect from the next commit on.
#[test]
fn a_change_has_no_say_in_how_it_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let clone = folder.join("clone");
    fs::create_dir(&clone).unwrap();
    let program = folder.join("program");
    // Its working folder, and its arguments.
    let said = folder.join("said");
    let script =
        format!("#!/bin/sh\n[ \"$1\" != compare ] || printf '%s\\n' \"$PWD\" \"$@\" >'{}'\n", said.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    changes::git(&clone, &["init", "--quiet", "--initial-branch", "main"]);
    let commit = |message: &str| {
        changes::git(&clone, &["add", "--all"]);
        changes::git(&clone, &["commit", "--quiet", "--allow-empty", "-m", message]);
        changes::git(&clone, &["rev-parse", "HEAD"])
    };
    let fake = Fake::new(7, HEAD);
    let temp = folder.join("temp");
    let words = |base: &str, head: &str| {
        let payload =
            json!({ "pull_request": { "number": 7, "head": { "sha": head }, "base": { "sha": base } } });
        let job = Job { event: "pull_request", payload, workspace: &clone, ..second(&fake, &temp, head) };
        let ended = job.run(&[("program", program.to_str().unwrap()), ("stacks", "rustls/ring@path:.")]);
        assert_eq!(ended.status, 0, "{}", ended.log);
        fs::read_to_string(&said).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let first = commit("nothing");
    fs::write(clone.join("tlslab.toml"), "lab = \"elsewhere\"\n").unwrap();
    let second = commit("a lab of its own");
    let said = words(&first, &second);
    assert!(!said[0].starts_with(clone.to_str().unwrap()), "it starts in the checkout: {said:?}");
    assert!(!said.contains(&"--root".to_owned()), "{said:?}");
    fs::write(clone.join("tlslab.toml"), "lab = \"another\"\n").unwrap();
    let third = commit("another one");
    let said = words(&second, &third);
    let root = said.iter().position(|word| word == "--root").unwrap_or_else(|| panic!("{said:?}"));
    let config = fs::read_to_string(std::path::Path::new(&said[root + 1]).join("tlslab.toml")).unwrap();
    assert_eq!(config, "lab = \"elsewhere\"\n");
}

#[test]
fn pull_request_target_is_refused() {
    let fake = Fake::new(7, HEAD);
    let temp = tempfile::tempdir().unwrap();
    let job = Job { event: "pull_request_target", ..second(&fake, temp.path(), HEAD) };
    let ended = job.run(&[("stacks", "rustls/ring@path:."), ("program", env!("CARGO_BIN_EXE_tlslab"))]);
    assert_eq!(ended.status, 1);
    assert!(ended.log.contains("use pull_request"), "{}", ended.log);
}
