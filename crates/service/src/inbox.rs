//! The loop that handles deliveries. Any number of services may run it: of two that handle the same one, one
//! is refused.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use anyhow::Context;
use tlslab_forge::webhook::{self, Incoming};
use tlslab_lab::{Acknowledging, Size, acknowledge};
use tlslab_queue::{Change, Delivery, QueueError};
use tlslab_record::Share;

use crate::announce;
use crate::config::ProjectConfig;
use crate::limits;
use crate::log::log;
use crate::planning::{Accepted, InQueue, Plan, Planner, Trouble};
use crate::service::Service;
use crate::stored_result;
use crate::tries::{TRIES, UNLIKELY, may_pass, own_wait, wait};

/// Deliveries that are read at once: each may have 25 MiB.
const AT_ONCE: u32 = 8;

/// Handles waiting deliveries; returns their number.
pub(crate) fn handle_waiting(service: &Service) -> Result<usize, QueueError> {
    let waiting = service.queue(|queue| queue.unhandled(AT_ONCE))?;
    for delivery in &waiting {
        if service.stops() {
            break;
        }
        handle(service, delivery)?;
    }
    Ok(waiting.len())
}

fn handle(service: &Service, delivery: &Delivery) -> Result<(), QueueError> {
    let (forge, id) = (delivery.forge.clone(), delivery.id.clone());
    if let Some(left) = service.left_alone(&forge) {
        let delay_ms = left.max(own_wait(delivery.tries)).as_millis() as u64;
        return service.queue(|queue| queue.apply(&[Change::HandleLater { forge, id, delay_ms }])).map(drop);
    }
    let changes = match plans(service, delivery) {
        Ok(plans) => changes_of(service, delivery, plans)?,
        Err(Trouble::Queue(error)) => return Err(error),
        Err(Trouble::Forge(error))
            if delivery.tries < TRIES && (may_pass(&error) || delivery.tries < UNLIKELY) =>
        {
            let delay_ms = wait(service, &forge, &error, delivery.tries).as_millis() as u64;
            log(&format!("delivery {id} of {forge} waits: {error}"));
            vec![Change::HandleLater { forge, id, delay_ms }]
        }
        Err(Trouble::Forge(error)) => {
            log(&format!("delivery {id} of {forge} is given up: {error}"));
            vec![Change::Handled { forge, id, note: format!("given up: {error}") }]
        }
    };
    match service.queue(|queue| queue.apply(&changes)) {
        Err(QueueError::Conflict { .. }) => Ok(()),
        done => {
            service.changed.notify_waiters();
            done.map(drop)
        }
    }
}

/// The changes of plans, one for each project of the repository, with the answers for the person who asked.
fn changes_of(service: &Service, delivery: &Delivery, plans: Vec<Plan>) -> Result<Vec<Change>, QueueError> {
    let is_one = plans.len() == 1;
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for plan in plans {
        let Plan { project, mut changes, note, reply, accepted, .. } = plan;
        let reply = accepted.map(|accepted| (accepted.number, accept(service, &accepted))).or(reply);
        if let (Some((number, text)), Some(project)) = (reply, &project) {
            // The seen state of the pull request decides the contents of its comment.
            let seen: Vec<Change> =
                changes.iter().filter(|change| matches!(change, Change::SeePull(_))).cloned().collect();
            service.queue(|queue| queue.apply(&seen))?;
            changes.extend(announce::reply(service, project, number, &text)?);
        }
        // A comment is carried out once for all of them.
        changes.retain(|change| !matches!(change, Change::CarryOut { .. }) || !all.contains(change));
        all.extend(changes);
        notes.push(match project {
            Some(project) if !is_one => format!("{project}: {note}"),
            _ => note,
        });
    }
    let (forge, id, note) = (delivery.forge.clone(), delivery.id.clone(), notes.join("; "));
    all.push(Change::Handled { forge, id, note });
    Ok(all)
}

/// Records what a maintainer accepts; returns the answer for the comment.
fn accept(service: &Service, accepted: &Accepted) -> String {
    match noted(service, accepted) {
        Ok(()) => format!("Accepted up to +{} %: {}", accepted.percent, accepted.text),
        Err(cause) => {
            log(&format!("a regression of job {} was not accepted: {cause:#}", accepted.job));
            format!("Not accepted: {cause}")
        }
    }
}

fn noted(service: &Service, accepted: &Accepted) -> anyhow::Result<()> {
    let ending = stored_result::of_job(service, &accepted.job)?;
    let comparison =
        ending.as_ref().and_then(stored_result::comparison).context("the job has no comparison")?;
    let stacks: BTreeSet<&str> =
        comparison.pairs.iter().filter_map(|pair| Some(pair.version.as_ref()?.stack.as_str())).collect();
    anyhow::ensure!(!stacks.is_empty(), "the comparison does not name its stack");
    let share = Share::new(accepted.percent / 100.0).map_err(anyhow::Error::msg)?;
    let mut store = tlslab_store::open(service.pool.address())?;
    for stack in stacks {
        let asked = Acknowledging {
            stack: stack.to_owned(),
            label: accepted.commit.clone(),
            scenario: None,
            metric: None,
            text: accepted.text.clone(),
            size: Size::UpTo(share),
        };
        acknowledge(&mut *store, &asked)?;
    }
    Ok(())
}

fn read(service: &Service, delivery: &Delivery) -> Result<Incoming, String> {
    let access = service.forges.get(&delivery.forge).ok_or("the forge is not configured any more")?;
    webhook::read(access.kind, &delivery.event, &delivery.body).map_err(|cause| cause.to_string())
}

fn repository(incoming: &Incoming) -> Option<&str> {
    match incoming {
        Incoming::Push { repository, .. }
        | Incoming::Pull { repository, .. }
        | Incoming::Approved { repository, .. }
        | Incoming::Merging { repository, .. }
        | Incoming::Again { repository, .. }
        | Incoming::Command { repository, .. } => Some(&repository.path),
        Incoming::Installation { .. } | Incoming::Ignored { .. } => None,
    }
}

/// The plan of each project of the repository for an event.
fn plans(service: &Service, delivery: &Delivery) -> Result<Vec<Plan>, Trouble> {
    let nothing = |note: String| Ok(vec![Plan::nothing(note)]);
    let incoming = match read(service, delivery) {
        Ok(incoming) => incoming,
        Err(note) => return nothing(note),
    };
    let Some(path) = repository(&incoming) else {
        return nothing(match incoming {
            Incoming::Ignored { why } => why,
            _ => "nothing to do".to_owned(),
        });
    };
    let all = service.projects_of(&delivery.forge, path);
    if all.is_empty() {
        return nothing(format!("no project has the repository {path}"));
    }
    all.iter().map(|project| plan(service, delivery, project, &all, incoming.clone())).collect()
}

fn plan(
    service: &Service,
    delivery: &Delivery,
    project: &ProjectConfig,
    all: &[&ProjectConfig],
    incoming: Incoming,
) -> Result<Plan, Trouble> {
    let client = match service.client(project) {
        Ok(client) => client,
        Err(cause) => return Ok(Plan::nothing(cause.to_string())),
    };
    let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
    let known = InQueue { service, forge: &delivery.forge, project: project.name.get_ref() };
    let plan = Planner { project, all, asked: &mut *client, known: &known }.plan(incoming)?;
    Ok(limits::within(service, project, plan)?)
}
