//! Notices to an operator: signed JSON to an address, or an issue. Of each event there is one, kept in the
//! outbox until it arrives.

use serde_json::Value;
use tlslab_queue::{Change, Duty, Message, QueueError, hash_key};
use tlslab_runner::{NEEDED_BYTES, free_bytes};

use crate::config::{EventKind, Notice, NotifyConfig};
use crate::log::log;
use crate::message::Letter;
use crate::outbox::given_up;
use crate::render::job_lists::SILENT_MS;
use crate::service::{Counters, Service};
use crate::tries::{TRIES, own_wait};

/// Below it a disk counts as full, bytes: a runner takes no job then.
const FULL: u64 = NEEDED_BYTES;
/// From here on it counts as free again.
const FREE: u64 = 2 * FULL;
/// Older failures are not reported, ms.
const NEWS_MS: u64 = 7 * 24 * 3_600 * 1_000;
/// Messages that one notice of failures covers, and how many it names.
const MOST: u32 = 100;
const MOST_NAMED: usize = 10;
/// The format of notices.
const FORMAT: u32 = 1;

/// An event, before its receivers are known.
pub(crate) struct Event {
    /// Its kind.
    pub kind: EventKind,
    /// Its identity.
    pub id: String,
    /// The project, if it is about one.
    pub project: Option<String>,
    /// The event, in a line.
    pub title: String,
    /// Details, and the next step.
    pub text: String,
    /// The page of the service that has more, from its root.
    pub page: String,
}

fn wants(service: &Service, kind: EventKind) -> bool {
    service.config.notifies.iter().any(|notify| notify.on.contains(&kind))
}

/// The change that notifies of an event, if somebody wants to know. With `others` it also notes these events.
pub(crate) fn notified(service: &Service, event: &Event, others: Vec<String>) -> Option<Change> {
    if !wants(service, event.kind) {
        return None;
    }
    let at_unix_ms = service.now_unix_ms();
    let link = format!("{}{}", service.config.base(), event.page);
    let (title, text) = (tlslab_text::clean(&event.title), tlslab_text::clean_lines(&event.text));
    let message = |notify: &NotifyConfig| {
        let target = notify.name.get_ref().clone();
        let key = format!("notify:{target}:{}:{at_unix_ms}", event.id);
        let letter = match &notify.issue {
            Some(project) => Letter::Issue {
                project: project.clone(),
                mark: format!("notice.{}", &hash_key(&key)[..16]),
                title: title.clone(),
                text: format!("{}\n\n{link}\n", tlslab_text::markdown(&text)),
            },
            None => Letter::Notice(Notice {
                target,
                format: FORMAT,
                id: format!("{}:{at_unix_ms}", event.id),
                event: event.kind,
                project: event.project.clone(),
                title: title.clone(),
                text: text.clone(),
                link: link.clone(),
                at_unix_ms,
            }),
        };
        (key, serde_json::to_value(letter).unwrap_or(Value::Null))
    };
    let targets = service.config.notifies.iter().filter(|notify| notify.on.contains(&event.kind));
    let messages = targets.map(message).collect();
    let events = std::iter::once(event.id.clone()).chain(others).collect();
    Some(Change::Notice { events, messages })
}

/// Looks for lasting events and those that nobody else reports: full disks, quarantines, given-up messages.
///
/// # Errors
/// Fails if the database does not answer.
pub(crate) fn look(service: &Service) -> Result<(), QueueError> {
    if service.config.notifies.is_empty() {
        return Ok(());
    }
    let now = service.now_unix_ms();
    let runners = service.queue(|queue| queue.runners())?;
    let mut quarantines = Vec::new();
    let mut disks = vec![disk("disk:service".to_owned(), "the service", free_bytes(&service.config.folder))];
    for runner in &runners {
        if runner.duty == Duty::Quarantined {
            quarantines.push(Lasting::On(Box::new(Event {
                kind: EventKind::Quarantine,
                id: format!("quarantine:{}", runner.name),
                project: None,
                title: format!("Runner {} is in quarantine", runner.name),
                text: format!(
                    "{}. It takes no jobs until three checks in a row are good, or until `tlslab-service runner resume {}`.",
                    runner.duty_cause, runner.name
                ),
                page: "/runners".to_owned(),
            })));
        }
        let is_heard = now.saturating_sub(runner.seen_unix_ms) <= SILENT_MS;
        let free = runner.facts.get("free_bytes").and_then(Value::as_u64).filter(|_| is_heard);
        disks.push(disk(format!("disk:runner:{}", runner.name), &format!("runner {}", runner.name), free));
    }
    lasting(service, EventKind::Quarantine, "quarantine:", quarantines)?;
    lasting(service, EventKind::Disk, "disk:", disks)?;
    look_for_given_up(service)
}

/// Whether a lasting event is present.
enum Lasting {
    /// It is.
    On(Box<Event>),
    /// Unknown: no change.
    Unknown(String),
    /// It is not.
    Off,
}

fn disk(id: String, whose: &str, free: Option<u64>) -> Lasting {
    match free {
        Some(free) if free < FULL => Lasting::On(Box::new(Event {
            kind: EventKind::Disk,
            id,
            project: None,
            title: format!("The disk of {whose} is full"),
            text: format!(
                "{} MiB are free. Below {} MiB a runner takes no job, and a service cannot write. Delete files, or set `[keep]`.",
                free >> 20,
                FULL >> 20
            ),
            page: "/runners".to_owned(),
        })),
        Some(free) if free >= FREE => Lasting::Off,
        _ => Lasting::Unknown(id),
    }
}

/// Notifies of events that have begun, and forgets those that are over.
fn lasting(service: &Service, kind: EventKind, prefix: &str, found: Vec<Lasting>) -> Result<(), QueueError> {
    if !wants(service, kind) {
        return Ok(());
    }
    let noted = service.queue(|queue| queue.events_noted(prefix))?;
    let mut stays = Vec::new();
    for one in found {
        match one {
            Lasting::On(event) if noted.contains(&event.id) => stays.push(event.id),
            Lasting::On(event) => apply(service, notified(service, &event, Vec::new()))?,
            Lasting::Unknown(id) => stays.push(id),
            Lasting::Off => {}
        }
    }
    for event in noted.into_iter().filter(|event| !stays.contains(event)) {
        apply(service, Some(Change::NoticeOver { event }))?;
    }
    Ok(())
}

/// One notice of all that was given up since the last check.
fn look_for_given_up(service: &Service) -> Result<(), QueueError> {
    if !wants(service, EventKind::GivenUp) {
        return Ok(());
    }
    let mut all = service.queue(|queue| queue.given_up_lately(NEWS_MS, MOST))?;
    let Some(first) = all.first().cloned() else { return Ok(()) };
    let named = all.iter().take(MOST_NAMED).map(|one| format!("{}: {}", one.what, one.problem));
    let mut text = named.collect::<Vec<_>>().join("\n");
    if all.len() > MOST_NAMED {
        text.push_str(&format!("\nand {} more", all.len() - MOST_NAMED));
    }
    text.push_str("\nThe service has stopped trying. Its journal has each attempt and its error.");
    let event = Event {
        kind: EventKind::GivenUp,
        id: first.event,
        project: None,
        title: match all.len() {
            1 => "1 message or event was given up".to_owned(),
            more => format!("{more} messages or events were given up"),
        },
        text,
        page: "/".to_owned(),
    };
    let others = all.drain(1..).map(|one| one.event).collect();
    apply(service, notified(service, &event, others))
}

/// Of two services that see the same one is first.
fn apply(service: &Service, change: Option<Change>) -> Result<(), QueueError> {
    let Some(change) = change else { return Ok(()) };
    match service.queue(|queue| queue.apply(&[change])) {
        Err(QueueError::Conflict { .. }) => Ok(()),
        done => done.map(drop),
    }
}

/// Sends a notice to its address; failures are retried for about two days.
///
/// # Errors
/// Fails if the database does not answer.
pub(crate) fn send(service: &Service, message: &Message, notice: &Notice) -> Result<(), QueueError> {
    let Some(hook) = service.hooks.get(&notice.target) else {
        return given_up(service, message, "its address is not configured any more");
    };
    let alone = format!("notify:{}", notice.target);
    if let Some(left) = service.left_alone(&alone) {
        let delay_ms = left.max(own_wait(message.tries)).as_millis() as u64;
        return service.queue(|queue| queue.message_delayed(message, delay_ms, "its address did not answer"));
    }
    let body = serde_json::to_string(notice).unwrap_or_default();
    match hook.post(notice.event.name(), &notice.id, &body) {
        Ok(()) => {
            Counters::add(&service.counters.notices);
            service.queue(|queue| queue.message_sent(message, None))
        }
        Err(cause) if message.tries < TRIES => {
            Counters::add(&service.counters.notices_delayed);
            log(&format!("notice {} to {} waits: {cause}", notice.id, notice.target));
            service.leave_alone(&alone);
            let delay_ms = own_wait(message.tries).as_millis() as u64;
            service.queue(|queue| queue.message_delayed(message, delay_ms, &cause))
        }
        Err(cause) => given_up(service, message, &cause),
    }
}

#[cfg(test)]
mod tests;
