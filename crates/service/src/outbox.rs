//! The loop that sends messages. A message is claimed, sent and marked; if a service is killed in between,
//! the next one finds the sent message by its mark.

use std::sync::PoisonError;
use std::time::Duration;

use tlslab_forge::{Client, ForgeError, Kind, Left, Mark, StatusState};
use tlslab_queue::{Message, QueueError};

use crate::log::log;
use crate::message::Letter;
use crate::notify;
use crate::service::{Counters, Service};
use crate::tries::{TRIES, UNLIKELY, may_pass, own_wait, wait};

/// Code hosts ask that comments and issues do not follow each other faster.
const BETWEEN_COMMENTS: Duration = Duration::from_secs(1);

/// Sends the next message; whether there was one.
pub(crate) fn send_next(service: &Service) -> Result<bool, QueueError> {
    let Some(message) = service.queue(|queue| queue.claim_message())? else { return Ok(false) };
    let Ok(letter) = serde_json::from_value::<Letter>(message.body.clone()) else {
        return given_up(service, &message, "it is not a message of this version").map(|()| true);
    };
    if let Letter::Notice(notice) = &letter {
        return notify::send(service, &message, notice).map(|()| true);
    }
    let Some(project) = service.config.project(letter.project()) else {
        return given_up(service, &message, "its project is not configured any more").map(|()| true);
    };
    let forge = project.forge.get_ref();
    if let Some(left) = service.left_alone(forge) {
        let delay_ms = left.max(own_wait(message.tries)).as_millis() as u64;
        service.queue(|queue| queue.message_delayed(&message, delay_ms, "its code host did not answer"))?;
        return Ok(true);
    }
    let client = match service.client(project) {
        Ok(client) => client,
        Err(cause) => return given_up(service, &message, &cause.to_string()).map(|()| true),
    };
    let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
    // Another service may have taken it while this one waited for its turn, or a newer text may have come.
    if !service.queue(|queue| queue.message_is_current(&message))? {
        service.queue(|queue| queue.message_released(&message))?;
        return Ok(true);
    }
    match send(&mut client, &letter, message.remote) {
        Ok(Sent::Outdated) => service.queue(|queue| queue.message_outdated(&message))?,
        Ok(Sent::NotThere) if message.tries < TRIES => {
            Counters::add(&service.counters.unconfirmed);
            let problem = "the code host acknowledged it, but it is not there";
            log(&format!("message {} waits: {problem}", message.key));
            let delay_ms = own_wait(message.tries + 3).as_millis() as u64;
            service.queue(|queue| queue.message_delayed(&message, delay_ms, problem))?;
        }
        Ok(Sent::NotThere) => given_up(service, &message, "it never appears after it was written")?,
        Ok(Sent::As(remote)) => {
            Counters::add(&service.counters.sent);
            service.queue(|queue| queue.message_sent(&message, remote))?;
            if client.forge().kind() == Kind::Github && !matches!(letter, Letter::Status { .. }) {
                service.pause(BETWEEN_COMMENTS);
            }
        }
        Err(error) if message.tries < TRIES && (may_pass(&error) || message.tries < UNLIKELY) => {
            Counters::add(&service.counters.delayed);
            log(&format!("message {} waits: {error}", message.key));
            let delay_ms = wait(service, forge, &error, message.tries).as_millis() as u64;
            service.queue(|queue| queue.message_delayed(&message, delay_ms, &error.to_string()))?;
        }
        Err(error) => given_up(service, &message, &error.to_string())?,
    }
    Ok(true)
}

pub(crate) fn given_up(service: &Service, message: &Message, why: &str) -> Result<(), QueueError> {
    log(&format!("message {} is given up: {why}", message.key));
    service.queue(|queue| queue.message_given_up(message, why))
}

/// The outcome of sending a message.
enum Sent {
    /// Its receiver has it under this number.
    As(Option<u64>),
    /// It is outdated.
    Outdated,
    /// The code host took it and does not have it.
    NotThere,
}

fn send(client: &mut Client, letter: &Letter, known: Option<u64>) -> Result<Sent, ForgeError> {
    match letter {
        Letter::Status { commit, status, .. } => {
            client.set_status(commit, status)?;
            // The progress of a runner is replaced soon; people wait for other statuses.
            let rests = status.state != StatusState::Running;
            Ok(if rests && !client.has_status(commit, status)? { Sent::NotThere } else { Sent::As(None) })
        }
        Letter::Comment { project, number, commit, text } => {
            if let Some(commit) = commit
                && client.pull(*number)?.head != *commit
            {
                return Ok(Sent::Outdated);
            }
            let mark = Mark::of(&format!("service.{project}"))?;
            let left = client.leave_comment(*number, &mark, text, known)?;
            let (Left::Made(id) | Left::Edited(id) | Left::Same(id)) = left;
            let is_there = matches!(left, Left::Same(_)) || client.has_comment(*number, &mark, text, id)?;
            Ok(if is_there { Sent::As(Some(id)) } else { Sent::NotThere })
        }
        Letter::Read { number, comment, .. } => match client.acknowledge(*number, *comment) {
            // It is a courtesy, which the token may have no right to.
            Err(ForgeError::Forbidden { .. }) => Ok(Sent::As(None)),
            done => done.map(|()| Sent::As(None)),
        },
        // A notice has its own address.
        Letter::Notice(_) => Ok(Sent::Outdated),
        Letter::Issue { mark, title, text, .. } => {
            client.open_issue_once(&Mark::of(mark)?, title, text).map(|number| Sent::As(Some(number)))
        }
    }
}
