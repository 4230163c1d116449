//! Announces jobs: statuses, comments and what follows from them.
//!
//! Messages follow transitions, which are rows: after a kill, transitions without an announcement are found
//! again.

use std::sync::atomic::Ordering;

use tlslab_queue::{Change, Filter, JobRow, Phase, PullRow, QueueError, State};

use crate::config::ProjectConfig;
use crate::follow_up::follow_up;
use crate::letters::{Measured, Writer, answer_of, quarantine_note, speakers};
use crate::new_jobs::{aside_group, pull_group};
use crate::planning::speaker;
use crate::render::comparison::verdict_of;
use crate::render::words::is_comparison;
use crate::service::Service;
use crate::stored_result;
use crate::subject::Subject;

/// Ended jobs whose verdicts are read at once.
const EARLIER: u32 = 20;

/// Announces waiting transitions; returns the number of jobs.
pub(crate) fn announce_waiting(service: &Service) -> Result<usize, QueueError> {
    let waiting = service.queue(|queue| queue.unannounced(50))?;
    for (id, up_to) in &waiting {
        let Some(job) = service.queue(|queue| queue.job(id))? else { continue };
        let mut changes = letters(service, &job)?;
        if job.state.is_ended() {
            changes.extend(verdict(service, &job)?);
            changes.extend(follow_up(service, &job)?);
        }
        changes.push(Change::Unmoved { job: id.clone(), up_to: *up_to });
        changes.push(Change::Announced { job: id.clone(), up_to: *up_to });
        match service.queue(|queue| queue.apply(&changes)) {
            // It continued meanwhile, and is announced in its later state.
            Err(QueueError::Conflict { .. }) => {}
            done => drop(done?),
        }
    }
    if !waiting.is_empty() {
        service.changed.notify_waiters();
    }
    Ok(waiting.len())
}

/// Concludes jobs that an earlier version has announced, a few at a time, the newest first; returns whether
/// more may be left.
pub(crate) fn conclude_earlier(service: &Service) -> Result<bool, QueueError> {
    let before = service.concluded_to.load(Ordering::Relaxed);
    if before == 0 {
        return Ok(false);
    }
    let filter = Filter {
        phase: Phase::Ended,
        before: (before > 0).then_some(before),
        most: EARLIER,
        ..Filter::default()
    };
    let jobs = service.queue(|queue| queue.list(&filter))?;
    for job in jobs.iter().filter(|job| job.verdict.is_none() && is_comparison(job)) {
        if let Some(conclude) = verdict(service, job)? {
            service.queue(|queue| queue.apply(&[conclude]))?;
        }
    }
    service.concluded_to.store(jobs.last().map_or(0, |job| job.key), Ordering::Relaxed);
    Ok(!jobs.is_empty())
}

/// The verdict of a job with a comparison, for lists.
fn verdict(service: &Service, job: &JobRow) -> Result<Option<Change>, QueueError> {
    let comparison = match job.state {
        State::Reported => stored_result::judged(service, &job.id)?,
        _ => None,
    };
    Ok(comparison
        .map(|comparison| Change::Conclude { job: job.id.clone(), verdict: verdict_of(&comparison) }))
}

/// The messages of a job: on its commit and its pull request. Another job may take precedence: the newest of
/// that commit that has a result or may still get one.
fn letters(service: &Service, job: &JobRow) -> Result<Vec<Change>, QueueError> {
    let (Some(project), Some(subject)) = (service.config.project(&job.project), Subject::of(job)) else {
        return Ok(Vec::new());
    };
    let writer = writer(service, project);
    let of_head = |commit: &str| -> Result<Option<Change>, QueueError> {
        Ok(writer.status(commit, &measured_of_head(service, project, commit, job)?, ""))
    };
    let letters = match &subject {
        Subject::Pull(pull) if pull.aside.is_some() => match job.state.is_ended() {
            true => [None, comment_of_pull(service, project, pull.number, "")?],
            false => [None, None],
        },
        Subject::Pull(pull) => [of_head(&pull.commit)?, comment_of_pull(service, project, pull.number, "")?],
        Subject::Merging(merging) => [of_head(&merging.commit)?, None],
        Subject::Push(push) => {
            [writer.status(&push.commit, &[measured(service, job.clone())?], "/history"), None]
        }
        Subject::Range(_) | Subject::Schedule { .. } | Subject::Submitted { .. } | Subject::Check { .. } => {
            [None, None]
        }
    };
    Ok(letters.into_iter().flatten().collect())
}

/// The writer of a project's messages.
pub(crate) fn writer<'c>(service: &Service, project: &'c ProjectConfig) -> Writer<'c> {
    let of_repository = service.projects_of(project.forge.get_ref(), project.repository.get_ref());
    Writer { base: service.config.base(), project, is_one_of_several: of_repository.len() > 1 }
}

/// The jobs that count for a proposed commit.
fn measured_of_head(
    service: &Service,
    project: &ProjectConfig,
    commit: &str,
    job: &JobRow,
) -> Result<Vec<Measured>, QueueError> {
    let (name, head) = (project.name.get_ref(), Some(commit.to_owned()));
    let filter = Filter { project: Some(name.clone()), head, ..Filter::default() };
    let (jobs, pulls) =
        service.queue(|queue| Ok((queue.list(&filter)?, queue.pulls_of_head(name, commit)?)))?;
    match speakers(name, &jobs, &pulls).as_slice() {
        // Jobs of older databases have no head.
        [] => Ok(vec![measured(service, job.clone())?]),
        speakers => speakers.iter().map(|job| measured(service, (*job).clone())).collect(),
    }
}

/// The comment of a pull request, from the job that counts for its present head; none if there is no such
/// job.
fn comment_of_pull(
    service: &Service,
    project: &ProjectConfig,
    number: u64,
    answer: &str,
) -> Result<Option<Change>, QueueError> {
    let name = project.name.get_ref();
    let Some(pull) = service.queue(|queue| queue.pulls(name, Some(number)))?.pop() else { return Ok(None) };
    let (head, group) = (Some(pull.head.clone()), Some(pull_group(name, number)));
    let jobs = service.queue(|queue| queue.list(&Filter { head, group, ..Filter::default() }))?;
    let Some((job, Subject::Pull(subject))) =
        speaker(&jobs, Some(&pull.baseline)).and_then(|job| Some((job, Subject::of(job)?)))
    else {
        return Ok(None);
    };
    if subject.is_unchanged && answer.is_empty() && !has_others(service, &pull, name)? {
        return Ok(None);
    }
    let canary = match job.state {
        State::Reported => service.queue(|queue| queue.canary_of_job(&job.id))?,
        _ => None,
    };
    let bad = canary.filter(|canary| canary.is.verdict.is_bad());
    let note = bad.map(|canary| format!("_{}_", quarantine_note(&canary))).unwrap_or_default();
    let measured = measured(service, job.clone())?;
    let aside = newest_aside(service, project, &pull)?;
    Ok(Some(writer(service, project).comment(&measured, &subject, &note, &[aside, answer.to_owned()])))
}

/// Whether a pull request has jobs of other heads: its comment may be of one.
fn has_others(service: &Service, pull: &PullRow, project: &str) -> Result<bool, QueueError> {
    let group = Some(pull_group(project, pull.number));
    let jobs = service.queue(|queue| queue.list(&Filter { group, most: 2, ..Filter::default() }))?;
    Ok(jobs.len() > 1)
}

/// The newest measurement of a head that does not decide its status, in a sentence.
fn newest_aside(service: &Service, project: &ProjectConfig, pull: &PullRow) -> Result<String, QueueError> {
    let group = Some(aside_group(&pull_group(project.name.get_ref(), pull.number)));
    let newest = service.queue(|queue| queue.list(&Filter { group, most: 1, ..Filter::default() }))?.pop();
    let Some((job, Subject::Pull(subject))) = newest.and_then(|job| Subject::of(&job).map(|of| (job, of)))
    else {
        return Ok(String::new());
    };
    let aside = subject.aside.unwrap_or_default();
    if subject.commit != pull.head || aside.is_empty() {
        return Ok(String::new());
    }
    let stands = match job.state.is_ended() {
        true => tlslab_text::markdown(job.reason.lines().next().unwrap_or_default()),
        false => job.state.to_string(),
    };
    let link = writer(service, project).link(&job);
    Ok(format!("Also measured, {}: {stands} ([job]({link}))", tlslab_text::markdown(&aside)))
}

/// A job with its comparison, if it has a result, judged with the service's database.
fn measured(service: &Service, job: JobRow) -> Result<Measured, QueueError> {
    let comparison = match job.state {
        State::Reported => stored_result::judged(service, &job.id)?,
        _ => None,
    };
    Ok(Measured { job, comparison })
}

/// The comment of a pull request with the answer to a command.
pub(crate) fn reply(
    service: &Service,
    project: &str,
    number: u64,
    text: &str,
) -> Result<Option<Change>, QueueError> {
    let Some(project) = service.config.project(project) else { return Ok(None) };
    let answer = answer_of(text, service.now_unix_ms());
    let comment = comment_of_pull(service, project, number, &answer)?;
    Ok(Some(comment.unwrap_or_else(|| writer(service, project).comment_without_job(number, &answer))))
}
