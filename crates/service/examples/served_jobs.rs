//! Fills a folder's database with made-up jobs in several states, for tests of the service's pages in a browser.

use std::path::PathBuf;

use serde_json::{Value, json};
use tlslab_queue::{
    Access, Change, Fault, Finish, Hold, LEASE, Leased, NewJob, NewRunner, Origin, PullRow, Queue,
    QueueError, QuietHours, Scope, State, Taker, hash_key, open,
};
use tlslab_store::Address;

/// The runner; a service keeps what begins so even if no configuration names it.
const RUNNER: &str = "local-bench";

fn main() {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).expect("a folder is named");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let queue = open(&Address::Sqlite(folder.join("tlslab.sqlite")), 60 * LEASE).expect("a queue");
    fill(&*queue).expect("the queue takes jobs");
}

fn fill(queue: &dyn Queue) -> Result<(), QueueError> {
    queue.register_runner(&NewRunner {
        name: RUNNER.to_owned(),
        key_hash: "no key has this hash".to_owned(),
        labels: vec!["x86".to_owned()],
        quiet: QuietHours::default(),
        origin: Origin::Local,
    })?;
    // Anyone who signs in with it may do everything.
    let boss = Access { name: "boss".to_owned(), scopes: vec![Scope::Administer] };
    queue.grant(&boss, &hash_key("token-of-boss"))?;
    let facts = json!({"version": "0.1.0", "host": "a machine of a test", "no_sandbox": null});
    queue.runner_seen(RUNNER, "1", Some(&facts))?;
    for (number, title, branch) in [
        (7, "Parse records without a copy", "no-copy"),
        (8, "Rename the crate", "rename"),
        (9, "Reuse buffers <fast>", "buffers"),
        (10, "Fix a typo", "patch-1"),
    ] {
        let (project, title, branch) = ("tiny".to_owned(), title.to_owned(), branch.to_owned());
        let head = if number == 10 { "e".repeat(40) } else { String::new() };
        let (is_open, baseline) = (true, "0".repeat(40));
        let pull = PullRow { project, number, head, is_open, title, branch, baseline, ..PullRow::default() };
        queue.apply(&[Change::SeePull(pull)])?;
    }
    for (id, number, commit) in [("compared", 7, "a"), ("failed", 8, "b"), ("measuring", 7, "c")] {
        add(queue, id, number, commit, false)?;
        let leased = take(queue)?;
        match id {
            "compared" => finish(queue, &leased, State::Reported, "1 regression", Some(comparison()))?,
            "failed" => {
                failed_build(queue, &leased)?;
                let ending = json!({"status": "failed", "error": {"kind": "failed", "thing": "tiny", "cause": REASON, "next_step": ""}});
                finish(queue, &leased, State::Failed, REASON, Some(ending))?
            }
            _ => measure(queue, &leased)?,
        }
    }
    add(queue, "replaced", 9, "f", false)?;
    add(queue, "queued", 9, "d", false)?;
    add(queue, "waiting", 10, "e", true)
}

/// The reason of a failed job, as its runner reports it.
const REASON: &str = "driver: cargo ended with 101\nerror[E0433]: no crate\n  --> /var/lib/tlslab-runner/jobs/failed/src/lib.rs:7:5";

/// The same failure in the job's log.
fn failed_build(queue: &dyn Queue, leased: &Leased) -> Result<(), QueueError> {
    let failure = json!({"failed": {"stage": "driver", "reason": "cargo ended with 101", "log": "/var/lib/tlslab-runner/x.log",
        "last_lines": ["error[E0433]: no crate", "  --> /var/lib/tlslab-runner/jobs/failed/src/lib.rs:7:5"]}});
    let event = json!({"format": 1, "job": leased.job, "number": 1, "unix_ms": 1_795_575_600_000_u64, "event": "build",
        "product": {"stage": "driver", "stacks": ["tiny@2"]}, "what": failure});
    queue.event(&hold(leased), &[(1, event)]).map(drop)
}

fn add(
    queue: &dyn Queue,
    id: &str,
    number: u64,
    commit: &str,
    needs_approval: bool,
) -> Result<(), QueueError> {
    let subject = json!({"kind": "pull", "number": number, "commit": commit.repeat(40), "baseline": "0".repeat(40),
        "author": "ann", "is_fork": needs_approval});
    let request = json!({"kind": "compare", "pairs": [["tiny@1", "tiny@2"]]});
    let body = json!({"steps": [{"job": {"id": id, "trust": "candidate", "request": request}, "cache": "shared",
        "state": "building-candidate", "fault": "candidate"}]});
    let job = NewJob {
        id: id.to_owned(),
        project: "tiny".to_owned(),
        subject,
        body,
        labels: vec!["x86".to_owned()],
        needs_sandbox: false,
        is_timed: true,
        only_runner: None,
        priority: 10,
        dedup: None,
        supersedes: Some(format!("pull:tiny:{number}")),
        approval: if needs_approval {
            tlslab_queue::Approval::Awaited
        } else {
            tlslab_queue::Approval::Author
        },
        head: Some(commit.repeat(40)),
        most_attempts: 3,
        delay_ms: 0,
        is_answered: false,
        cause: "the pull request was opened".to_owned(),
    };
    queue.apply(&[Change::Enqueue(Box::new(job))]).map(drop)
}

fn take(queue: &dyn Queue) -> Result<Leased, QueueError> {
    let (name, labels) = (RUNNER.to_owned(), vec!["x86".to_owned()]);
    let taker = Taker { name, boot: "1".to_owned(), labels, has_sandbox: true, slot: 0, facts: None };
    Ok(queue.take(&taker)?.job().expect("a job is queued"))
}

fn hold(leased: &Leased) -> Hold {
    Hold { job: leased.job.clone(), token: leased.token, runner: RUNNER.to_owned() }
}

fn finish(
    queue: &dyn Queue,
    leased: &Leased,
    state: State,
    reason: &str,
    ending: Option<Value>,
) -> Result<(), QueueError> {
    let pack = |ending: Value| zstd::encode_all(ending.to_string().as_bytes(), 3).expect("it can be packed");
    let fault = (state == State::Failed).then_some(Fault::Candidate);
    let body = ending.map(pack).unwrap_or_default();
    queue
        .finish(
            &hold(leased),
            &Finish { state, fault, reason: reason.to_owned(), body, canary: None, duty: None },
        )
        .map(drop)
}

fn measure(queue: &dyn Queue, leased: &Leased) -> Result<(), QueueError> {
    queue.renew(&hold(leased), Some(State::Measuring))?;
    let event = |number: u64, event: Value| {
        let mut whole = json!({"format": 1, "job": leased.job, "number": number, "unix_ms": 1_795_575_600_000_u64 + number});
        let fields = whole.as_object_mut().expect("an object");
        fields.extend(event.as_object().expect("an object").clone());
        (number, whole)
    };
    let events = [
        event(1, json!({"event": "build-planned", "products": []})),
        event(2, json!({"event": "warning", "text": "another program uses 40 % of a processor"})),
        event(
            3,
            json!({"event": "step", "stage": "measure", "done": 3, "total": 8, "left_s": 42.0, "what": "round 3"}),
        ),
    ];
    queue.event(&hold(leased), &events).map(drop)
}

fn comparison() -> Value {
    let cell = |scenario: &str, verdict: &str, ratio: f64| {
        json!({"pair": 0, "scenario": scenario, "side": "client", "metric": "time", "verdict": verdict, "note": null,
            "base": 1000.0, "new": 1000.0 * ratio, "ratio": ratio, "interval": {"lower": ratio - 0.001, "upper": ratio + 0.001, "confidence": 0.99},
            "n": 8, "p_value": 0.001, "q_value": 0.002, "threshold": 0.001, "detectable": 0.004, "ratios": [ratio],
            "confirmation": {"ratio": ratio, "interval": null, "n": 8, "agrees": true},
            "reasons": [{"function": "tiny::hash", "change": 12.0}]})
    };
    let value = json!({"format": 1, "runs": ["20261125-030000-abcd"], "lab_version": "0.1.0", "started_unix_ms": 1, "complete": true,
        "measuring_s": 61.0, "host": {"cpu": {"name": "a processor"}},
        "design": {"arrangement": "interleaved", "counter": "valgrind", "looks": [8], "confirmation": 8, "false_discovery_rate": 0.01,
            "time_floor_percent": 0.1, "exact_floor_percent": 0.0, "negligible_percent": 0.5},
        "pairs": [{"base": "tiny@1", "base_version": "1", "new": "tiny@2", "new_version": "2", "identical": false, "fixed_layout": []}],
        "changes": [cell("handshake/1.3/full", "regression", 1.012), cell("handshake/1.2/full", "inconclusive", 1.001)],
        "warnings": ["the machine was busy during round 2"]});
    json!({"status": "done", "outcome": {"kind": "comparison", "value": value}})
}
