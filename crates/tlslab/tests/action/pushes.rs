//! Thirty pushes to the default branch, one of which costs something: `tlslab history` of what the scripts have kept finds it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::changes::{PROGRAM, SCENARIO, git, inputs, repository};
use crate::support::{self, stdout};
use crate::workflow::Job;

/// How many pushes, unless TLSLAB_PUSHES says so.
const PUSHES: usize = 30;

fn pushes() -> usize {
    std::env::var("TLSLAB_PUSHES").ok().and_then(|text| text.parse().ok()).unwrap_or(PUSHES)
}

/// What a push changes: nothing that runs, unless something is planted.
fn edit(clone: &Path, push: usize, is_planted: bool) {
    let library = clone.join("src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    let line = match push % 2 {
        0 => format!("// Push {push}.\n"),
        _ => format!("#[doc(hidden)]\npub fn push_{push}() -> usize {{\n    {push}\n}}\n"),
    };
    fs::write(&library, text + &line).unwrap();
    if is_planted {
        let file = clone.join("src/hash_hs.rs");
        let text = fs::read_to_string(&file).unwrap();
        let behind = "fn add_raw(&mut self, buf: &[u8]) -> &mut Self {";
        assert_eq!(text.matches(behind).count(), 1);
        let cost = "for n in 0..600_u64 { core::hint::black_box(n); }";
        fs::write(&file, text.replace(behind, &format!("{behind}\n        {cost}"))).unwrap();
    }
}

#[test]
#[ignore = "builds rustls thirty times: `make test-all`"]
fn a_planted_step_is_found_in_what_thirty_pushes_have_kept() {
    let folder = tempfile::tempdir().unwrap();
    let clone = repository(folder.path());
    git(&clone, &["checkout", "--quiet", "main"]);
    let mut before = git(&clone, &["rev-parse", "HEAD"]);
    let mut planted = String::new();
    let pushes = pushes();
    for push in 1..=pushes {
        let is_planted = push == 2 * pushes / 3;
        edit(&clone, push, is_planted);
        git(&clone, &["commit", "--quiet", "--all", "-m", &format!("push {push}")]);
        git(&clone, &["push", "--quiet", "origin", "main"]);
        let head = git(&clone, &["rev-parse", "HEAD"]);
        let temp = folder.path().join("temp");
        let job = Job {
            event: "push",
            payload: json!({ "before": before, "after": head, "repository": { "default_branch": "main" } }),
            workspace: &clone,
            temp: &temp,
            api: "http://127.0.0.1:9",
            token: "",
            more: &[("GITHUB_REF", "refs/heads/main"), ("GITHUB_SHA", &head), ("TLSLAB_PATIENCE", "0")],
        };
        let ended = job.run(&inputs(&[("program", PROGRAM), ("history", "branch"), ("fail-on", "none")]));
        assert_eq!(ended.status, 0, "push {push}: {}", ended.log);
        // Each push before it has left two points.
        let compared = fs::read_to_string(temp.join("tlslab/artifacts/comparison.json")).unwrap();
        let compared: Value = serde_json::from_str(&compared).unwrap();
        for change in compared["changes"].as_array().unwrap() {
            let points = change["tracked"]["points"].as_u64().unwrap_or(0);
            let known = 2 * (push - 1);
            assert_eq!(points, if known < 10 { 0 } else { known as u64 }, "push {push}: {change}");
        }
        if is_planted {
            planted = head[..12].to_owned();
        }
        before = head;
    }
    let kept = folder.path().join("kept");
    let origin = folder.path().join("origin.git");
    let arguments = ["clone", "--quiet", "--branch", "tlslab-history"];
    git(folder.path(), &[&arguments[..], &[origin.to_str().unwrap(), kept.to_str().unwrap()]].concat());
    let mut history = support::tlslab();
    history.args(["history", "--metric", "count.instructions", "--format", "json", "--out"]).arg(&kept);
    let found: Value = serde_json::from_str(&stdout(&history.output().unwrap())).unwrap();
    let timelines = found["timelines"].as_array().unwrap();
    assert_eq!(timelines.len(), 2, "client and server: {found}");
    for timeline in timelines {
        assert_eq!(timeline["series"]["scenario"], SCENARIO);
        let points = timeline["points"].as_array().unwrap();
        assert_eq!(points.len(), 2 * pushes, "both commits of every push");
        let changes = timeline["history"]["changes"].as_array().unwrap();
        let [change] = &changes[..] else { panic!("{changes:?}") };
        assert_eq!((change["label"].as_str(), change["cause"].as_str()), (Some(&*planted), Some("change")));
        assert!(change["ratio"].as_f64().unwrap() > 1.001, "{change}");
    }
}
