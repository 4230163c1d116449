//! What follows from a job of the branch: a slower commit is confirmed against the one before, then bisected, then reported once.

use std::fmt::Write as _;
use std::sync::PoisonError;

use tlslab_comparison::{Change as Cell, Comparison, Verdict};
use tlslab_queue::{Change, Fault, Filter, JobRow, QueueError, State};

use crate::config::ProjectConfig;
use crate::jobs::{range_job, short};
use crate::log::log;
use crate::message::Letter;
use crate::result;
use crate::service::Service;
use crate::subject::{CellName, PushSubject, RangeSubject, Subject};

/// Commits between two measured ones that are looked at.
const MOST_COMMITS: usize = 1_000;

/// What an ended job causes.
pub fn of_ended(service: &Service, job: &JobRow) -> Result<Vec<Change>, QueueError> {
    let (Some(project), Some(subject)) = (service.config.project(&job.project), Subject::of(job)) else {
        return Ok(Vec::new());
    };
    if !project.watch_regressions {
        return Ok(Vec::new());
    }
    let clone_url = clone_url_of(job);
    let next = match (&subject, clone_url) {
        (Subject::Push(push), Some(url)) if job.state == State::Reported => {
            first_range(service, project, job, push, &url)?
        }
        (Subject::Range(range), Some(url)) => narrowed(service, project, job, range, &url)?,
        _ => None,
    };
    Ok(next.into_iter().collect())
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
    let range = RangeSubject {
        branch: push.branch.clone(),
        good,
        bad: push.commit.clone(),
        commits,
        commit: push.commit.clone(),
        found: String::new(),
        cell: None,
    };
    Ok(enqueued(range_job(
        project,
        url,
        range,
        "is this commit slower than the one measured before?".to_owned(),
    )))
}

/// The commits after one up to another; the last one alone where the code host does not answer.
fn commits(service: &Service, project: &ProjectConfig, good: &str, bad: &str) -> Vec<String> {
    let asked = service.client(project).map(|client| {
        let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
        client.commits_between(good, bad, MOST_COMMITS)
    });
    match asked {
        Ok(Ok(commits)) if commits.last().map(String::as_str) == Some(bad) => commits,
        Ok(Ok(_)) => vec![bad.to_owned()],
        Ok(Err(error)) => {
            log(&format!("the commits of {} are not known: {error}", project.name.get_ref()));
            vec![bad.to_owned()]
        }
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
) -> Result<Option<Change>, QueueError> {
    let comparison = result::judged(service, &job.id)?;
    let step = match (job.state, &comparison) {
        (State::Reported, Some(comparison)) => Step::of(worst(comparison, range.cell.as_ref())),
        // A commit that does not build is neither good nor bad.
        (State::Failed, _) if job.fault == Some(Fault::Candidate) && range.cell.is_some() => Step::Skip,
        _ => return Ok(None),
    };
    let found = comparison.as_ref().map_or_else(|| range.found.clone(), describe);
    match step.next(range, found) {
        Next::Nothing => Ok(None),
        Next::Measure(range) => {
            let cause = format!("bisection: {} commits are left", range.commits.len());
            Ok(enqueued(range_job(project, url, range, cause)))
        }
        Next::Report(range) => Ok(Some(issue(service, project, job, &range).sent(job.id.clone()))),
    }
}

/// What a measured commit says of those around it.
enum Step {
    /// It is slower: it or one before it is.
    Slower(CellName),
    /// It is not: one after it is.
    NotSlower,
    /// It cannot be measured.
    Skip,
}

/// What is to be done.
enum Next {
    Nothing,
    Measure(RangeSubject),
    Report(RangeSubject),
}

impl Step {
    fn of(worst: Option<&Cell>) -> Self {
        worst.map_or(Self::NotSlower, |cell| {
            Self::Slower(CellName {
                scenario: cell.scenario.clone(),
                side: cell.side.name().to_owned(),
                metric: cell.metric.name().to_owned(),
            })
        })
    }

    fn next(self, range: &RangeSubject, found: String) -> Next {
        let is_first = range.cell.is_none();
        let at = range.commits.iter().position(|commit| *commit == range.commit);
        let mut next = range.clone();
        match self {
            Self::Slower(cell) => {
                next.bad.clone_from(&range.commit);
                next.commits.truncate(at.map_or(0, |at| at + 1));
                next.found = found;
                next.cell.get_or_insert(cell);
            }
            Self::NotSlower if is_first => return Next::Nothing,
            Self::NotSlower => {
                drop(next.commits.drain(..=at.unwrap_or(0).min(range.commits.len().saturating_sub(1))))
            }
            Self::Skip => drop(at.map(|at| next.commits.remove(at))),
        }
        match next.commits.len() {
            0 => Next::Report(RangeSubject { commits: vec![next.bad.clone()], ..next }),
            1 => Next::Report(next),
            many => {
                next.commit.clone_from(&next.commits[many / 2 - 1]);
                Next::Measure(next)
            }
        }
    }
}

/// The regression that decides: of the named cell, or the largest.
fn worst<'c>(comparison: &'c Comparison, cell: Option<&CellName>) -> Option<&'c Cell> {
    let is_it = |change: &&Cell| {
        change.verdict() == Some(Verdict::Regression)
            && cell.is_none_or(|cell| {
                change.scenario == cell.scenario
                    && change.side.name() == cell.side
                    && change.metric.name() == cell.metric
            })
    };
    match cell {
        // Within a bisection the regression of one commit alone may be small.
        Some(_) => comparison.flagged().into_iter().find(is_it),
        None => comparison.highlighted().into_iter().find(is_it),
    }
}

fn describe(comparison: &Comparison) -> String {
    let mut text = String::new();
    for change in
        comparison.flagged().iter().filter(|change| change.verdict() == Some(Verdict::Regression)).take(5)
    {
        let Some(effect) = change.effect() else { continue };
        let percent = |ratio: f64| format!("{:+.2} %", (ratio - 1.0) * 100.0);
        let _ = write!(
            text,
            "- `{}`, {}, {}: {}",
            plain(&change.scenario),
            change.side.name(),
            change.metric.name(),
            percent(effect.ratio)
        );
        if let Some(interval) = effect.interval {
            let _ = write!(text, " [{}, {}]", percent(interval.lower), percent(interval.upper));
        }
        if let Some(reason) = effect.reasons.first() {
            let _ = write!(text, ", most in `{}` ({:+.0})", plain(&reason.function), reason.change);
        }
        text.push('\n');
    }
    text
}

/// A name of others between backticks.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() && *letter != '`').take(200).collect()
}

fn issue(service: &Service, project: &ProjectConfig, job: &JobRow, range: &RangeSubject) -> Letter {
    let name = project.name.get_ref();
    let page = format!("{}/jobs/{}", service.config.base(), job.id);
    let culprit = match range.commits.as_slice() {
        [one] => format!("Commit {one} is slower than {}.", range.good),
        _ => format!("One of {} commits after {} is slower.", range.commits.len(), range.good),
    };
    let text = format!(
        "{culprit}\n\n{}\nEach was measured together with {} and confirmed with new processes. [The last comparison]({page}) has every cell.\n",
        range.found,
        short(&range.good)
    );
    Letter::Issue {
        project: name.clone(),
        mark: format!("regression.{name}.{}", short(&range.bad)),
        title: format!("Performance regression in {}", short(&range.bad)),
        text,
    }
}

fn enqueued(job: Result<tlslab_queue::NewJob, String>) -> Option<Change> {
    job.inspect_err(|why| log(&format!("a follow-up cannot be measured: {why}")))
        .ok()
        .map(|job| Change::Enqueue(Box::new(job)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> CellName {
        CellName { scenario: "s".to_owned(), side: "client".to_owned(), metric: "time".to_owned() }
    }

    /// How many comparisons it takes to find the culprit among so many commits, and which it names.
    fn search(commits: usize, culprit: usize, unbuildable: &[usize]) -> (usize, Vec<String>) {
        let names: Vec<String> = (0..commits).map(|number| format!("c{number:04}")).collect();
        let mut range = RangeSubject {
            branch: "main".to_owned(),
            good: "good".to_owned(),
            bad: names[commits - 1].clone(),
            commits: names.clone(),
            commit: names[commits - 1].clone(),
            found: String::new(),
            cell: None,
        };
        for measured in 1.. {
            assert!(measured < 40);
            let at = names.iter().position(|name| *name == range.commit).unwrap();
            let step = match at {
                at if unbuildable.contains(&at) => Step::Skip,
                at if at >= culprit => Step::Slower(cell()),
                _ => Step::NotSlower,
            };
            match step.next(&range, "f".to_owned()) {
                Next::Nothing => return (measured, Vec::new()),
                Next::Measure(next) => range = next,
                Next::Report(range) => return (measured, range.commits),
            }
        }
        unreachable!()
    }

    #[test]
    fn every_culprit_is_found_in_few_steps() {
        for commits in 1..40 {
            for culprit in 0..commits {
                let (measured, found) = search(commits, culprit, &[]);
                assert_eq!(found, [format!("c{culprit:04}")], "{commits}");
                assert!(measured <= 7, "{measured} for {commits}");
            }
            assert_eq!(search(commits, commits + 1, &[]), (1, Vec::new()), "none is slower");
        }
    }

    #[test]
    fn a_commit_that_does_not_build_is_not_blamed() {
        for skipped in 0..9 {
            for culprit in 0..10 {
                let (_, found) = search(10, culprit, &[skipped]);
                assert!(
                    culprit == skipped || found == [format!("c{culprit:04}")],
                    "{culprit} {skipped} {found:?}"
                );
            }
        }
    }
}
