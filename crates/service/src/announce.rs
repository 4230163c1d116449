//! What is said of a job where it came from: the status of its commit, and the one comment of its pull request.
//!
//! Messages follow transitions, which are rows: whatever is killed, a transition that was not announced is found again.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tlslab_comparison::{Comparison, FailOn, Outcome, Verdict, markdown_within};
use tlslab_forge::{CommitStatus, StatusState};
use tlslab_queue::{Canary, Change, Fault, Filter, JobRow, PullRow, QueueError, State};

use crate::commands::HELP;
use crate::config::{FailPolicy, ProjectConfig};
use crate::follow_up;
use crate::jobs::{pull_group, short};
use crate::message::Letter;
use crate::planning::speaker;
use crate::render::command::{command, request};
use crate::result;
use crate::service::Service;
use crate::subject::{PullSubject, Subject};

/// Characters of a comment, less than what any code host takes.
const LONGEST_COMMENT: usize = 60_000;
/// Characters of a reason in a comment.
const LONGEST_REASON: usize = 3_000;

/// Announces what has happened; how many jobs that were.
pub(crate) fn announce_waiting(service: &Service) -> Result<usize, QueueError> {
    let waiting = service.queue(|queue| queue.unannounced(50))?;
    for (id, up_to) in &waiting {
        let Some(job) = service.queue(|queue| queue.job(id))? else { continue };
        let mut changes = letters(service, &job)?;
        if job.state.is_ended() {
            changes.extend(follow_up::of_ended(service, &job)?);
        }
        changes.push(Change::Unmoved { job: id.clone(), up_to: *up_to });
        changes.push(Change::Announced { job: id.clone(), up_to: *up_to });
        match service.queue(|queue| queue.apply(&changes)) {
            // It went on meanwhile, and is announced as it is then.
            Err(QueueError::Conflict { .. }) => {}
            done => drop(done?),
        }
    }
    if !waiting.is_empty() {
        service.changed.notify_waiters();
    }
    Ok(waiting.len())
}

/// What is to be said of a job's commit and of its pull request. The job that speaks may be another one: the newest of that commit that
/// has a result or may still have one.
fn letters(service: &Service, job: &JobRow) -> Result<Vec<Change>, QueueError> {
    let (Some(project), Some(subject)) = (service.config.project(&job.project), Subject::of(job)) else {
        return Ok(Vec::new());
    };
    Ok(match &subject {
        Subject::Pull(pull) => {
            let mut changes = vec![status_of_head(service, project, &pull.commit, job)?];
            changes.extend(comment_of_pull(service, project, pull.number, "")?);
            changes
        }
        Subject::Merging(merging) => vec![status_of_head(service, project, &merging.commit, job)?],
        Subject::Push(push) => {
            let comparison = comparison_of(service, job)?;
            let status = status(service, project, job, comparison.as_ref(), "/history");
            vec![status_letter(project, &push.commit, status).sent(job.id.clone())]
        }
        Subject::Range(_) | Subject::Schedule { .. } | Subject::Submitted { .. } | Subject::Check { .. } => {
            Vec::new()
        }
    })
}

/// The status of a commit that is proposed, from the job that speaks for it.
fn status_of_head(
    service: &Service,
    project: &ProjectConfig,
    commit: &str,
    job: &JobRow,
) -> Result<Change, QueueError> {
    let (name, head) = (project.name.get_ref(), Some(commit.to_owned()));
    let filter = Filter { project: Some(name.clone()), head, ..Filter::default() };
    let (jobs, pulls) =
        service.queue(|queue| Ok((queue.list(&filter)?, queue.pulls_of_head(name, commit)?)))?;
    let mut told: Vec<(&JobRow, Option<Comparison>, CommitStatus)> = Vec::new();
    for job in speakers(name, &jobs, &pulls) {
        let comparison = comparison_of(service, job)?;
        let status = status(service, project, job, comparison.as_ref(), "");
        told.push((job, comparison, status));
    }
    // Of several pull requests with one head the worst decides, of equals the newest.
    let worst = told.into_iter().max_by_key(|(job, _, status)| (rank(status.state), job.key));
    let (job, status) = match worst {
        Some((job, _, status)) => (job, status),
        // Jobs of databases of before have no head.
        None => (job, status(service, project, job, comparison_of(service, job)?.as_ref(), "")),
    };
    Ok(status_letter(project, commit, status).sent(job.id.clone()))
}

/// The job that speaks for a commit in each pull request that has it as its head, or in all if none has. One that waits for an approval
/// does not speak where another pull request has a result of the same commits: anybody can open a second one.
fn speakers<'j>(project: &str, jobs: &'j [JobRow], pulls: &[PullRow]) -> Vec<&'j JobRow> {
    let groups: BTreeSet<&String> = jobs.iter().filter_map(|job| job.supersedes.as_ref()).collect();
    let of_group = |group: &String| {
        let of_it: Vec<usize> =
            (0..jobs.len()).filter(|at| jobs[*at].supersedes.as_ref() == Some(group)).collect();
        let row = pulls.iter().find(|pull| pull_group(project, pull.number) == *group);
        let listed: Vec<JobRow> = of_it.iter().map(|at| jobs[*at].clone()).collect();
        let speaks = speaker(&listed, row.map(|row| row.baseline.as_str()))?.key;
        let at = of_it.into_iter().find(|at| jobs[*at].key == speaks)?;
        Some((&jobs[at], row.is_none_or(|row| row.is_open), row.is_some()))
    };
    let mut found: Vec<(&JobRow, bool, bool)> = groups.into_iter().filter_map(of_group).collect();
    if found.iter().any(|(_, is_open, is_known)| *is_open && *is_known) {
        found.retain(|(job, is_open, is_known)| *is_open && (*is_known || job.state.is_leased()));
    }
    let found: Vec<&JobRow> = found.into_iter().map(|(job, ..)| job).collect();
    let outranked = |waiting: &JobRow| {
        waiting.state == State::WaitingForApproval
            && found.iter().any(|job| {
                job.state == State::Reported && job.subject["baseline"] == waiting.subject["baseline"]
            })
    };
    found.iter().filter(|job| !outranked(job)).copied().collect()
}

/// Which state of several is shown.
fn rank(state: StatusState) -> u8 {
    match state {
        StatusState::Success => 0,
        StatusState::Queued | StatusState::Running => 1,
        StatusState::Cancelled => 2,
        StatusState::Error => 3,
        StatusState::Failure => 4,
    }
}

/// The comment of a pull request, from the job that speaks for its present head; nothing if that has none.
fn comment_of_pull(
    service: &Service,
    project: &ProjectConfig,
    number: u64,
    answer: &str,
) -> Result<Option<Change>, QueueError> {
    let name = project.name.get_ref();
    let Some(pull) = service.queue(|queue| queue.pulls(name, Some(number)))?.pop() else { return Ok(None) };
    let (head, group) = (Some(pull.head.clone()), Some(pull_group(name, number)));
    let filter = Filter { head, group, ..Filter::default() };
    let jobs = service.queue(|queue| queue.list(&filter))?;
    let Some((job, Subject::Pull(subject))) =
        speaker(&jobs, Some(&pull.baseline)).and_then(|job| Some((job, Subject::of(job)?)))
    else {
        return Ok(None);
    };
    let comparison = comparison_of(service, job)?;
    let parts = [of_canary(service, job)?, answer.to_owned()];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let text = comment(service, job, &subject, comparison.as_ref(), &parts.join("\n\n"));
    Ok(Some(comment_letter(project, number, Some(pull.head), text).sent(job.id.clone())))
}

/// The comparison of a job that has a result, with what the service's database says of it.
fn comparison_of(service: &Service, job: &JobRow) -> Result<Option<Comparison>, QueueError> {
    match job.state {
        State::Reported => result::judged(service, &job.id),
        _ => Ok(None),
    }
}

/// What a reader of times must know of the machine.
fn of_canary(service: &Service, job: &JobRow) -> Result<String, QueueError> {
    let canary = match job.state {
        State::Reported => service.queue(|queue| queue.canary_of_job(&job.id))?,
        _ => None,
    };
    let bad = canary.filter(|canary| canary.is.verdict.is_bad());
    Ok(bad.map(|canary| format!("_{}_", said_of_canary(&canary))).unwrap_or_default())
}

/// The same as a sentence.
pub fn said_of_canary(canary: &Canary) -> String {
    format!(
        "Times of this job may be the machine's: {} (runner {}). The runner is in quarantine until it is as before; counts are not affected.",
        canary.is.cause, canary.runner
    )
}

/// The comment of a pull request again, for somebody who asked.
pub(crate) fn reply(
    service: &Service,
    project: &str,
    number: u64,
    text: &str,
) -> Result<Option<Change>, QueueError> {
    let Some(project) = service.config.project(project) else { return Ok(None) };
    let asked =
        format!("_{} ({})_", if text.is_empty() { "status as asked" } else { "as asked" }, now(service));
    let answer = if text.is_empty() { asked } else { format!("{asked}\n\n{text}") };
    if let Some(change) = comment_of_pull(service, project, number, &answer)? {
        return Ok(Some(change));
    }
    let text = format!("Nothing of this head was measured yet.\n\n{answer}\n");
    Ok(Some(comment_letter(project, number, None, text).sent(String::new())))
}

fn now(service: &Service) -> String {
    let at = i64::try_from(service.now_unix_ms()).ok();
    let at = at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn status_letter(project: &ProjectConfig, commit: &str, status: CommitStatus) -> Letter {
    Letter::Status { project: project.name.get_ref().clone(), commit: commit.to_owned(), status }
}

fn comment_letter(project: &ProjectConfig, number: u64, commit: Option<String>, text: String) -> Letter {
    Letter::Comment { project: project.name.get_ref().clone(), number, commit, text }
}

fn link(service: &Service, job: &JobRow) -> String {
    format!("{}/jobs/{}", service.config.base(), job.id)
}

/// The status of the job's commit.
fn status(
    service: &Service,
    project: &ProjectConfig,
    job: &JobRow,
    comparison: Option<&Comparison>,
    suffix: &str,
) -> CommitStatus {
    let (state, title) = state_and_title(project.fail_on, job, comparison);
    let context = format!("tlslab/{}{suffix}", project.name.get_ref());
    CommitStatus { context, state, title, link: link(service, job) }
}

/// How a job is shown in one line. What the lab or a runner did wrong is never shown as a failure of the candidate.
fn state_and_title(
    fail_on: FailPolicy,
    job: &JobRow,
    comparison: Option<&Comparison>,
) -> (StatusState, String) {
    let first = job.reason.lines().next().unwrap_or_default();
    match job.state {
        State::WaitingForApproval => {
            (StatusState::Queued, "waits for a maintainer's approval of this commit".to_owned())
        }
        State::Queued => (StatusState::Queued, "queued".to_owned()),
        State::Cancelled => (StatusState::Cancelled, format!("cancelled: {first}")),
        State::Superseded => (StatusState::Cancelled, format!("superseded: {first}")),
        State::Failed => match job.fault {
            Some(Fault::Candidate) => (StatusState::Failure, format!("not measured: {first}")),
            Some(Fault::Baseline) => {
                (StatusState::Error, format!("not measured, the baseline failed: {first}"))
            }
            _ => (StatusState::Error, format!("not measured, not the candidate's fault: {first}")),
        },
        State::Reported => match comparison {
            Some(comparison) => (verdict_state(fail_on, comparison), summary(comparison)),
            // Of a proposed commit a comparison is asked for: without one nothing is known of it.
            None if job.head.is_some() => {
                (StatusState::Error, "measured, but its result cannot be read".to_owned())
            }
            None => (StatusState::Success, "measured".to_owned()),
        },
        running => (StatusState::Running, running.to_string()),
    }
}

fn verdict_state(fail_on: FailPolicy, comparison: &Comparison) -> StatusState {
    // Work that the baseline does and the candidate does not is never a success, whatever makes a change a failure.
    if comparison.has_failures() || has_lost_cells(comparison) {
        return StatusState::Failure;
    }
    if comparison.changes.iter().all(|change| change.effect().is_none()) {
        return StatusState::Error;
    }
    let looked_for = match fail_on {
        FailPolicy::Regression => FailOn::Regression,
        FailPolicy::Change => FailOn::Change,
        FailPolicy::AnyRegression => FailOn::AnyRegression,
        FailPolicy::Never => return StatusState::Success,
    };
    if comparison.fails_on(looked_for) { StatusState::Failure } else { StatusState::Success }
}

/// Whether the candidate has no result in a cell in which the baseline has one.
fn has_lost_cells(comparison: &Comparison) -> bool {
    let is_lost = |change: &tlslab_comparison::Change| {
        matches!(&change.outcome, Outcome::Missing { base_missing: None, new_missing: Some(_) })
    };
    comparison.changes.iter().any(is_lost)
}

/// A comparison in one line.
pub fn summary(comparison: &Comparison) -> String {
    let count = |verdict| comparison.count(verdict);
    let marked = |verdict| comparison.marked(verdict).len();
    let mut parts = Vec::new();
    let mut add = |number: usize, one: &str, many: &str| {
        if number > 0 {
            parts.push(format!("{number} {}", if number == 1 { one } else { many }));
        }
    };
    add(marked(Verdict::Regression), "regression", "regressions");
    add(marked(Verdict::Improvement), "improvement", "improvements");
    add(comparison.acknowledged().len(), "acknowledged regression", "acknowledged regressions");
    add(comparison.missing().count(), "cell without a result", "cells without a result");
    add(count(Verdict::Suspect), "suspected change", "suspected changes");
    add(count(Verdict::Inconclusive), "inconclusive", "inconclusive");
    let unchanged = count(Verdict::NotSignificant) + count(Verdict::Identical) + count(Verdict::Changed);
    add(unchanged, "unchanged", "unchanged");
    let insignificant = comparison.tiny() + comparison.below_own_threshold();
    add(insignificant, "change below its threshold", "changes below their thresholds");
    let largest =
        comparison.highlighted().first().and_then(|change| change.effect()).map(|effect| effect.ratio);
    match largest {
        Some(ratio) => format!("{}; largest {:+.2} %", parts.join(", "), (ratio - 1.0) * 100.0),
        None if parts.is_empty() => "nothing was compared".to_owned(),
        None => parts.join(", "),
    }
}

/// The comment: what to do, what changed, then the rest folded.
fn comment(
    service: &Service,
    job: &JobRow,
    pull: &PullSubject,
    comparison: Option<&Comparison>,
    answer: &str,
) -> String {
    let mut text = format!("{}\n", what_to_do(job, comparison));
    if !answer.is_empty() {
        let _ = write!(text, "\n{answer}\n");
    }
    if let Some(comparison) = comparison {
        // The files of a comparison stay with its runner.
        let comparison = &Comparison { profiles: Vec::new(), ..comparison.clone() };
        let room = LONGEST_COMMENT.saturating_sub(text.chars().count() + 4_000);
        let _ = write!(text, "\n{}\n", markdown_within(comparison, room, ""));
    } else if job.state == State::Failed {
        let _ = write!(text, "\n{}\n", fenced(&job.reason));
    }
    let (page, runner) = (link(service, job), job.runner.as_deref().unwrap_or("none yet"));
    let _ = write!(
        text,
        "\n<sub>commit {} against {} · [job]({page}) · runner {runner}</sub>\n",
        short(&pull.commit),
        short(&pull.baseline)
    );
    let command = request(&job.body)
        .as_ref()
        .and_then(command)
        .map(|command| format!("\n\nTo repeat it:\n{}", fenced(&command)));
    let command = command.unwrap_or_default();
    let _ = write!(text, "\n<details><summary>Commands</summary>\n\n{HELP}{command}\n</details>\n");
    text
}

/// The first sentence: what the reader can do.
pub fn what_to_do(job: &JobRow, comparison: Option<&Comparison>) -> String {
    match job.state {
        State::WaitingForApproval => "**Waiting.** A maintainer has to approve this commit, or to comment `/tlslab compare`, before it \
                                      is built and measured."
            .to_owned(),
        State::Queued => "**Queued.** Nothing to do; this comment is edited when there is a result.".to_owned(),
        State::Cancelled => "**Cancelled.** `/tlslab compare` measures it again.".to_owned(),
        State::Superseded => "**Superseded** by a newer commit.".to_owned(),
        State::Failed => match job.fault {
            Some(Fault::Candidate) => "**Not measured: the candidate failed.** See the reason below.".to_owned(),
            Some(Fault::Baseline) => {
                "**Not measured: the baseline or its driver could not be built,** which is not this pull request's fault. See the reason below.".to_owned()
            }
            Some(Fault::Runner) => {
                "**Not measured: the runner failed,** not this pull request. `/tlslab compare` tries again.".to_owned()
            }
            _ => "**Not measured: the lab failed,** not this pull request. `/tlslab compare` tries again.".to_owned(),
        },
        State::Reported => match comparison {
            Some(comparison) if comparison.has_failures() || has_lost_cells(comparison) => {
                "**Look at the cells that failed:** the stack did not do the work as the scenario demands.".to_owned()
            }
            Some(comparison) if !comparison.marked(Verdict::Regression).is_empty() => {
                "**Look at the regressions** before this is merged.".to_owned()
            }
            Some(comparison) if comparison.fails_on(FailOn::AnyRegression) => {
                "**No significant regression.** Confirmed ones below their thresholds are listed below; they count only in projects that \
                 fail on any regression."
                    .to_owned()
            }
            Some(comparison) if !comparison.acknowledged().is_empty() => {
                "**Nothing to do:** every significant regression is acknowledged.".to_owned()
            }
            Some(comparison) if !comparison.marked(Verdict::Improvement).is_empty() => {
                "**Nothing to do:** improvements and no significant regression.".to_owned()
            }
            Some(_) => "**Nothing to do:** no significant regression was found.".to_owned(),
            None => "**Measured, but the result cannot be read.** `/tlslab compare` tries again.".to_owned(),
        },
        running => format!("**Running** ({running}). Nothing to do; this comment is edited when there is a result."),
    }
}

/// A text of others, as nothing but text.
fn fenced(text: &str) -> String {
    let text: String = text.chars().take(LONGEST_REASON).collect();
    format!("```\n{}\n```", text.replace("```", "'''"))
}

#[cfg(test)]
mod tests {
    use tlslab_comparison::{Acknowledgement, Effect, read};

    use super::*;

    const COMPARISON: &str = include_str!("../../tlslab/tests/action/comparison.json");

    /// The comparison, whose two regressions are changed, and the states by `regression` and `any-regression`.
    fn states(change: fn(&mut Effect)) -> [StatusState; 2] {
        let mut comparison = read(COMPARISON).unwrap();
        for cell in &mut comparison.changes {
            if let Outcome::Compared(effect) = &mut cell.outcome {
                change(effect);
            }
        }
        [FailPolicy::Regression, FailPolicy::AnyRegression].map(|policy| verdict_state(policy, &comparison))
    }

    #[test]
    fn a_status_follows_what_the_comment_marks() {
        use StatusState::{Failure, Success};
        assert_eq!(states(|_| ()), [Failure, Failure]);
        assert_eq!(states(|effect| effect.tiny = effect.verdict.is_flagged()), [Success, Failure]);
        let acknowledge = |effect: &mut Effect| {
            effect.acknowledged = Some(Acknowledgement { text: "a fix".to_owned(), up_to: 1.01 });
        };
        assert_eq!(states(acknowledge), [Success, Success]);
    }
}
