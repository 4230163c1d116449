//! Limits of jobs per project and per person. A request over a limit is answered with the reason and the time
//! when it is possible again; it leaves no success if a check is required.

use jiff::Timestamp;
use tlslab_forge::{CommitStatus, StatusState};
use tlslab_queue::{Change, Filter, NewJob, Queue, QueueError};
use tlslab_text::number::counted;

use crate::config::{LimitsConfig, ProjectConfig};
use crate::message::Letter;
use crate::planning::Plan;
use crate::service::Service;
use crate::subject::Subject;

const DAY_MS: u64 = 24 * 3_600 * 1_000;
const HOUR_MS: u64 = 3_600 * 1_000;

/// Why a project gets no further job now, and when it does; none if it may have one.
///
/// # Errors
/// Fails if the database does not answer.
pub(crate) fn why_not(
    queue: &dyn Queue,
    limits: &LimitsConfig,
    project: &str,
    group: &str,
) -> Result<Option<String>, QueueError> {
    if let Some(most) = limits.jobs_per_day
        && let Some(until) = queue.jobs_full_until(project, DAY_MS, most)?
    {
        return Ok(Some(format!(
            "{project} has used its limit of {} within 24 hours; the next one is possible from {}",
            counted(most as usize, "job"),
            moment(until)
        )));
    }
    if let Some(most) = limits.waiting_jobs
        && queue.count_waiting(project, group)? >= u64::from(most)
    {
        return Ok(Some(format!(
            "{project} has used its limit of {} that may wait; the next one is possible when one of them has begun",
            counted(most as usize, "job")
        )));
    }
    Ok(None)
}

/// A plan within the limits: an excess is answered instead.
///
/// # Errors
/// Fails if the database does not answer.
pub(crate) fn within(service: &Service, project: &ProjectConfig, plan: Plan) -> Result<Plan, QueueError> {
    if let Some(why) = too_many_commands(service, &plan)? {
        let number = number_of(&plan);
        let mut changes = plan.changes;
        changes.retain(|change| matches!(change, Change::CarryOut { .. } | Change::SeePull(_)));
        for change in &mut changes {
            if let Change::CarryOut { person, .. } = change {
                // A rejected command does not count.
                person.clear();
            }
        }
        let reply = number.map(|number| (number, format!("Not done: {why}.")));
        return Ok(Plan { changes, note: why, reply, accepted: None, ..plan });
    }
    let Some(job) = job_of(&plan) else { return Ok(plan) };
    // A writer has admitted the jobs of a merge queue. A job that is answered already costs no time.
    if job.is_answered || matches!(subject_of(job), Some(Subject::Merging(_))) {
        return Ok(plan);
    }
    let group = job.supersedes.clone().unwrap_or_default();
    let name = project.name.get_ref();
    match service.queue(|queue| why_not(queue, &service.config.limits, name, &group))? {
        None => Ok(plan),
        Some(why) => refused(service, project, plan, &why),
    }
}

/// The plan without the job, with the reason if the job would have been announced.
fn refused(service: &Service, project: &ProjectConfig, plan: Plan, why: &str) -> Result<Plan, QueueError> {
    let name = project.name.get_ref();
    let job = job_of(&plan).cloned();
    let number = number_of(&plan);
    let mut changes = plan.changes;
    changes.retain(|change| !matches!(change, Change::Enqueue(_) | Change::Expect { .. }));
    let head = job.as_ref().and_then(|job| job.head.clone());
    if let Some(commit) = head {
        let filter =
            Filter { project: Some(name.clone()), head: Some(commit.clone()), most: 1, ..Filter::default() };
        // An earlier job of this commit counts for it.
        if service.queue(|queue| queue.list(&filter))?.is_empty() {
            let status = CommitStatus {
                context: format!("tlslab/{name}"),
                state: StatusState::Error,
                title: format!("not measured: {why}"),
                link: format!("{}/jobs?project={name}", service.config.base()),
            };
            let project = name.clone();
            changes.push(Letter::Status { project, commit, status }.sent(String::new()));
        }
    }
    let later = match job.as_ref().and_then(subject_of) {
        Some(Subject::Pull(pull)) if pull.asked_by.is_none() => {
            "It is measured automatically within an hour after that; nothing has to be done."
        }
        _ => "Write the command again then.",
    };
    let reply = number.map(|number| (number, format!("Not measured: {why}. {later}")));
    Ok(Plan { changes, note: format!("over a limit: {why}"), reply, ..plan })
}

/// Why a person's command is not carried out, if there were too many within an hour.
fn too_many_commands(service: &Service, plan: &Plan) -> Result<Option<String>, QueueError> {
    let Some(most) = service.config.limits.commands_per_hour else { return Ok(None) };
    let command = plan.changes.iter().find_map(|change| match change {
        Change::CarryOut { forge, person, .. } => Some((forge, person)),
        _ => None,
    });
    let Some((forge, person)) = command else { return Ok(None) };
    let until = service.queue(|queue| queue.commands_full_until(forge, person, HOUR_MS, most))?;
    Ok(until.map(|until| {
        format!(
            "{} has used the limit of {} within an hour; the next one is possible from {}",
            tlslab_text::clean(person),
            counted(most as usize, "command"),
            moment(until)
        )
    }))
}

fn job_of(plan: &Plan) -> Option<&NewJob> {
    plan.changes.iter().find_map(|change| match change {
        Change::Enqueue(job) => Some(&**job),
        _ => None,
    })
}

fn subject_of(job: &NewJob) -> Option<Subject> {
    serde_json::from_value(job.subject.clone()).ok()
}

/// The pull request that a plan is about.
fn number_of(plan: &Plan) -> Option<u64> {
    let of_change = |change: &Change| match change {
        Change::SeePull(pull) => Some(pull.number),
        _ => None,
    };
    let replied = plan.reply.as_ref().map(|(number, _)| *number);
    replied.or_else(|| plan.changes.iter().find_map(of_change))
}

/// A time in UTC, to the minute, rounded up.
fn moment(unix_ms: u64) -> String {
    let minutes = i64::try_from(unix_ms.div_ceil(60_000)).unwrap_or(i64::MAX / 60);
    let at = Timestamp::from_second(minutes.saturating_mul(60)).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests;
