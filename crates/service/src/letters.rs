//! Commit status and pull-request comment of a job. Nothing here asks a database or a code host.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tlslab_comparison::{CommentParts, Comparison, FailOn, Summary, acceptable_percent, markdown_within};
use tlslab_forge::{CommitStatus, StatusState};
use tlslab_queue::{Canary, Change, Fault, JobRow, PullRow, State};
use tlslab_text::markdown_code;

use crate::commands::HELP;
use crate::config::{FailPolicy, ProjectConfig};
use crate::message::Letter;
use crate::new_jobs::{pull_group, short};
use crate::planning::{UNCHANGED, speaker};
use crate::render::advice::advice;
use crate::render::command::{command, request};
use crate::subject::PullSubject;

/// Characters of a comment, fewer than any code host allows.
const LONGEST_COMMENT: usize = 60_000;
/// Characters of a reason in a comment.
const LONGEST_REASON: usize = 3_000;
/// Lines of a reason before it is folded.
const REASON_LINES: usize = 8;
/// Characters of a branch's name in a comment.
const LONGEST_BRANCH: usize = 100;

/// A job with its comparison, if it has one.
pub(crate) struct Measured {
    /// The job.
    pub job: JobRow,
    /// Its comparison, with thresholds and acknowledgements from the service's database.
    pub comparison: Option<Comparison>,
}

/// Writes statuses, comments and issues of a project.
pub(crate) struct Writer<'c> {
    /// The address of the service.
    pub base: String,
    /// The project.
    pub project: &'c ProjectConfig,
    /// Whether its repository has other projects, each with its own comment.
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

    /// The comment of a pull request: the verdict with a `caveat`, functions, cells, commits, how to repeat
    /// and to accept, `notes`, and the rest folded.
    pub(crate) fn comment(
        &self,
        measured: &Measured,
        pull: &PullSubject,
        caveat: &str,
        notes: &[String],
    ) -> Change {
        let Measured { job, comparison } = measured;
        let command = request(&job.body).as_ref().and_then(command);
        let mut text = match comparison {
            Some(comparison) => {
                let advice = [advice(comparison), caveat].join(" ").trim_end().to_owned();
                let parts = CommentParts {
                    advice,
                    commits: self.commits(job, pull),
                    acceptance: self.acceptance(comparison),
                    notes: notes.to_vec(),
                    place: String::new(),
                };
                // The files of a comparison stay with its runner.
                let comparison = Comparison { profiles: Vec::new(), command, ..comparison.clone() };
                markdown_within(&comparison, LONGEST_COMMENT, &parts)
            }
            None => self.without_comparison(job, pull, caveat, notes, command),
        };
        if self.is_one_of_several {
            text.insert_str(0, &format!("{}: ", self.project.name.get_ref()));
        }
        let _ = write!(text, "\n<details><summary>Commands</summary>\n\n{HELP}\n\n</details>\n");
        self.comment_of(pull.number, Some(pull.commit.clone()), text).sent(job.id.clone())
    }

    fn without_comparison(
        &self,
        job: &JobRow,
        pull: &PullSubject,
        caveat: &str,
        notes: &[String],
        command: Option<String>,
    ) -> String {
        let reason = if job.state == State::Failed { job.reason.as_str() } else { "" };
        let reason: String = reason.chars().take(LONGEST_REASON).collect();
        let lines: Vec<&str> = reason.lines().collect();
        let (first, further) = lines.split_at(lines.len().min(REASON_LINES));
        let mut paragraphs =
            vec![format!("{} {caveat}", without_result(job)).trim_end().to_owned(), fenced(first)];
        paragraphs.push(self.commits(job, pull));
        paragraphs.extend(command.map(|command| format!("Repeat: {}", markdown_code(&command))));
        paragraphs.extend(notes.iter().cloned());
        if !further.is_empty() {
            let further = fenced(further);
            paragraphs
                .push(format!("<details><summary>rest of the message</summary>\n\n{further}\n\n</details>"));
        }
        paragraphs.retain(|paragraph| !paragraph.is_empty());
        paragraphs.join("\n\n") + "\n"
    }

    /// Base and head by branch and commit, the job's page and its runner.
    fn commits(&self, job: &JobRow, pull: &PullSubject) -> String {
        let place = |branch: &str, commit: &str| {
            let branch: String = branch.chars().take(LONGEST_BRANCH).collect();
            match branch.as_str() {
                "" => short(commit).to_owned(),
                branch => format!("{} at {}", markdown_code(branch), short(commit)),
            }
        };
        let runner = job.runner.as_ref().map(|runner| format!(" · runner {runner}")).unwrap_or_default();
        format!(
            "Base {}, head {} · [job]({}){runner}",
            place(&pull.base_branch, &pull.baseline),
            place(&pull.branch, &pull.commit),
            self.link(job)
        )
    }

    /// The comment by which a maintainer accepts all marked regressions; may be empty.
    fn acceptance(&self, comparison: &Comparison) -> String {
        let Some(percent) = acceptable_percent(comparison) else { return String::new() };
        let project = match self.is_one_of_several {
            true => format!(" project={}", self.project.name.get_ref()),
            false => String::new(),
        };
        format!("Accept (maintainers): comment `/tlslab accept{project} {percent:.2}% REASON`")
    }

    /// The comment of a pull request whose head has no job.
    pub(crate) fn comment_without_job(&self, number: u64, answer: &str) -> Change {
        let text = format!("This commit has not been measured.\n\n{answer}\n");
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

/// The job whose result counts for a commit, in each pull request with this head, or in all if none has it. A
/// job that waits for approval is ignored if another pull request has a result of the same commits: anybody
/// can open a second one.
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

/// The answer to a command, with the time.
pub(crate) fn answer_of(text: &str, now_unix_ms: u64) -> String {
    let at = i64::try_from(now_unix_ms).ok();
    let at = at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()).unwrap_or_default();
    let at = at.strftime("%Y-%m-%d %H:%M:%S UTC");
    match text {
        "" => format!("_status as asked ({at})_"),
        text => format!("_as asked ({at})_\n\n{text}"),
    }
}

/// The warning on times of a runner whose canary check failed.
pub(crate) fn quarantine_note(canary: &Canary) -> String {
    format!(
        "Times may be unreliable: runner {} failed its canary check ({}) and is quarantined. Instruction counts are not affected.",
        canary.runner, canary.is.cause
    )
}

/// The severity of a state: of several, the most severe is shown.
fn rank(state: StatusState) -> u8 {
    match state {
        StatusState::Success => 0,
        StatusState::Queued | StatusState::Running => 1,
        StatusState::Cancelled => 2,
        StatusState::Error => 3,
        StatusState::Failure => 4,
    }
}

/// The status and one-line title of a job. A fault of the lab or of a runner is never shown as a failure of
/// the candidate.
fn state_and_title(
    fail_on: FailPolicy,
    job: &JobRow,
    comparison: Option<&Comparison>,
) -> (StatusState, String) {
    let first = job.reason.lines().next().unwrap_or_default();
    match job.state {
        State::WaitingForApproval => {
            (StatusState::Queued, "waiting for a maintainer's approval of this commit".to_owned())
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
            // A job of a proposed commit must have a comparison.
            None if job.head.is_some() => {
                (StatusState::Error, "measured, but its result cannot be read".to_owned())
            }
            None => (StatusState::Success, "measured".to_owned()),
        },
        running => (StatusState::Running, running.to_string()),
    }
}

fn verdict_state(fail_on: FailPolicy, comparison: &Comparison) -> StatusState {
    // Work that only the baseline does is never a success, whatever `fail_on` is.
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

/// The verdict of a job without a comparison, and what the reader can do.
fn without_result(job: &JobRow) -> String {
    match job.state {
        State::WaitingForApproval => {
            "**Waiting for approval.** A maintainer must approve this commit, or comment `/tlslab compare`, before it is built."
                .to_owned()
        }
        State::Queued => "**Queued.** This comment is edited when there is a result.".to_owned(),
        State::Cancelled => "**Cancelled.** `/tlslab retry` measures it again.".to_owned(),
        State::Superseded => "**Superseded** by a newer commit.".to_owned(),
        State::Failed => match job.fault {
            Some(Fault::Candidate) => "**Not measured: the candidate failed.**",
            Some(Fault::Baseline) => {
                "**Not measured: the baseline or its driver could not be built,** which is not this pull request's fault."
            }
            Some(Fault::Runner) => {
                "**Not measured: the runner failed,** not this pull request. `/tlslab retry` tries again."
            }
            _ => "**Not measured: the lab failed,** not this pull request. `/tlslab retry` tries again.",
        }
        .to_owned(),
        State::Reported if job.subject["is_unchanged"] == true => {
            "**Nothing that is measured changed.**".to_owned()
        }
        State::Reported => "**Measured, but the result cannot be read.** `/tlslab compare` tries again.".to_owned(),
        running => format!("**Running** ({running}). This comment is edited when there is a result."),
    }
}

/// Lines written by others, as plain text; may be empty.
fn fenced(lines: &[&str]) -> String {
    match lines {
        [] => String::new(),
        lines => format!("```\n{}\n```", lines.join("\n").replace("```", "'''")),
    }
}

#[cfg(test)]
mod tests;
