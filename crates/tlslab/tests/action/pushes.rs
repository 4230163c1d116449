//! Thirty pushes to the default branch, some of them with a cost: `tlslab history` of the databases that the
//! scripts have stored finds these, and no others.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::changes::{PROGRAM, SCENARIO, git, inputs, repository};
use crate::support::{self, stdout};
use crate::workflow::Job;

/// How many pushes, unless TLSLAB_PUSHES says so.
const PUSHES: usize = 30;

/// The planted share of the client's time. The server's is shorter, so its share is larger.
const SLOWER: f64 = 0.02;

fn pushes() -> usize {
    std::env::var("TLSLAB_PUSHES").ok().and_then(|text| text.parse().ok()).unwrap_or(PUSHES)
}

/// The cost of a push.
enum Planted {
    /// Instructions, about one in two thousand.
    Instructions,
    /// Waiting, in nanoseconds of each handshake and side.
    Waiting(f64),
}

/// How often the planted lines run in a handshake.
const CALLS: f64 = 5.0;

impl Planted {
    fn code(&self) -> String {
        match self {
            Self::Instructions => "for n in 0..50_u64 { core::hint::black_box(n); }".to_owned(),
            Self::Waiting(ns) => {
                let pauses = (ns / CALLS / pause_ns()).ceil() as u64;
                format!("for _ in 0..{pauses} {{ core::hint::spin_loop(); }}")
            }
        }
    }
}

/// How long a pause takes on this processor.
fn pause_ns() -> f64 {
    let (pauses, start) = (1_000_000, Instant::now());
    for _ in 0..pauses {
        core::hint::spin_loop();
    }
    start.elapsed().as_nanos() as f64 / f64::from(pauses)
}

/// The change of a push: nothing that runs, unless a cost is planted.
fn edit(clone: &Path, push: usize, planted: Option<&Planted>) {
    let library = clone.join("src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    let line = match push % 2 {
        0 => format!("// Push {push}.\n"),
        _ => format!("#[doc(hidden)]\npub fn push_{push}() -> usize {{\n    {push}\n}}\n"),
    };
    fs::write(&library, text + &line).unwrap();
    if let Some(planted) = planted {
        let file = clone.join("src/hash_hs.rs");
        let text = fs::read_to_string(&file).unwrap();
        let behind = "fn add_raw(&mut self, buf: &[u8]) -> &mut Self {";
        assert_eq!(text.matches(behind).count(), 1);
        fs::write(&file, text.replace(behind, &format!("{behind}\n        {}", planted.code()))).unwrap();
    }
}

/// A repository whose pushes are measured, one after the other.
struct Pushes {
    folder: tempfile::TempDir,
    clone: PathBuf,
    metrics: &'static str,
    before: String,
    made: usize,
}

impl Pushes {
    fn of(metrics: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clone = repository(folder.path());
        git(&clone, &["checkout", "--quiet", "main"]);
        let before = git(&clone, &["rev-parse", "HEAD"]);
        Self { folder, clone, metrics, before, made: 0 }
    }

    /// The commit, and the job's comparison.
    fn push(&mut self, planted: Option<&Planted>) -> (String, Value) {
        self.made += 1;
        let push = self.made;
        edit(&self.clone, push, planted);
        git(&self.clone, &["commit", "--quiet", "--all", "-m", &format!("push {push}")]);
        git(&self.clone, &["push", "--quiet", "origin", "main"]);
        let head = git(&self.clone, &["rev-parse", "HEAD"]);
        let temp = self.folder.path().join("temp");
        let payload =
            json!({ "before": self.before, "after": head, "repository": { "default_branch": "main" } });
        let job = Job {
            event: "push",
            payload,
            workspace: &self.clone,
            temp: &temp,
            api: "http://127.0.0.1:9",
            token: "",
            more: &[("GITHUB_REF", "refs/heads/main"), ("GITHUB_SHA", &head), ("TLSLAB_PATIENCE", "0")],
        };
        let mut asked = inputs(&[("program", PROGRAM), ("history", "branch"), ("fail-on", "none")]);
        asked.retain(|(name, _)| *name != "metrics");
        asked.push(("metrics", self.metrics));
        let ended = job.run(&asked);
        assert_eq!(ended.status, 0, "push {push}: {}", ended.log);
        let compared = fs::read_to_string(temp.join("tlslab/artifacts/comparison.json")).unwrap();
        self.before.clone_from(&head);
        eprintln!("push {push}: {}", &head[..12]);
        (head[..12].to_owned(), serde_json::from_str(&compared).unwrap())
    }

    /// The stored series of a metric: both commits of every push.
    fn history(&self, metric: &str) -> Vec<Value> {
        let kept = self.folder.path().join("kept");
        if !kept.is_dir() {
            let origin = self.folder.path().join("origin.git");
            let arguments = ["clone", "--quiet", "--branch", "tlslab-history"];
            let places = [origin.to_str().unwrap(), kept.to_str().unwrap()];
            git(self.folder.path(), &[&arguments[..], &places].concat());
        }
        let mut history = support::tlslab();
        history.args(["history", "--metric", metric, "--stack", "rustls/ring", "--format", "json", "--out"]);
        let found: Value = serde_json::from_str(&stdout(&history.arg(&kept).output().unwrap())).unwrap();
        let timelines = found["timelines"].as_array().unwrap().clone();
        assert_eq!(timelines.len(), 2, "client and server: {found}");
        for timeline in &timelines {
            assert_eq!(timeline["series"]["scenario"], SCENARIO);
            assert_eq!(timeline["points"].as_array().unwrap().len(), 2 * self.made);
        }
        timelines
    }
}

/// The commits at which a series changed, and by how much.
fn changes(timeline: &Value) -> Vec<(String, f64)> {
    let all = timeline["history"]["changes"].as_array().unwrap();
    let of_program = all.iter().filter(|change| change["cause"] == "change");
    of_program
        .map(|change| (change["label"].as_str().unwrap().to_owned(), change["ratio"].as_f64().unwrap()))
        .collect()
}

#[test]
#[ignore = "builds rustls thirty times: `make test-all`"]
fn a_planted_step_is_found_in_what_thirty_pushes_have_kept() {
    let mut pushes_made = Pushes::of("count");
    let pushes = pushes();
    let mut planted = String::new();
    for push in 1..=pushes {
        let is_planted = push == 2 * pushes / 3;
        let (head, compared) = pushes_made.push(is_planted.then_some(&Planted::Instructions));
        // Each earlier push has left two points.
        for change in compared["changes"].as_array().unwrap() {
            let points = change["tracked"]["points"].as_u64().unwrap_or(0);
            let known = 2 * (push - 1);
            assert_eq!(points, if known < 10 { 0 } else { known as u64 }, "push {push}: {change}");
        }
        if is_planted {
            planted = head;
        }
    }
    for timeline in pushes_made.history("count.instructions") {
        let found = changes(&timeline);
        let [(commit, ratio)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(*commit, planted);
        assert!((1.0002..1.002).contains(ratio), "{ratio}");
    }
}

#[test]
#[ignore = "times sixty builds of rustls, which takes half an hour of a quiet machine: `make pushes`"]
fn planted_slow_downs_are_found_in_times_and_counts_that_pushes_have_kept() {
    let mut pushes_made = Pushes::of("time,count");
    let pushes = pushes();
    let (mut slower, mut longer, mut client_ns) = (String::new(), String::new(), 0.0);
    for push in 1..=pushes {
        let planted = match push {
            push if push == pushes / 3 => Some(Planted::Instructions),
            push if push == 2 * pushes / 3 => Some(Planted::Waiting(SLOWER * client_ns)),
            _ => None,
        };
        let (head, compared) = pushes_made.push(planted.as_ref());
        let is_client = |change: &&Value| change["metric"] == "time" && change["side"] == "client";
        let timed = compared["changes"].as_array().unwrap().iter().find(is_client).unwrap().clone();
        client_ns = timed["base"].as_f64().unwrap_or_else(|| panic!("{timed}"));
        assert!(compared["design"]["canary"].is_string(), "{}", compared["design"]);
        match planted {
            Some(Planted::Instructions) => longer = head,
            Some(Planted::Waiting(_)) => slower = head,
            None => {}
        }
    }
    for timeline in pushes_made.history("time") {
        let found = changes(&timeline);
        eprintln!("time, {}: {found:?}; planted at {slower}", timeline["series"]["side"]);
        let [(commit, ratio)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(*commit, slower);
        assert!((1.01..1.05).contains(ratio), "{ratio}");
        let points = timeline["points"].as_array().unwrap();
        assert!(
            points.iter().all(|point| point["reference"].is_f64()),
            "each point is a ratio to the canary"
        );
    }
    for timeline in pushes_made.history("count.instructions") {
        let found = changes(&timeline);
        eprintln!("count, {}: {found:?}; planted at {longer}", timeline["series"]["side"]);
        // Waiting takes a few instructions, too.
        assert!(found.iter().any(|(commit, _)| *commit == longer), "{found:?}");
        assert!(found.iter().all(|(commit, _)| [&longer, &slower].contains(&commit)), "{found:?}");
    }
}

#[test]
#[ignore = "times sixty builds of rustls, which takes half an hour of a quiet machine: `make pushes`"]
fn nothing_is_found_in_what_unchanged_pushes_have_kept() {
    let mut pushes_made = Pushes::of("time,count");
    for _ in 1..=pushes() {
        pushes_made.push(None);
    }
    for metric in ["time", "count.instructions"] {
        for timeline in pushes_made.history(metric) {
            assert_eq!(changes(&timeline), [], "{metric}, {}", timeline["series"]["side"]);
        }
    }
}
