//! What was missed while the service or its code host was away: read from the code host at the start and each hour.

use std::sync::PoisonError;
use std::time::Duration;

use tlslab_forge::{Client, ForgeError};
use tlslab_queue::{Change, QueueError};

use crate::config::ProjectConfig;
use crate::inbox::may_pass;
use crate::jobs::push_job;
use crate::log::log;
use crate::planning::{InQueue, Plan, Planner};
use crate::service::Service;
use crate::subject::PushSubject;

/// Between two readings of a project.
const EACH: Duration = Duration::from_secs(3_600);
/// After a code host did not answer.
const AGAIN: Duration = Duration::from_secs(300);

/// Reads the projects whose time has come; whether there was one.
pub fn reconcile_due(service: &Service) -> Result<bool, QueueError> {
    let Some(project) = service.due_for_reconciling() else { return Ok(false) };
    let name = project.name.get_ref();
    let next = match reconcile(service, project) {
        Ok(()) => EACH,
        Err(Trouble::Queue(error)) => return Err(error),
        Err(Trouble::Forge(error)) => {
            log(&format!("open pull requests of {name} are not known: {error}"));
            if may_pass(&error) { AGAIN } else { EACH }
        }
    };
    service.reconcile_after(name, next);
    Ok(true)
}

enum Trouble {
    Forge(ForgeError),
    Queue(QueueError),
}

impl From<ForgeError> for Trouble {
    fn from(error: ForgeError) -> Self {
        Self::Forge(error)
    }
}

impl From<QueueError> for Trouble {
    fn from(error: QueueError) -> Self {
        Self::Queue(error)
    }
}

/// Open pull requests whose head has no job get one, closed ones lose theirs, and so does the branch's newest commit.
fn reconcile(service: &Service, project: &ProjectConfig) -> Result<(), Trouble> {
    let Ok(client) = service.client(project) else { return Ok(()) };
    let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
    let repository = client.repository()?;
    let open = client.open_pulls()?;
    for (number, _) in &open {
        one(service, project, &mut client, &repository.clone_url, *number)?;
    }
    let known = service.queue(|queue| queue.pulls(project.name.get_ref(), None))?;
    let listed = |number: u64| open.iter().any(|(open, _)| *open == number);
    for closed in known.iter().filter(|known| known.is_open && !listed(known.number)) {
        one(service, project, &mut client, &repository.clone_url, closed.number)?;
    }
    branch(service, project, &mut client, &repository)
}

/// One pull request, as it is now.
fn one(
    service: &Service,
    project: &ProjectConfig,
    client: &mut Client,
    clone_url: &str,
    number: u64,
) -> Result<(), Trouble> {
    let pull = match client.pull(number) {
        Err(ForgeError::NotFound { .. }) => return Ok(()),
        pull => pull?,
    };
    let (forge, name) = (project.forge.get_ref(), project.name.get_ref());
    let known = InQueue::new(service, forge, name);
    let mut planner = Planner { project, asked: client, known: &known };
    let is_missing = !pull.is_open || !pull.is_draft && planner.lacks_a_job(number, &pull.head);
    let plan = match is_missing {
        true => {
            Some(planner.as_it_is(clone_url, number, &pull, "it was found without a job for its head")?)
        }
        false => None,
    };
    if let Some(error) = known.failure() {
        return Err(error.into());
    }
    plan.map_or(Ok(()), |plan| applied(service, name, plan))
}

fn applied(service: &Service, project: &str, plan: Plan) -> Result<(), Trouble> {
    if plan.changes.iter().any(|change| matches!(change, Change::Enqueue(_))) {
        log(&format!("{project}: made up for: {}", plan.note));
    }
    match service.queue(|queue| queue.apply(&plan.changes)) {
        // Another service, or an event, was first.
        Err(QueueError::Conflict { .. }) => Ok(()),
        done => {
            service.changed.notify_waiters();
            Ok(done.map(drop)?)
        }
    }
}

/// The newest commit of the branch, if the project measures its commits.
fn branch(
    service: &Service,
    project: &ProjectConfig,
    client: &mut Client,
    repository: &tlslab_forge::webhook::Repository,
) -> Result<(), Trouble> {
    let (Some(run), Some(branch)) =
        (&project.run, project.branch.as_ref().or(repository.default_branch.as_ref()))
    else {
        return Ok(());
    };
    let Some(commit) = client.branch_commit(branch)? else { return Ok(()) };
    let push = PushSubject { branch: branch.clone(), commit, before: None };
    let cause = format!("{branch} was found at this commit");
    let Ok(job) = push_job(project, &repository.clone_url, push, run, cause) else { return Ok(()) };
    let is_known = service.queue(|queue| queue.job(&job.id))?.is_some();
    if is_known {
        return Ok(());
    }
    let note = format!("job {}", job.id);
    let plan = Plan { changes: vec![Change::Enqueue(Box::new(job))], note, ..Plan::default() };
    applied(service, project.name.get_ref(), plan)
}
