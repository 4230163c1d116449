//! The changes that an event of a code host causes. The code host is queried for rights and commits at that
//! moment; data of the event that may be outdated is not trusted.

mod approvals;
mod asked;
mod commands;
mod known;
mod plan;
mod pull_events;
mod scope;

use tlslab_forge::StatusState;
use tlslab_forge::webhook::{Incoming, Repository};
use tlslab_queue::{Change, Which};

use crate::config::MergeQueue;
use crate::config::patterns::matches;
use crate::new_jobs::{merging_group, merging_job, push_job};
use crate::subject::{MergingSubject, PushSubject};

pub(crate) use asked::approval_of;
pub(crate) use known::{InQueue, speaker};
pub(crate) use plan::{Accepted, Plan, Planner, Trouble};
pub(crate) use pull_events::CLOSED;
pub(crate) use scope::UNCHANGED;

impl Planner<'_> {
    /// Plans what an event causes.
    ///
    /// # Errors
    /// Fails if the code host or the queue does not answer.
    pub(crate) fn plan(&mut self, incoming: Incoming) -> Result<Plan, Trouble> {
        let project = Some(self.project.name.get_ref().clone());
        let plan = match incoming {
            Incoming::Push { repository, branch, before, commit } => {
                let is_measured = self.measured_branch(&repository) == Some(&branch);
                match !is_measured && matches(&self.project.merge_branches, &branch) {
                    true => self.staged(&repository, branch, commit)?,
                    false => self.push(&repository, branch, before, commit),
                }
            }
            Incoming::Pull { repository, number, action, pull } => {
                self.pull(&repository, number, action, &pull)?
            }
            Incoming::Approved { repository, number, commit, by } => {
                self.approved(&repository, number, commit, &by)?
            }
            Incoming::Command { repository, number, comment, by, created_unix_s, is_edited, text } => {
                let said = commands::Said { number, comment, by, created_unix_s, is_edited, text };
                self.command(&repository, &said)?
            }
            Incoming::Merging { repository, branch, commit, base, is_wanted } => {
                let merging = MergingSubject { branch, commit, baseline: base };
                self.merging(&repository, merging, is_wanted)?
            }
            Incoming::Again { commit, context, by, repository } => {
                self.again(&repository, &commit, context.as_deref(), &by)?
            }
            Incoming::Installation { id, is_active } => {
                let state = if is_active { "active" } else { "suspended or deleted" };
                Plan::nothing(format!("installation {id} is {state}"))
            }
            Incoming::Ignored { why } => Plan::nothing(why),
        };
        Ok(Plan { project, ..plan })
    }

    /// Plans a commit of the branch.
    pub(crate) fn push(
        &self,
        repository: &Repository,
        branch: String,
        before: Option<String>,
        commit: Option<String>,
    ) -> Plan {
        if self.measured_branch(repository) != Some(&branch) {
            return Plan::nothing("another branch than the one that is measured");
        }
        let Some(commit) = commit else { return Plan::nothing("the branch was deleted") };
        let Some(run) = &self.project.run else {
            return Plan::nothing("the project has no `run`: commits of the branch are not measured");
        };
        let cause = format!("pushed to {branch}");
        let push = PushSubject { branch, commit, before };
        Plan::enqueued(push_job(self.project, &repository.clone_url, push, run, 0, cause))
    }

    /// The branch whose commits are measured.
    fn measured_branch<'r>(&'r self, repository: &'r Repository) -> Option<&'r String> {
        self.project.branch.as_ref().or(repository.default_branch.as_ref())
    }

    /// A commit of the branch of a bot's merge queue, which is going to be merged into the measured branch.
    fn staged(
        &mut self,
        repository: &Repository,
        branch: String,
        commit: Option<String>,
    ) -> Result<Plan, Trouble> {
        let Some(commit) = commit else {
            let merging = MergingSubject { branch, commit: String::new(), baseline: String::new() };
            return self.merging(repository, merging, false);
        };
        let baseline = match self.measured_branch(repository).cloned() {
            Some(target) => self.asked.branch_commit(&target)?,
            None => None,
        };
        match baseline {
            Some(baseline) if baseline != commit => {
                self.merging(repository, MergingSubject { branch, commit, baseline }, true)
            }
            _ => Ok(Plan::nothing(
                "the branch that it is to be merged into is at the same commit, or is not known",
            )),
        }
    }

    /// A commit of a merge queue. A writer has put it there.
    fn merging(
        &mut self,
        repository: &Repository,
        merging: MergingSubject,
        is_wanted: bool,
    ) -> Result<Plan, Trouble> {
        let group = merging_group(self.project.name.get_ref(), &merging.branch);
        if !is_wanted {
            let cause = "the merge queue does not wait for it any more".to_owned();
            return Ok(Plan::of(vec![Change::Cancel { which: Which::Group(group), cause }], "cancelled"));
        }
        if self.asked.branch_commit(&merging.branch)?.as_deref() != Some(&merging.commit) {
            return Ok(Plan::nothing("the merge queue is at another commit now"));
        }
        if self.project.merge_queue == MergeQueue::PullRequest {
            let pulls = self.known.pulls_of_head(&merging.commit)?;
            if let Some(pull) = pulls.iter().find(|pull| pull.is_open) {
                return Ok(Plan::nothing(format!(
                    "it is the head of pull request {}, whose status stays",
                    pull.number
                )));
            }
            let title = "measured in the pull request";
            let status = self.status_without_job(&merging.commit, StatusState::Success, title);
            return Ok(Plan::of(vec![status], format!("answered: {title}")));
        }
        let cause = "a merge queue waits for it".to_owned();
        Ok(Plan::enqueued(merging_job(self.project, &repository.clone_url, merging, cause)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
