//! The work of a service apart from answering. Each loop is a thread; any number of services may run the same
//! ones on one database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tlslab_queue::{Change, Duty, Fault, Filter, Phase, QueueError, State};

use crate::announce::{announce_waiting, conclude_earlier};
use crate::inbox::handle_waiting;
use crate::keep::delete_old;
use crate::log::log;
use crate::new_jobs::{check_group, check_job, schedule_job};
use crate::notify::look;
use crate::outbox::send_next;
use crate::reconcile::reconcile_due;
use crate::schedule::next_after;
use crate::service::Service;

/// Between two checks without work.
const IDLE: Duration = Duration::from_millis(200);
/// Between two tries when the database is away.
const AWAY: Duration = Duration::from_secs(2);

/// How long it is waited for news at once; a service that stops ends after this.
const HEARS: Duration = Duration::from_secs(1);

/// How long one turn of a loop may take: a code host that does not answer is waited for.
const TURN: Duration = Duration::from_secs(180);

/// Between two looks for events that somebody is notified of, ms.
const NOTICED_EACH_MS: u64 = 30_000;

/// How long a runner in quarantine waits before it is checked again.
const CHECKED_AFTER_MS: u64 = 5 * 60 * 1_000;

type Work = fn(&Service) -> Result<bool, QueueError>;

/// Starts all of them.
pub(crate) fn start(service: &Arc<Service>) -> Vec<JoinHandle<()>> {
    let work: [(&'static str, Work); 6] = [
        ("inbox", |service| handle_waiting(service).map(|handled| handled > 0)),
        ("announcements", |service| Ok(announce_waiting(service)? > 0 || conclude_earlier(service)?)),
        ("outbox", send_next),
        ("upkeep", upkeep),
        ("reconciliation", reconcile_due),
        ("retention", delete_old),
    ];
    let start = |(name, work): (&'static str, Work)| {
        let service = service.clone();
        std::thread::spawn(move || turn(&service, name, work))
    };
    let mut threads: Vec<_> = work.into_iter().map(start).collect();
    threads.push(std::thread::spawn({
        let service = service.clone();
        move || hear(&service)
    }));
    threads
}

/// Wakes waiting runners when another service has enqueued a job. Ends if the database has no notifications:
/// then they poll.
fn hear(service: &Service) {
    while !service.stops() {
        let heard = service.pool.open().and_then(|queue| {
            while !service.stops() {
                match queue.heard_of_work(HEARS)? {
                    None => return Ok(false),
                    Some(is_new) => {
                        service.is_told.store(true, Ordering::Relaxed);
                        if is_new {
                            service.changed.notify_waiters();
                        }
                    }
                }
            }
            Ok(true)
        });
        service.is_told.store(false, Ordering::Relaxed);
        match heard {
            Ok(false) => return,
            Ok(true) => {}
            // The loops report that the database is unavailable.
            Err(_) => service.pause(AWAY),
        }
    }
}

fn turn(service: &Service, name: &'static str, work: Work) {
    let mut is_away = false;
    while !service.stops() {
        service.beats.beat(name, TURN);
        match work(service) {
            Ok(was_busy) => {
                if std::mem::take(&mut is_away) {
                    log(&format!("{}: the database is back", name));
                }
                if !was_busy {
                    service.pause(IDLE);
                }
            }
            // Another service did it first.
            Err(QueueError::Conflict { .. }) => {}
            Err(error) => {
                if !std::mem::replace(&mut is_away, true) {
                    log(&format!("{}: {error}; trying again", name));
                }
                service.pause(AWAY);
            }
        }
    }
}

/// Takes back jobs whose lease has ended, rejects those that no runner may run, and enqueues due ones.
fn upkeep(service: &Service) -> Result<bool, QueueError> {
    service.queue(|queue| queue.sweep())?;
    refuse_without_sandbox(service)?;
    enqueue_due(service)?;
    check_quarantined(service)?;
    let now = service.now_unix_ms();
    if is_due(&service.noticed_until, now, NOTICED_EACH_MS) {
        look(service)?;
        service.noticed_until.store(now + NOTICED_EACH_MS, Ordering::Relaxed);
    }
    service.queue(|queue| queue.remove_left_pieces())?;
    service.pause(Duration::from_secs(1));
    Ok(false)
}

/// Whether the time has come for something that is done each so many ms. A clock that was set back does not
/// put it off.
pub(crate) fn is_due(until: &AtomicU64, now_unix_ms: u64, each_ms: u64) -> bool {
    let until = until.load(Ordering::Relaxed);
    until <= now_unix_ms || until > now_unix_ms + each_ms
}

fn enqueue_due(service: &Service) -> Result<(), QueueError> {
    let (due, now) = service.queue(|queue| queue.due_schedules())?;
    for due in due {
        let configured = service.config.schedules.iter().find(|known| *known.name.get_ref() == due.name);
        let Some(schedule) = configured else { continue };
        // Times that passed while no service ran are one.
        let next = match next_after(&due.cron, now) {
            Ok(next) => next,
            Err(cause) => {
                log(&format!("schedule {}: {cause}", due.name));
                continue;
            }
        };
        let advance =
            Change::Advance { name: due.name.clone(), from_unix_ms: due.next_at_unix_ms, to_unix_ms: next };
        let job = Change::Enqueue(Box::new(schedule_job(schedule, due.next_at_unix_ms)));
        match service.queue(|queue| queue.apply(&[advance, job])) {
            Err(QueueError::Conflict { .. }) => {}
            done => drop(done?),
        }
        service.changed.notify_waiters();
    }
    Ok(())
}

/// A runner in quarantine is checked again and again: only its canary is timed.
pub(crate) fn check_quarantined(service: &Service) -> Result<(), QueueError> {
    for runner in service.queue(|queue| queue.runners())? {
        if runner.duty != Duty::Quarantined {
            continue;
        }
        if !service.config.canary.enabled {
            let cause = "canaries are disabled, so nothing would show a change of the runner";
            service.queue(|queue| queue.set_duty(&runner.name, Duty::Works, cause, false))?;
            continue;
        }
        let group = Some(check_group(&runner.name));
        let newest = Filter { group, most: 1, ..Filter::default() };
        let last = service.queue(|queue| queue.list(&newest))?.pop();
        if last.as_ref().is_some_and(|job| !job.state.is_ended()) {
            continue;
        }
        let last_unix_ms = last.map_or(0, |job| job.ended_unix_ms).max(runner.duty_unix_ms);
        // Another service that sees the same makes the same job.
        let job = Change::Enqueue(Box::new(check_job(&runner, last_unix_ms, CHECKED_AFTER_MS)));
        service.queue(|queue| queue.apply(&[job]))?;
    }
    Ok(())
}

/// Untrusted code runs only in a sandbox: if no runner has one, its jobs end with the reason.
fn refuse_without_sandbox(service: &Service) -> Result<(), QueueError> {
    let runners = service.queue(|queue| queue.runners())?;
    let heard: Vec<_> = runners.iter().filter(|runner| runner.seen_unix_ms > 0).collect();
    let why = |runner: &&tlslab_queue::Runner| {
        runner.facts.get("no_sandbox").and_then(serde_json::Value::as_str).map(str::to_owned)
    };
    if heard.is_empty() || heard.len() < runners.len() || heard.iter().any(|runner| why(runner).is_none()) {
        return Ok(());
    }
    let cause = heard.iter().find_map(why).unwrap_or_default();
    let waiting = Filter { phase: Phase::Open, ..Filter::default() };
    for job in service.queue(|queue| queue.list(&waiting))? {
        if job.needs_sandbox && job.state == State::Queued {
            let cause = format!("untrusted code runs only in a sandbox, and no runner has one: {cause}");
            let refuse = Change::Refuse { job: job.id, fault: Fault::Lab, cause };
            service.queue(|queue| queue.apply(&[refuse]))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tlslab_queue::{Approval, NewJob, hash_key};

    use super::*;
    use crate::config::Config;

    fn service(folder: &std::path::Path) -> Service {
        let text = format!(
            "folder = \"{}\"\n[[schedule]]\nname = \"nightly\"\ncron = \"* * * * *\"\nrun = {{ stacks = [\"s\"] }}\n",
            folder.display()
        );
        Service::new(Config::parse(&text).unwrap(), folder, None).unwrap()
    }

    fn job(id: &str, needs_sandbox: bool) -> Change {
        Change::Enqueue(Box::new(NewJob {
            is_timed: true,
            only_runner: None,
            id: id.to_owned(),
            project: String::new(),
            subject: json!({}),
            body: json!({}),
            labels: Vec::new(),
            needs_sandbox,
            priority: 0,
            dedup: None,
            supersedes: None,
            approval: Approval::NotNeeded,
            head: None,
            most_attempts: 1,
            delay_ms: 0,
            is_answered: false,
            cause: String::new(),
        }))
    }

    #[test]
    fn without_a_sandbox_jobs_of_strangers_end_with_the_reason_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let service = service(folder.path());
        let states = || {
            let of = |id: &'static str| service.queue(|queue| queue.job(id)).unwrap().unwrap();
            (of("strange"), of("own").state)
        };
        let runner = tlslab_queue::NewRunner {
            name: "r".to_owned(),
            key_hash: hash_key("k"),
            labels: Vec::new(),
            quiet: Default::default(),
            origin: tlslab_queue::Origin::Configuration,
        };
        service.queue(|queue| queue.register_runner(&runner)).unwrap();
        service.queue(|queue| queue.apply(&[job("strange", true), job("own", false)])).unwrap();
        // The runner is still unknown.
        refuse_without_sandbox(&service).unwrap();
        assert_eq!((states().0.state, states().1), (State::Queued, State::Queued));
        let facts = json!({"no_sandbox": "bubblewrap is not installed"});
        service.queue(|queue| queue.runner_seen("r", "1", Some(&facts))).unwrap();
        refuse_without_sandbox(&service).unwrap();
        let (strange, own) = states();
        assert_eq!((strange.state, strange.fault, own), (State::Failed, Some(Fault::Lab), State::Queued));
        assert!(strange.reason.contains("bubblewrap is not installed"), "{}", strange.reason);
    }

    #[test]
    fn a_schedule_that_is_due_is_enqueued_once_however_late() {
        let folder = tempfile::tempdir().unwrap();
        let service = service(folder.path());
        let due = tlslab_queue::Schedule {
            name: "nightly".to_owned(),
            cron: "* * * * *".to_owned(),
            next_at_unix_ms: 60_000,
        };
        service.queue(|queue| queue.set_schedules(&[due])).unwrap();
        for _ in 0..3 {
            enqueue_due(&service).unwrap();
        }
        let jobs = service.queue(|queue| queue.list(&Filter::default())).unwrap();
        assert_eq!(jobs.len(), 1);
        assert!(jobs[0].id.starts_with("at-nightly-") && !jobs[0].needs_sandbox);
    }
}
