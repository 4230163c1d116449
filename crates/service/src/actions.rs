//! Actions of people on jobs: cancel, approve, run again. Programs and pages use the same functions; each is
//! a transition whose cause names the person.

use std::sync::Arc;

use serde_json::Value;
use tlslab_queue::{
    Access, Applied, Approval, Change, JobRow, NewJob, Queue, QueueError, Scope, State, Which,
};

use crate::http::api::ApiError;
use crate::limits::why_not;
use crate::new_jobs::again_id;
use crate::render::words::short;
use crate::service::Service;
use crate::subject::Subject;

/// Who acts, in which way, and why: the cause of the transition.
pub(crate) struct By<'a> {
    /// The access of the token.
    pub access: &'a Access,
    /// The reason that was given.
    pub why: Option<String>,
}

impl By<'_> {
    fn cause(&self, what: &str) -> String {
        match &self.why {
            Some(why) => format!("{what} by {}: {why}", self.access.name),
            None => format!("{what} by {}", self.access.name),
        }
    }
}

/// Whether somebody may cancel a job or run it again: an administrator any, others those that they submitted.
pub(crate) fn may_end(access: &Access, job: &JobRow) -> bool {
    let is_own = matches!(Subject::of(job), Some(Subject::Submitted { by, .. }) if by == access.name);
    access.may(Scope::Administer) || is_own && access.may(Scope::Submit)
}

/// Whether a job may be run again unchanged: pull requests, submitted and scheduled jobs, and commits of the
/// branch without a result. Bisections and merge queues request their own jobs.
pub(crate) fn can_run_again(job: &JobRow) -> bool {
    let is_repeatable = match Subject::of(job) {
        Some(Subject::Pull(pull)) => !pull.is_unchanged,
        Some(Subject::Submitted { .. } | Subject::Schedule { .. }) => true,
        Some(Subject::Push(_)) => job.is_without_result(),
        _ => false,
    };
    is_repeatable && job.state.is_ended()
}

/// The commit that a job waits for an approval of.
pub(crate) fn awaited_commit(job: &JobRow) -> Option<String> {
    match Subject::of(job) {
        Some(Subject::Pull(pull)) if job.state == State::WaitingForApproval => Some(pull.commit),
        _ => None,
    }
}

/// Ends a job. A job that has ended does not change.
///
/// # Errors
/// Fails if the job does not exist, if the token lacks the right, or if the database is unavailable.
pub(crate) async fn cancel(service: &Arc<Service>, id: &str, by: By<'_>) -> Result<JobRow, ApiError> {
    let job = found(service, id).await?;
    if !may_end(by.access, &job) {
        return Err(ApiError::forbidden(format!(
            "job {id} was not submitted by {}; to cancel it the scope \"administer\" is needed",
            by.access.name
        )));
    }
    let (which, cause) = (Which::Job(id.to_owned()), by.cause("cancelled"));
    changed(service, id, Change::Cancel { which, cause }).await
}

/// Approves a job that waits for approval. A commit that is named must be the job's.
///
/// # Errors
/// Fails if the job does not exist, has ended or is of another commit, or if the database is unavailable.
pub(crate) async fn approve(
    service: &Arc<Service>,
    id: &str,
    commit: Option<&str>,
    by: By<'_>,
) -> Result<JobRow, ApiError> {
    let job = found(service, id).await?;
    if job.state.is_ended() {
        return Err(ApiError::conflict(format!("job {id} has ended: it is {}", job.state)));
    }
    let awaited = awaited_commit(&job);
    if let Some(commit) = commit
        && awaited.as_deref().is_some_and(|awaited| awaited != commit)
    {
        return Err(ApiError::conflict(format!(
            "job {id} is of another commit than {}; look at that one first",
            short(commit)
        )));
    }
    let what = awaited.map_or("approved".to_owned(), |commit| format!("{} approved", short(&commit)));
    let (which, cause) = (Which::Job(id.to_owned()), by.cause(&what));
    changed(service, id, Change::Approve { which, cause }).await
}

/// Runs a job again: a new job with the same work. If that was requested already, returns that job.
///
/// # Errors
/// Fails if the job does not exist, has not ended or cannot be repeated, if the head has moved, if the token
/// lacks the right, or if the database is unavailable.
pub(crate) async fn again(service: &Arc<Service>, id: &str, by: By<'_>) -> Result<JobRow, ApiError> {
    let job = found(service, id).await?;
    if !may_end(by.access, &job) {
        return Err(ApiError::forbidden(format!(
            "job {id} was not submitted by {}; to run it again the scope \"administer\" is needed",
            by.access.name
        )));
    }
    if !can_run_again(&job) {
        let why = match job.state.is_ended() {
            true => "jobs of its kind are not run again by hand",
            false => "it has not ended; cancel it first",
        };
        return Err(ApiError::conflict(format!("job {id} is {}: {why}", job.state)));
    }
    let cause = by.cause("run again");
    let asked_by = by.access.name.clone();
    let now = service.now_unix_ms();
    let limits = service.config.limits.clone();
    let row = service
        .ask(move |queue| {
            if let Some(why) = moved(queue, &job)? {
                return Ok(Err(ApiError::conflict(why)));
            }
            if let Some(why) =
                why_not(queue, &limits, &job.project, job.supersedes.as_deref().unwrap_or_default())?
            {
                return Ok(Err(ApiError::over_limit(why)));
            }
            let new = repeated(&job, &asked_by, cause, now);
            let id = match queue.apply(&[Change::Enqueue(Box::new(new))])?.pop() {
                Some(Applied::Added(id) | Applied::Merged(id)) => id,
                _ => job.id,
            };
            Ok(Ok(queue.job(&id)?))
        })
        .await?;
    service.changed.notify_waiters();
    row?.ok_or_else(|| ApiError::failed("the job was not added"))
}

/// Why a pull request's job is not the one to run again: it is of another head than the present one.
fn moved(queue: &dyn Queue, job: &JobRow) -> Result<Option<String>, QueueError> {
    let Some(Subject::Pull(pull)) = Subject::of(job) else { return Ok(None) };
    let row = queue.pulls(&job.project, Some(pull.number))?.pop();
    Ok(match row {
        Some(row) if !row.is_open => Some(format!("pull request {} is closed", pull.number)),
        Some(row) if !row.head.is_empty() && row.head != pull.commit => Some(format!(
            "the head of pull request {} is {} by now; run the job of that commit again",
            pull.number,
            short(&row.head)
        )),
        _ => None,
    })
}

/// The same work under another identifier. Asking twice for the same makes one job.
fn repeated(job: &JobRow, asked_by: &str, cause: String, now_unix_ms: u64) -> NewJob {
    let id = again_id(&job.id, now_unix_ms);
    let mut body = job.body.clone();
    for step in body.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(place) = step.pointer_mut("/job/id")
            && let Some(rest) = place.as_str().and_then(|known| known.strip_prefix(job.id.as_str()))
        {
            *place = Value::from(format!("{id}{rest}"));
        }
    }
    let mut subject = job.subject.clone();
    if let Some(place) = subject.as_object_mut()
        && matches!(Subject::of(job), Some(Subject::Pull(_)))
    {
        place.insert("asked_by".to_owned(), Value::from(asked_by));
    }
    NewJob {
        id,
        project: job.project.clone(),
        subject,
        body,
        labels: job.labels.clone(),
        needs_sandbox: job.needs_sandbox,
        is_timed: job.is_timed,
        only_runner: job.only_runner.clone(),
        priority: job.priority,
        dedup: Some(format!("again:{}", job.id)),
        supersedes: job.supersedes.clone(),
        approval: job.approval,
        head: job.head.clone(),
        most_attempts: job.most_attempts,
        delay_ms: 0,
        is_answered: false,
        cause: match job.approval {
            Approval::Awaited => format!("{cause}; a maintainer has to approve this commit"),
            _ => cause,
        },
    }
}

async fn found(service: &Arc<Service>, id: &str) -> Result<JobRow, ApiError> {
    let asked = id.to_owned();
    let job = service.ask(move |queue| queue.job(&asked)).await?;
    job.ok_or_else(|| ApiError::no_job(id))
}

/// Applies a change; the job after it.
async fn changed(service: &Arc<Service>, id: &str, change: Change) -> Result<JobRow, ApiError> {
    let asked = id.to_owned();
    let row = service
        .ask(move |queue| {
            queue.apply(&[change])?;
            queue.job(&asked)
        })
        .await?;
    service.changed.notify_waiters();
    row.ok_or_else(|| ApiError::no_job(id))
}
