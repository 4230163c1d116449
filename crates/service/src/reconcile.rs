//! Events that were missed while the service or its code host was down: read from the code host at the start
//! and each hour.

use std::sync::PoisonError;
use std::time::Duration;

use tlslab_forge::{Client, ForgeError};
use tlslab_queue::{Change, QueueError};

use crate::config::ProjectConfig;
use crate::limits;
use crate::log::log;
use crate::new_jobs::push_job;
use crate::planning::{InQueue, Plan, Planner, Trouble};
use crate::service::Service;
use crate::subject::PushSubject;

/// Between two readings of a project.
const EACH: Duration = Duration::from_secs(3_600);
/// After a code host did not answer.
const AGAIN: Duration = Duration::from_secs(300);

/// Reads the projects whose time has come; returns whether there was one.
pub(crate) fn reconcile_due(service: &Service) -> Result<bool, QueueError> {
    let Some(project) = service.due_for_reconciling() else { return Ok(false) };
    let name = project.name.get_ref();
    // After any error it is not tried again at once.
    service.reconcile_after(name, AGAIN);
    match reconcile(service, project) {
        Ok(()) => service.reconcile_after(name, EACH),
        Err(Trouble::Queue(error)) => return Err(error),
        Err(Trouble::Forge(error)) => log(&format!("open pull requests of {name} are not known: {error}")),
    }
    Ok(true)
}

/// Whether any other request to the code host would fail, too.
fn is_of_all(error: &ForgeError) -> bool {
    error.retry_after_s().is_some() || matches!(error, ForgeError::Unauthorised { .. })
}

/// Open pull requests whose head has no job get one, closed ones lose theirs, and so does the branch's newest
/// commit. The client is released between them: events, messages and runners wait for it.
fn reconcile(service: &Service, project: &ProjectConfig) -> Result<(), Trouble> {
    let Ok(client) = service.client(project) else { return Ok(()) };
    let lock = || client.lock().unwrap_or_else(PoisonError::into_inner);
    let repository = lock().repository()?;
    let open = lock().open_pulls()?;
    let url = &repository.clone_url;
    // The list shows whether there is something to request.
    for (number, pull) in open.iter().filter(|(_, pull)| !pull.is_draft || project.pulls.drafts) {
        let lacks =
            Planner { project, all: &[project], asked: &mut *lock(), known: &known_of(service, project) }
                .lacks_a_job(*number, &pull.head)?;
        if lacks {
            passed_over(project, *number, one(service, project, &mut lock(), url, *number))?;
        }
    }
    let known = service.queue(|queue| queue.pulls(project.name.get_ref(), None))?;
    let listed = |number: u64| open.iter().any(|(open, _)| *open == number);
    for closed in known.iter().filter(|known| known.is_open && !listed(known.number)) {
        passed_over(project, closed.number, one(service, project, &mut lock(), url, closed.number))?;
    }
    branch(service, project, &mut lock(), &repository)
}

/// An error of one pull request does not delay the others.
fn passed_over(project: &ProjectConfig, number: u64, done: Result<(), Trouble>) -> Result<(), Trouble> {
    match done {
        Err(Trouble::Forge(error)) if !is_of_all(&error) => {
            log(&format!("{}: pull request {number} is passed over: {error}", project.name.get_ref()));
            Ok(())
        }
        done => done,
    }
}

/// One pull request in its current state.
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
    let mut planner = Planner { project, all: &[project], asked: client, known: &known_of(service, project) };
    let plan = planner.as_it_is(clone_url, number, &pull, "it was found without a job for its head")?;
    applied(service, project, plan)
}

/// The queue's data of a project.
fn known_of<'a>(service: &'a Service, project: &'a ProjectConfig) -> InQueue<'a> {
    InQueue { service, forge: project.forge.get_ref(), project: project.name.get_ref() }
}

fn applied(service: &Service, project: &ProjectConfig, plan: Plan) -> Result<(), Trouble> {
    let wanted = plan.changes.iter().any(|change| matches!(change, Change::Enqueue(_)));
    let plan = limits::within(service, project, plan)?;
    let project = project.name.get_ref();
    if wanted && !plan.changes.iter().any(|change| matches!(change, Change::Enqueue(_))) {
        log(&format!("{project}: {}", plan.note));
    }
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
    for known in 0..MOST_OF_COMMIT {
        let url = &repository.clone_url;
        let Ok(job) = push_job(project, url, push.clone(), run, known, cause.clone()) else { return Ok(()) };
        match service.queue(|queue| queue.job(&job.id))? {
            Some(job) if job.is_without_result() => {}
            Some(_) => return Ok(()),
            None => {
                let note = format!("job {}", job.id);
                let plan = Plan { changes: vec![Change::Enqueue(Box::new(job))], note, ..Plan::default() };
                return applied(service, project, plan);
            }
        }
    }
    Ok(())
}

/// Jobs of one commit of the branch, if the lab failed in each.
const MOST_OF_COMMIT: usize = 3;
