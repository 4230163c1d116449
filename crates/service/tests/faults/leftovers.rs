//! Leftovers that must not exist, and runs that must be in the history.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tlslab_queue::{Change, Filter, NewJob, State};
use tlslab_store::open_to_read;

use crate::run;
use crate::world::{RUNNERS, World};

/// The time for a runner's last job after all faults have ended.
const LAST_JOB: Duration = Duration::from_secs(60);

/// Has each runner carry out one more job: it takes jobs, and deletes what earlier ones left.
pub(crate) fn last_jobs(world: &mut World) -> Vec<String> {
    let id = |number: usize| format!("last-{number}");
    for number in 0..RUNNERS {
        let step = json!({"job": {"id": id(number)}, "cache": "shared", "state": "proving", "fault": "lab"});
        let job = NewJob {
            is_timed: false,
            only_runner: None,
            id: id(number),
            project: "none".to_owned(),
            subject: json!({"kind": "submitted", "by": "test", "title": "t"}),
            body: json!({"steps": [step]}),
            labels: vec![format!("runner-{number}")],
            needs_sandbox: false,
            priority: 0,
            dedup: None,
            supersedes: None,
            approval: tlslab_queue::Approval::NotNeeded,
            head: None,
            most_attempts: 1,
            delay_ms: 0,
            is_answered: false,
            cause: "the end of the test".to_owned(),
        };
        let change = [Change::Enqueue(Box::new(job))];
        World::with_queue(&world.address, |queue| queue.apply(&change));
    }
    let deadline = Instant::now() + LAST_JOB;
    let mut wrong = Vec::new();
    for number in 0..RUNNERS {
        loop {
            let row = World::with_queue(&world.address, |queue| queue.job(&id(number))).unwrap();
            if row.state == State::Reported {
                break;
            }
            if row.state.is_ended() || Instant::now() > deadline {
                wrong.push(format!("the last job of runner {number} is {}: {}", row.state, row.reason));
                break;
            }
            world.look_after_runners();
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    wrong
}

/// Obsolete files. Deletions of a runner after its last job may take a moment.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let mut wanted: Vec<_> =
        (0..RUNNERS).map(|number| folder.join(format!("runner-{number}/jobs"))).collect();
    wanted.extend(["tmp", "service-tmp", "service/received"].map(|name| folder.join(name)));
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let entries = wanted.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let left: Vec<String> = entries.map(|entry| format!("{} is left", entry.path().display())).collect();
        if left.is_empty() || Instant::now() > deadline {
            return left;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Rows of the database that somebody seems to hold.
pub(crate) fn rows(world: &World) -> Vec<String> {
    let held = [
        ("jobs are leased", "SELECT id FROM job WHERE lease_until_unix_ms > 0"),
        ("messages are claimed", "SELECT key FROM outbox WHERE sent < version OR claimed_until_unix_ms > 0"),
        (
            "runs are measured",
            "SELECT id FROM run WHERE complete = 0 OR owner IS NOT NULL OR lease_until_unix_ms > 0",
        ),
    ];
    let mut wrong = Vec::new();
    for (what, sql) in held {
        let found: Vec<String> = world.rows(sql).iter().map(|row| row.get(0).unwrap()).collect();
        if !found.is_empty() {
            wrong.push(format!("{what}: {found:?}"));
        }
    }
    wrong
}

/// Whether the history has the run of each reported job that keeps its runs, unchanged; their number, and the
/// errors.
pub(crate) fn history(world: &World) -> (usize, Vec<String>) {
    let store = open_to_read(&world.address).unwrap();
    let runs: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.id).collect();
    let mut wrong: Vec<String> =
        runs.iter().filter_map(|run| Some(format!("run {run}: {}", run::fault_of(&*store, run)?))).collect();
    let kept = |id: &str| id.starts_with("enqueued-");
    let reported = World::with_queue(&world.address, |queue| {
        let mut ids = Vec::new();
        let mut before = None;
        loop {
            let page = queue.list(&Filter { before, ..Filter::default() })?;
            let Some(last) = page.last() else { return Ok(ids) };
            before = Some(last.key);
            ids.extend(page.into_iter().filter(|row| row.state == State::Reported).map(|row| row.id));
        }
    });
    let lost = reported.iter().filter(|id| kept(id) && !runs.contains(id));
    wrong.extend(lost.map(|id| format!("{id} was reported, and its run is not in the history")));
    wrong.extend(runs.iter().filter(|run| !kept(run)).map(|run| format!("run {run} should not be kept")));
    (runs.len(), wrong)
}
