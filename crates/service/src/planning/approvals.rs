//! Approvals of commits, and checks that are to be run again.

use tlslab_forge::webhook::{Person, Repository};
use tlslab_queue::{Approval, Change, State, Which};

use super::plan::{Plan, Planner, Trouble};
use crate::commands::CompareCommand;

impl Planner<'_> {
    /// An approval is of one commit: later pushes are not approved. The code host is queried for that commit
    /// now, so that an approval that was dismissed or is delivered again approves nothing else.
    pub(super) fn approved(
        &mut self,
        repository: &Repository,
        number: u64,
        named: Option<String>,
        by: &Person,
    ) -> Result<Plan, Trouble> {
        if !self.asked.may_write(by)? {
            return Ok(Plan::nothing("approved by somebody who may not write to the repository"));
        }
        let Some(commit) = self.asked.approval_commit(number, by)? else {
            return Ok(Plan::nothing("no commit is approved by a review now; use the command compare"));
        };
        if named.is_some_and(|named| named != commit) {
            return Ok(Plan::nothing("a newer review replaced this one"));
        }
        let pull = self.asked.pull(number)?;
        if !pull.is_open || pull.head != commit {
            return Ok(Plan::nothing("the approval is of a commit that is not the head any more"));
        }
        if let Some(why) = self.elsewhere(&pull) {
            return Ok(Plan::nothing(why));
        }
        let cause = format!("this commit was approved by {}", by.login);
        let mut jobs = self.of_pull(number, &commit)?;
        jobs.retain(|job| job.state == State::WaitingForApproval);
        let mut plan = match jobs.first() {
            Some(job) => {
                let which = Which::Job(job.id.clone());
                Plan::of(vec![Change::Approve { which, cause }], "approved")
            }
            None => {
                let subject = self.subject(number, &pull, Some(by.login.clone()))?;
                match self.announced_again(number, &subject, &cause)? {
                    Some(plan) => plan,
                    None => {
                        let (url, command) = (&repository.clone_url, CompareCommand::default());
                        self.new_job(url, subject, &command, Approval::Given, None, cause)?
                    }
                }
            }
        };
        let baseline = plan.baseline();
        plan.changes.insert(0, self.seen(number, &pull, baseline));
        Ok(plan)
    }

    /// Somebody asks on a check's page that it is run again: the check names the commit, which is thereby
    /// approved as by a review of it.
    pub(super) fn again(
        &mut self,
        repository: &Repository,
        commit: &str,
        context: Option<&str>,
        by: &Person,
    ) -> Result<Plan, Trouble> {
        let own = format!("tlslab/{}", self.project.name.get_ref());
        if context.is_some_and(|context| context != own) {
            return Ok(Plan::nothing("another check is to be run again"));
        }
        if !self.asked.may_write(by)? {
            return Ok(Plan::nothing("asked for by somebody who may not write to the repository"));
        }
        let mut plan = Plan::nothing("no open pull request has this head");
        for row in self.known.pulls_of_head(commit)? {
            let pull = self.asked.pull(row.number)?;
            if !pull.is_open || pull.head != commit || self.elsewhere(&pull).is_some() {
                continue;
            }
            let subject = self.subject(row.number, &pull, Some(by.login.clone()))?;
            let cause = format!("asked for by {}", by.login);
            // Each of these differs by how many jobs the head has already.
            let asked = format!("again-{}", self.known.of_head(commit)?.len());
            let (url, command) = (&repository.clone_url, CompareCommand::default());
            let one = self.new_job(url, subject, &command, Approval::Given, Some(asked), cause)?;
            let baseline = one.baseline();
            plan.note = one.note;
            plan.changes.push(self.seen(row.number, &pull, baseline));
            plan.changes.extend(one.changes);
        }
        Ok(plan)
    }
}
