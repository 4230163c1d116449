//! Pull requests and their approvals.

use tlslab_forge::webhook::{PullAction, PullFacts, Repository};
use tlslab_forge::{ForgeError, Pull, StatusState};
use tlslab_queue::{Approval, Change, JobRow, PullRow, QueueError, State, Which};

use super::asked::approval_of;
use super::known::speaker;
use super::plan::{Plan, Planner, Trouble};
use super::scope::{Scope, UNCHANGED};
use crate::commands::CompareCommand;
use crate::new_jobs::{PullJob, aside_group, pull_group, pull_job};
use crate::subject::{PullSubject, Subject};

/// Why the jobs of a closed pull request end.
pub(crate) const CLOSED: &str = "the pull request was closed";

impl Planner<'_> {
    pub(super) fn group(&self, number: u64) -> String {
        pull_group(self.project.name.get_ref(), number)
    }

    /// All jobs of a pull request end that have not.
    pub(super) fn cancelled(&self, number: u64, cause: &str) -> Vec<Change> {
        let group = self.group(number);
        let of = |group| Change::Cancel { which: Which::Group(group), cause: cause.to_owned() };
        vec![of(aside_group(&group)), of(group)]
    }

    pub(super) fn pull(
        &mut self,
        repository: &Repository,
        number: u64,
        action: PullAction,
        facts: &PullFacts,
    ) -> Result<Plan, Trouble> {
        if action == PullAction::Other {
            return Ok(Plan::nothing("nothing that changes what is measured"));
        }
        // The current state: events may come late or out of order.
        let pull = self.asked.pull(number)?;
        let cause = match action {
            PullAction::Opened => "the pull request was opened",
            PullAction::Synchronised => "its head moved",
            PullAction::Edited => "it was edited",
            PullAction::Closed => "it was reported as closed, and is open",
            PullAction::Labelled => "its labels changed",
            _ => "it was opened again or made ready",
        };
        let mut plan = self.as_it_is(&repository.clone_url, number, &pull, cause)?;
        // The event is of another head, which was there before this one or between two times of it.
        if facts.head.as_ref() != Some(&pull.head)
            && let Some(at) = pull.updated_unix_s
        {
            let (project, since_unix_ms) = (self.project.name.get_ref().clone(), at * 1_000);
            plan.changes.push(Change::ForgetSince { project, number, since_unix_ms });
        }
        Ok(plan)
    }

    /// Plans the jobs that the current state of a pull request needs.
    ///
    /// # Errors
    /// Fails if the code host or the queue does not answer.
    pub(crate) fn as_it_is(
        &mut self,
        clone_url: &str,
        number: u64,
        pull: &Pull,
        cause: &str,
    ) -> Result<Plan, Trouble> {
        let mut plan = match (pull.is_open, pull.is_draft) {
            (false, _) => Plan::of(self.cancelled(number, CLOSED), "it is closed"),
            (true, true) if !self.project.pulls.drafts => {
                Plan::nothing("it is a draft; a maintainer may ask for a comparison")
            }
            (true, _) => self.in_scope(clone_url, number, pull, cause)?,
        };
        let baseline = plan.baseline();
        plan.changes.insert(0, self.seen(number, pull, baseline));
        Ok(plan)
    }

    /// The plan for an open pull request within or outside the project's scope.
    fn in_scope(&mut self, clone_url: &str, number: u64, pull: &Pull, cause: &str) -> Result<Plan, Trouble> {
        let scope = self.scope_of(pull);
        let jobs = self.of_pull(number, &pull.head)?;
        let has_result = jobs.iter().any(|job| job.state == State::Reported);
        let is_measured = jobs.iter().any(|job| !job.is_without_result());
        Ok(match scope {
            Scope::Elsewhere(why) => Plan::of(self.cancelled(number, &why), why),
            Scope::Forbidden(why) if !has_result => {
                let mut changes = self.cancelled(number, &why);
                changes.push(self.status_without_job(&pull.head, StatusState::Cancelled, &why));
                Plan::of(changes, why)
            }
            // Its result does not change.
            Scope::Forbidden(why) => Plan::nothing(why),
            Scope::Waits(why) if !is_measured => {
                // The jobs of an earlier head are of no use any more.
                let mut changes = self.cancelled(number, &why);
                changes.push(self.status_without_job(&pull.head, StatusState::Queued, &why));
                Plan::of(changes, why)
            }
            _ => self.measured(clone_url, number, pull, cause)?,
        })
    }

    /// Measures its head, or announces its existing result again.
    fn measured(&mut self, clone_url: &str, number: u64, pull: &Pull, cause: &str) -> Result<Plan, Trouble> {
        let subject = self.subject(number, pull, None)?;
        let baseline = subject.baseline.clone();
        if let Some(plan) = self.announced_again(number, &subject, cause)? {
            return Ok(Plan { baseline, ..plan });
        }
        if self.is_unchanged(number, &subject.baseline, &subject.commit)? {
            let subject = PullSubject { is_unchanged: true, ..subject };
            let (command, cause) = (CompareCommand::default(), UNCHANGED.to_owned());
            return self.new_job(clone_url, subject, &command, Approval::NotNeeded, None, cause);
        }
        let approval = approval_of(self.asked, pull)?;
        let cause = match approval {
            Approval::Awaited => format!("{cause}; a maintainer has to approve this commit"),
            _ => cause.to_owned(),
        };
        self.new_job(clone_url, subject, &CompareCommand::default(), approval, None, cause)
    }

    /// Whether the open pull request's head has no job that counts for it.
    ///
    /// # Errors
    /// Fails if the queue does not answer.
    pub(crate) fn lacks_a_job(&self, number: u64, head: &str) -> Result<bool, QueueError> {
        let row = self.known.pull(number)?;
        let jobs = self.of_pull(number, head)?;
        let newest = self.known.newest(&self.group(number))?;
        // It was last seen at another head, and the comment is of that.
        if row.as_ref().is_some_and(|row| row.head != head) {
            return Ok(true);
        }
        Ok(match speaker(&jobs, row.as_ref().map(|row| row.baseline.as_str())) {
            None => true,
            Some(job) if job.is_without_result() => {
                job.state == State::Superseded || job.superseded_by.is_some() || job.reason == CLOSED
            }
            // Another head's job took its place meanwhile.
            Some(_) => {
                newest.is_some_and(|newest| !newest.state.is_ended() && newest.head.as_deref() != Some(head))
            }
        })
    }

    /// The existing result or job of these commits.
    pub(super) fn announced_again(
        &self,
        number: u64,
        subject: &PullSubject,
        cause: &str,
    ) -> Result<Option<Plan>, QueueError> {
        let of_commits = |job: &JobRow| match Subject::of(job) {
            Some(Subject::Pull(pull)) => pull.baseline == subject.baseline,
            _ => false,
        };
        let mut jobs = self.of_pull(number, &subject.commit)?;
        jobs.retain(of_commits);
        let Some(job) = jobs.iter().find(|job| !job.is_without_result()) else { return Ok(None) };
        let id = job.id.clone();
        let (group, cause) = (self.group(number), format!("{cause}: job {id} has this head"));
        let prefer = Change::Prefer { job: id.clone(), group, cause };
        let note = match job.state.is_ended() {
            true => format!("was measured before: job {id}"),
            false => format!("is measured already: job {id}"),
        };
        Ok(Some(Plan::of(vec![prefer, Change::AnnounceAgain { job: id }], note)))
    }

    /// The jobs of a pull request that have a head, the newest first.
    pub(super) fn of_pull(&self, number: u64, head: &str) -> Result<Vec<JobRow>, QueueError> {
        let group = self.group(number);
        let mut jobs = self.known.of_head(head)?;
        jobs.retain(|job| job.supersedes.as_ref() == Some(&group));
        Ok(jobs)
    }

    pub(super) fn new_job(
        &self,
        clone_url: &str,
        subject: PullSubject,
        command: &CompareCommand,
        approval: Approval,
        asked: Option<String>,
        cause: String,
    ) -> Result<Plan, Trouble> {
        let group = self.group(subject.number);
        let newest = self.known.newest(&group)?.map(|job| job.key);
        let known = self.known.of_head(&subject.commit)?.len();
        let asked = PullJob { subject, approval, asked, known, cause };
        let mut plan = Plan::enqueued(pull_job(self.project, clone_url, asked, command));
        plan.changes.insert(0, Change::Expect { group, newest });
        Ok(plan)
    }

    pub(super) fn subject(
        &mut self,
        number: u64,
        pull: &Pull,
        asked_by: Option<String>,
    ) -> Result<PullSubject, ForgeError> {
        let baseline = self.asked.merge_base(number, &pull.base_branch, &pull.head)?;
        let (commit, author) = (pull.head.clone(), pull.author.login.clone());
        let is_fork = pull.head_repository != Some(pull.repository);
        Ok(PullSubject {
            number,
            commit,
            baseline,
            branch: pull.branch.clone(),
            base_branch: pull.base_branch.clone(),
            author,
            is_fork,
            asked_by,
            is_unchanged: false,
            aside: None,
        })
    }

    /// The code host's data of a pull request, for pages and for the age of its head.
    pub(super) fn seen(&self, number: u64, pull: &Pull, baseline: String) -> Change {
        Change::SeePull(PullRow {
            project: self.project.name.get_ref().clone(),
            number,
            head: pull.head.clone(),
            since_unix_ms: pull.updated_unix_s.unwrap_or(u64::from(u32::MAX)) * 1_000,
            is_open: pull.is_open,
            title: pull.title.clone(),
            branch: pull.branch.clone(),
            baseline,
        })
    }
}
