//! Every queue passes these, on every database.

mod jobs;
mod keeping;
mod messages;
mod model;
mod notices;
mod others;
mod places;
mod pulls;
mod runners;
mod sessions;
mod turns;
mod verdicts;

use std::time::Duration;

use serde_json::json;

use crate::{Applied, Approval, Change, Finish, Hold, Leased, NewJob, Queue, State, Taker, Which};
use places::{Place, on_every_database};

/// A lease that no test outlives.
const LONG: Duration = Duration::from_secs(60);

fn new_job(id: &str) -> NewJob {
    NewJob {
        id: id.to_owned(),
        project: "p".to_owned(),
        subject: json!({"number": 1}),
        body: json!({"id": id}),
        labels: Vec::new(),
        needs_sandbox: false,
        is_timed: true,
        only_runner: None,
        priority: 0,
        dedup: None,
        supersedes: None,
        approval: Approval::NotNeeded,
        head: None,
        most_attempts: 3,
        delay_ms: 0,
        is_answered: false,
        cause: "a test".to_owned(),
    }
}

fn enqueue(queue: &dyn Queue, job: NewJob) -> Applied {
    queue.apply(&[Change::Enqueue(Box::new(job))]).unwrap().remove(0)
}

fn taker(name: &str) -> Taker {
    Taker {
        name: name.to_owned(),
        boot: "1".to_owned(),
        labels: Vec::new(),
        has_sandbox: true,
        slot: 0,
        facts: None,
    }
}

fn hold(leased: &Leased, runner: &str) -> Hold {
    Hold { job: leased.job.clone(), token: leased.token, runner: runner.to_owned() }
}

fn reported(body: &str) -> Finish {
    Finish {
        state: State::Reported,
        fault: None,
        reason: "done".to_owned(),
        body: body.as_bytes().to_vec(),
        canary: None,
        duty: None,
    }
}

fn state(queue: &dyn Queue, id: &str) -> State {
    queue.job(id).unwrap().unwrap().state
}

fn cancel(id: &str) -> Change {
    Change::Cancel { which: Which::Job(id.to_owned()), cause: "unwanted".to_owned() }
}
