//! The follow-up of a job of the branch: a slower commit is confirmed against the one before, then bisected,
//! then reported once.

use std::sync::PoisonError;

use tlslab_queue::{Change, Filter, JobRow, QueueError, State};
use tlslab_text::number::counted;

use crate::announce::writer;
use crate::bisection::{self, Next};
use crate::config::EventKind;
use crate::config::ProjectConfig;
use crate::log::log;
use crate::new_jobs::{range_job, short};
use crate::notify::{Event, notified};
use crate::service::Service;
use crate::stored_result;
use crate::subject::{PushSubject, RangeSubject, Subject};

/// Commits between two measured ones that are listed.
const MOST_COMMITS: usize = 1_000;

/// The changes after an ended job.
pub(crate) fn follow_up(service: &Service, job: &JobRow) -> Result<Vec<Change>, QueueError> {
    let (Some(project), Some(subject)) = (service.config.project(&job.project), Subject::of(job)) else {
        return Ok(Vec::new());
    };
    if !project.watch_regressions {
        return Ok(Vec::new());
    }
    let clone_url = clone_url_of(job);
    let next: Vec<Change> = match (&subject, clone_url) {
        (Subject::Push(push), Some(url)) if job.state == State::Reported => {
            first_range(service, project, job, push, &url)?.into_iter().collect()
        }
        (Subject::Range(range), Some(url)) => narrowed(service, project, job, range, &url)?,
        _ => Vec::new(),
    };
    Ok(next)
}

/// The address that the job's sources come from.
fn clone_url_of(job: &JobRow) -> Option<String> {
    let text = job.body.pointer("/steps/0/job/request/stacks/0")?.as_str()?;
    let (_, rest) = text.split_once("@git:")?;
    Some(rest.split_once('#')?.0.to_owned())
}

/// The commit against the one that was measured before it.
fn first_range(
    service: &Service,
    project: &ProjectConfig,
    job: &JobRow,
    push: &PushSubject,
    url: &str,
) -> Result<Option<Change>, QueueError> {
    let earlier = service.queue(|queue| {
        let project = Some(job.project.clone());
        queue.list(&Filter { project, before: Some(job.key), ..Filter::default() })
    })?;
    let measured =
        earlier.iter().filter(|job| job.state == State::Reported).find_map(|job| match Subject::of(job) {
            Some(Subject::Push(earlier)) if earlier.branch == push.branch => Some(earlier.commit),
            _ => None,
        });
    let Some(good) = measured.or_else(|| push.before.clone()).filter(|good| *good != push.commit) else {
        return Ok(None);
    };
    let commits = commits(service, project, &good, &push.commit);
    let range = bisection::first_range(push, good, commits);
    let cause = "is this commit slower than the one measured before?".to_owned();
    Ok(enqueued(range_job(project, url, range, cause)))
}

/// The commits after one up to another; only the last one if the code host does not answer.
fn commits(service: &Service, project: &ProjectConfig, good: &str, bad: &str) -> Vec<String> {
    let asked = service.client(project).map_err(|error| error.to_string()).and_then(|client| {
        let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
        client.commits_between(good, bad, MOST_COMMITS).map_err(|error| error.to_string())
    });
    match asked {
        Ok(commits) if commits.last().map(String::as_str) == Some(bad) => commits,
        Ok(_) => vec![bad.to_owned()],
        Err(error) => {
            log(&format!("the commits of {} are not known: {error}", project.name.get_ref()));
            vec![bad.to_owned()]
        }
    }
}

/// The next commit to measure, or the report.
fn narrowed(
    service: &Service,
    project: &ProjectConfig,
    job: &JobRow,
    range: &RangeSubject,
    url: &str,
) -> Result<Vec<Change>, QueueError> {
    let comparison = stored_result::judged(service, &job.id)?;
    Ok(match bisection::next(job, range, comparison.as_ref()) {
        Next::Nothing => Vec::new(),
        Next::Measure(range) => {
            let cause = format!("bisection: {} left", counted(range.commits.len(), "commit"));
            enqueued(range_job(project, url, range, cause)).into_iter().collect()
        }
        Next::Report(range) => {
            let issue = writer(service, project).issue(job, &range);
            std::iter::once(issue)
                .chain(notified(service, &event(project, job, &range), Vec::new()))
                .collect()
        }
    })
}

/// A regression of the branch, for the receivers of notices.
fn event(project: &ProjectConfig, job: &JobRow, range: &RangeSubject) -> Event {
    let name = project.name.get_ref();
    Event {
        kind: EventKind::Regression,
        id: format!("regression:{name}:{}", range.bad),
        project: Some(name.clone()),
        title: format!("{name}: performance regression in {}", short(&range.bad)),
        text: format!("{}\nMeasured together with {} and confirmed.", range.found, short(&range.good)),
        page: format!("/jobs/{}", job.id),
    }
}

fn enqueued(job: Result<tlslab_queue::NewJob, String>) -> Option<Change> {
    job.inspect_err(|why| log(&format!("a follow-up cannot be measured: {why}")))
        .ok()
        .map(|job| Change::Enqueue(Box::new(job)))
}
