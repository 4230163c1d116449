//! Checks when a runner takes a job: whether the person who approved it, or its author, still has the rights.

use std::sync::PoisonError;

use tlslab_forge::ForgeError;
use tlslab_queue::{Approval, Change, Hold, JobRow, Queue, QueueError, Renewed, Taken, Taker, Which};

use crate::config::ProjectConfig;
use crate::log::log;
use crate::planning::{CLOSED, approval_of};
use crate::service::Service;
use crate::subject::{PullSubject, Subject};
use crate::tries::{may_pass, wait};

/// The next job for a runner. A job that depends on its author's rights is leased only after the code host
/// has confirmed them; without the rights it waits for a maintainer, and without an answer it waits for the
/// code host. With the job's row in the queue.
pub(crate) fn take(service: &Service, taker: &Taker) -> Result<(Taken, Option<JobRow>), QueueError> {
    loop {
        let taking = |queue: &dyn Queue| -> Result<(Taken, Option<JobRow>), QueueError> {
            let taken = queue.take(taker)?;
            let job = match &taken {
                Taken::Job(leased) => queue.job(&leased.job)?,
                Taken::Nothing | Taken::Rest(_) => None,
            };
            Ok((taken, job))
        };
        let (taken, job) = service.queue(taking)?;
        let (Taken::Job(leased), Some(job)) = (&taken, &job) else { return Ok((taken, job)) };
        if job.approval != Approval::Author {
            return Ok((taken, Some(job.clone())));
        }
        let Some(changes) = objection(service, job, leased.token) else {
            // Asking took time: the lease may have passed on.
            let hold = Hold { job: leased.job.clone(), token: leased.token, runner: taker.name.clone() };
            match service.queue(|queue| queue.renew(&hold, None))? {
                Renewed::Lost => continue,
                _ => return Ok((taken, Some(job.clone()))),
            }
        };
        service.queue(|queue| queue.apply(&changes))?;
        service.changed.notify_waiters();
    }
}

/// The treatment of a job that must not start.
fn objection(service: &Service, job: &JobRow, token: u64) -> Option<Vec<Change>> {
    let (Approval::Author, Some(Subject::Pull(pull))) = (job.approval, Subject::of(job)) else { return None };
    let id = job.id.clone();
    let demand = |cause: String| Change::Demand { job: id.clone(), token, cause };
    let postpone = |delay_ms, cause: String| Change::Postpone { job: id.clone(), token, delay_ms, cause };
    let Some(project) = service.config.project(&job.project) else {
        let cause = "its project is not configured any more; a maintainer has to approve it";
        return Some(vec![demand(cause.to_owned())]);
    };
    let forge = project.forge.get_ref();
    if let Some(left) = service.left_alone(forge) {
        let cause = "the code host does not answer, so the author's rights are unknown";
        return Some(vec![postpone(left.as_millis() as u64, cause.to_owned())]);
    }
    match collect_asked(service, project, &pull) {
        Ok(None) => {
            let cancel = Change::Cancel { which: Which::Job(id.clone()), cause: CLOSED.to_owned() };
            Some(vec![cancel, postpone(0, CLOSED.to_owned())])
        }
        Ok(Some(Approval::Awaited)) => {
            let author = &pull.author;
            Some(vec![demand(format!(
                "{author} may not write to the repository now; a maintainer has to approve this commit"
            ))])
        }
        Ok(Some(_)) => None,
        // A proxy may answer in the code host's place; nothing is built until it answers itself.
        Err(error) if may_pass(&error) || matches!(error, ForgeError::Incomplete { .. }) => {
            let delay_ms = wait(service, forge, &error, PATIENCE).as_millis() as u64;
            log(&format!("job {id} waits: {error}"));
            Some(vec![postpone(
                delay_ms,
                format!("the code host was asked for the author's rights: {error}"),
            )])
        }
        Err(error) => {
            log(&format!("job {id} waits for an approval: {error}"));
            Some(vec![demand(format!(
                "the author's rights cannot be asked for ({error}); a maintainer has to approve this commit"
            ))])
        }
    }
}

/// A job waits as long as a message that was tried so often, about a minute, or as long as the code host
/// asks.
const PATIENCE: u32 = 6;

/// Who must approve the pull request now; none if it is closed.
fn collect_asked(
    service: &Service,
    project: &ProjectConfig,
    pull: &PullSubject,
) -> Result<Option<Approval>, ForgeError> {
    let client = service.client(project).map_err(|cause| ForgeError::Name {
        what: "code host",
        text: cause.to_string(),
        why: "its configuration cannot be used",
    })?;
    let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
    let now = match client.pull(pull.number) {
        Err(ForgeError::NotFound { .. }) => return Ok(None),
        now => now?,
    };
    if !now.is_open {
        return Ok(None);
    }
    approval_of(&mut *client, &now).map(Some)
}
