//! Commit status and pull-request comment of a job. Nothing here asks a database or a code host.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tlslab_comparison::{Comparison, FailOn, Summary, markdown_within};
use tlslab_forge::{CommitStatus, StatusState};
use tlslab_queue::{Canary, Change, Fault, JobRow, PullRow, State};

use crate::commands::HELP;
use crate::config::{FailPolicy, ProjectConfig};
use crate::message::Letter;
use crate::new_jobs::{pull_group, short};
use crate::planning::{UNCHANGED, speaker};
use crate::render::advice::advice;
use crate::render::command::{command, request};
use crate::subject::PullSubject;

/// Characters of a comment, less than what any code host takes.
const LONGEST_COMMENT: usize = 60_000;
/// Characters of a reason in a comment.
const LONGEST_REASON: usize = 3_000;

/// A job with its comparison, if it has one.
pub(crate) struct Measured {
    /// The job.
    pub job: JobRow,
    /// Its comparison, with what the service's database has of it.
    pub comparison: Option<Comparison>,
}

/// What letters of a project are written with.
pub(crate) struct Writer<'c> {
    /// The address of the service.
    pub base: String,
    /// The project.
    pub project: &'c ProjectConfig,
    /// Whether its repository has other projects, too: each has a comment.
    pub is_one_of_several: bool,
}

impl Writer<'_> {
    /// The status of a commit. Of several pull requests with one head the worst decides, of equals the
    /// newest.
    pub(crate) fn status(&self, commit: &str, measured: &[Measured], suffix: &str) -> Option<Change> {
        let statuses = measured.iter().map(|one| (&one.job, self.status_of(one, suffix)));
        let (job, status) = statuses.max_by_key(|(job, status)| (rank(status.state), job.key))?;
        let project = self.project.name.get_ref().clone();
        Some(Letter::Status { project, commit: commit.to_owned(), status }.sent(job.id.clone()))
    }

    /// The comment of a pull request: what to do, the parts that come first, what changed, and the rest
    /// folded.
    pub(crate) fn comment(&self, measured: &Measured, pull: &PullSubject, first: &[String]) -> Change {
        let Measured { job, comparison } = measured;
        let project = self.project.name.get_ref();
        let of_project = if self.is_one_of_several { format!("{project}: ") } else { String::new() };
        let mut text = format!("{of_project}{}\n", what_to_do(job, comparison.as_ref()));
        for part in first.iter().filter(|part| !part.is_empty()) {
            let _ = write!(text, "\n{part}\n");
        }
        if let Some(comparison) = comparison {
            // The files of a comparison stay with its runner.
            let comparison = &Comparison { profiles: Vec::new(), ..comparison.clone() };
            let room = LONGEST_COMMENT.saturating_sub(text.chars().count() + 4_000);
            let _ = write!(text, "\n{}\n", markdown_within(comparison, room, ""));
        } else if job.state == State::Failed {
            let _ = write!(text, "\n{}\n", fenced(&job.reason));
        }
        let (page, runner) = (self.link(job), job.runner.as_deref().unwrap_or("none yet"));
        let _ = write!(
            text,
            "\n<sub>commit {} against {} · [job]({page}) · runner {runner}</sub>\n",
            short(&pull.commit),
            short(&pull.baseline)
        );
        let command = request(&job.body).as_ref().and_then(command);
        let command = command.map(|command| format!("\n\nTo repeat it:\n{}", fenced(&command)));
        let command = command.unwrap_or_default();
        let _ = write!(text, "\n<details><summary>Commands</summary>\n\n{HELP}{command}\n</details>\n");
        self.comment_of(pull.number, Some(pull.commit.clone()), text).sent(job.id.clone())
    }

    /// The comment of a pull request whose head has no job.
    pub(crate) fn comment_without_job(&self, number: u64, answer: &str) -> Change {
        let text = format!("Nothing of this head was measured yet.\n\n{answer}\n");
        self.comment_of(number, None, text).sent(String::new())
    }

    fn comment_of(&self, number: u64, commit: Option<String>, text: String) -> Letter {
        Letter::Comment { project: self.project.name.get_ref().clone(), number, commit, text }
    }

    fn status_of(&self, measured: &Measured, suffix: &str) -> CommitStatus {
        let Measured { job, comparison } = measured;
        let (state, title) = state_and_title(self.project.fail_on, job, comparison.as_ref());
        let context = format!("tlslab/{}{suffix}", self.project.name.get_ref());
        CommitStatus { context, state, title, link: self.link(job) }
    }

    /// The page of a job.
    pub(crate) fn link(&self, job: &JobRow) -> String {
        format!("{}/jobs/{}", self.base, job.id)
    }
}

/// The job that speaks for a commit in each pull request that has it as its head, or in all if none has. One
/// that waits for an approval does not speak where another pull request has a result of the same commits:
/// anybody can open a second one.
pub(crate) fn speakers<'j>(project: &str, jobs: &'j [JobRow], pulls: &[PullRow]) -> Vec<&'j JobRow> {
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

/// What a comment says to the person who asked for it, with the time.
pub(crate) fn answer_of(text: &str, now_unix_ms: u64) -> String {
    let at = i64::try_from(now_unix_ms).ok();
    let at = at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()).unwrap_or_default();
    let at = at.strftime("%Y-%m-%d %H:%M:%S UTC");
    match text {
        "" => format!("_status as asked ({at})_"),
        text => format!("_as asked ({at})_\n\n{text}"),
    }
}

/// What a reader of times must know of a runner whose canary was bad.
pub(crate) fn quarantine_note(canary: &Canary) -> String {
    format!(
        "Times may be unreliable: runner {} failed its canary check ({}) and is quarantined. Instruction counts are not affected.",
        canary.runner, canary.is.cause
    )
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

/// How a job is shown in one line. What the lab or a runner did wrong is never shown as a failure of the
/// candidate.
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
        State::Reported if job.subject["is_unchanged"] == true => {
            (StatusState::Success, UNCHANGED.to_owned())
        }
        State::Reported => match comparison {
            Some(comparison) => (verdict_state(fail_on, comparison), Summary::of(comparison).title),
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
    if comparison.has_failures() || comparison.has_lost_cells() {
        return StatusState::Failure;
    }
    if comparison.compared() == 0 {
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

/// The first sentence: what the reader can do.
fn what_to_do(job: &JobRow, comparison: Option<&Comparison>) -> String {
    match job.state {
        State::WaitingForApproval => "**Waiting.** A maintainer has to approve this commit, or to comment `/tlslab compare`, before it \
                                      is built and measured."
            .to_owned(),
        State::Queued => "**Queued.** Nothing to do; this comment is edited when there is a result.".to_owned(),
        State::Cancelled => "**Cancelled.** `/tlslab retry` measures it again.".to_owned(),
        State::Superseded => "**Superseded** by a newer commit.".to_owned(),
        State::Failed => match job.fault {
            Some(Fault::Candidate) => "**Not measured: the candidate failed.** See the reason below.".to_owned(),
            Some(Fault::Baseline) => {
                "**Not measured: the baseline or its driver could not be built,** which is not this pull request's fault. See the reason below.".to_owned()
            }
            Some(Fault::Runner) => {
                "**Not measured: the runner failed,** not this pull request. `/tlslab retry` tries again.".to_owned()
            }
            _ => "**Not measured: the lab failed,** not this pull request. `/tlslab retry` tries again.".to_owned(),
        },
        State::Reported if job.subject["is_unchanged"] == true => {
            "**Nothing that is measured changed.** Nothing to do.".to_owned()
        }
        State::Reported => match comparison {
            Some(comparison) => {
                let [lead, rest] = advice(comparison);
                format!("**{lead}** {rest}")
            }
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
mod tests;
