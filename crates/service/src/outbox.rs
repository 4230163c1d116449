//! The loop that sends messages. A message is claimed, sent and marked; a service that is killed in between leaves it to the next one,
//! which finds what was sent by its mark.

use std::sync::PoisonError;
use std::time::Duration;

use tlslab_forge::{Client, ForgeError, Kind, Left, Mark};
use tlslab_queue::{Message, QueueError};

use crate::inbox::{may_pass, own_wait, wait};
use crate::log::log;
use crate::message::Letter;
use crate::service::{Counters, Service};

/// How often a message that is refused is tried again: rights may come back.
const TRIES: u32 = 8;

/// Code hosts ask that comments and issues do not follow each other faster.
const BETWEEN_COMMENTS: Duration = Duration::from_secs(1);

/// Sends the next message; whether there was one.
pub fn send_next(service: &Service) -> Result<bool, QueueError> {
    let Some(message) = service.queue(|queue| queue.claim_message())? else { return Ok(false) };
    let Ok(letter) = serde_json::from_value::<Letter>(message.body.clone()) else {
        return given_up(service, &message, "it is not a message of this version").map(|()| true);
    };
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
    match send(&mut client, &letter, message.remote) {
        Ok(remote) => {
            Counters::add(&service.counters.sent);
            service.queue(|queue| queue.message_sent(&message, remote))?;
            if client.forge().kind() == Kind::Github && !matches!(letter, Letter::Status { .. }) {
                service.pause(BETWEEN_COMMENTS);
            }
        }
        Err(error) if may_pass(&error) || message.tries < TRIES => {
            Counters::add(&service.counters.delayed);
            log(&format!("message {} waits: {error}", message.key));
            let delay_ms = wait(service, forge, &error, message.tries).as_millis() as u64;
            service.queue(|queue| queue.message_delayed(&message, delay_ms, &error.to_string()))?;
        }
        Err(error) => given_up(service, &message, &error.to_string())?,
    }
    Ok(true)
}

fn given_up(service: &Service, message: &Message, why: &str) -> Result<(), QueueError> {
    log(&format!("message {} is given up: {why}", message.key));
    service.queue(|queue| queue.message_sent(message, None))
}

fn send(client: &mut Client, letter: &Letter, known: Option<u64>) -> Result<Option<u64>, ForgeError> {
    match letter {
        Letter::Status { commit, status, .. } => client.set_status(commit, status).map(|()| None),
        Letter::Comment { project, number, text } => {
            let mark = Mark::of(&format!("service.{project}"))?;
            let left = client.leave_comment(*number, &mark, text, known)?;
            let (Left::Made(id) | Left::Edited(id) | Left::Same(id)) = left;
            Ok(Some(id))
        }
        Letter::Issue { mark, title, text, .. } => {
            client.open_issue_once(&Mark::of(mark)?, title, text).map(Some)
        }
    }
}
