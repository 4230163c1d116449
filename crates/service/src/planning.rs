//! What an event of a code host changes. The code host is asked for rights and commits at that moment; nothing is believed of an
//! event that it could have got wrong since.

use tlslab_forge::webhook::{Incoming, Person, PullAction, Repository};
use tlslab_forge::{Client, ForgeError, Pull};
use tlslab_queue::{Change, JobRow, State, Which};

use crate::commands::{Command, CompareCommand, HELP, read};
use crate::config::ProjectConfig;
use crate::jobs::{pull_group, pull_job, push_job};
use crate::subject::{PullSubject, PushSubject, Subject};

/// What a code host is asked.
pub trait Asked {
    /// A pull request as it is now.
    fn pull(&mut self, number: u64) -> Result<Pull, ForgeError>;
    /// The newest commit that base and head have in common.
    fn merge_base(&mut self, number: u64, base: &str, head: &str) -> Result<String, ForgeError>;
    /// Whether somebody may write to the repository now.
    fn may_write(&mut self, person: &Person) -> Result<bool, ForgeError>;
    /// The commit that somebody approved.
    fn approval_commit(&mut self, number: u64, person: &Person) -> Result<Option<String>, ForgeError>;
    /// The name of the service's own account.
    fn own_name(&mut self) -> Result<String, ForgeError>;
}

impl Asked for Client {
    fn pull(&mut self, number: u64) -> Result<Pull, ForgeError> {
        Self::pull(self, number)
    }
    fn merge_base(&mut self, number: u64, base: &str, head: &str) -> Result<String, ForgeError> {
        Self::merge_base(self, number, base, head)
    }
    fn may_write(&mut self, person: &Person) -> Result<bool, ForgeError> {
        Self::may_write(self, person)
    }
    fn approval_commit(&mut self, number: u64, person: &Person) -> Result<Option<String>, ForgeError> {
        Self::approval_commit(self, number, person)
    }
    fn own_name(&mut self) -> Result<String, ForgeError> {
        self.who()
    }
}

/// What is done about an event.
#[derive(Debug, Default)]
pub struct Plan {
    /// Changes of the queue.
    pub changes: Vec<Change>,
    /// What is said about it where deliveries are listed.
    pub note: String,
    /// A pull request whose comment is to be shown anew, with a sentence for whoever asked.
    pub reply: Option<(u64, String)>,
}

impl Plan {
    fn nothing(note: impl Into<String>) -> Self {
        Self { note: note.into(), ..Self::default() }
    }
}

/// What an event is planned with.
pub struct Planner<'a> {
    /// The project of the event's repository.
    pub project: &'a ProjectConfig,
    /// The code host.
    pub asked: &'a mut dyn Asked,
    /// Jobs of a group that have not ended.
    pub open_jobs: &'a dyn Fn(&str) -> Vec<JobRow>,
}

impl Planner<'_> {
    /// Plans what an event causes.
    ///
    /// # Errors
    /// The code host does not answer.
    pub fn plan(&mut self, incoming: Incoming) -> Result<Plan, ForgeError> {
        match incoming {
            Incoming::Push { repository, branch, before, commit } => {
                Ok(self.push(&repository, branch, before, commit))
            }
            Incoming::Pull { repository, number, action, .. } => self.pull(&repository, number, action),
            Incoming::Approved { repository, number, commit, by } => {
                self.approved(&repository, number, commit, &by)
            }
            Incoming::Command { repository, number, comment, by, text } => {
                self.command(&repository, number, comment, &by, &text)
            }
            Incoming::Installation { id, is_active } => {
                let state = if is_active { "active" } else { "suspended or deleted" };
                Ok(Plan::nothing(format!("installation {id} is {state}")))
            }
            Incoming::Ignored { why } => Ok(Plan::nothing(why)),
        }
    }

    fn push(
        &self,
        repository: &Repository,
        branch: String,
        before: Option<String>,
        commit: Option<String>,
    ) -> Plan {
        let wanted = self.project.branch.as_ref().or(repository.default_branch.as_ref());
        if wanted != Some(&branch) {
            return Plan::nothing("another branch than the one that is measured");
        }
        let Some(commit) = commit else { return Plan::nothing("the branch was deleted") };
        let Some(run) = &self.project.run else {
            return Plan::nothing("the project has no `run`: commits of the branch are not measured");
        };
        let cause = format!("pushed to {branch}");
        let push = PushSubject { branch, commit, before };
        enqueued(push_job(self.project, &repository.clone_url, push, run, cause))
    }

    fn pull(&mut self, repository: &Repository, number: u64, action: PullAction) -> Result<Plan, ForgeError> {
        let group = pull_group(self.project.name.get_ref(), number);
        if action == PullAction::Closed {
            let cause = "the pull request was closed".to_owned();
            let changes = vec![Change::Cancel { which: Which::Group(group), cause }];
            return Ok(Plan { changes, note: "closed".to_owned(), ..Plan::default() });
        }
        if action == PullAction::Other {
            return Ok(Plan::nothing("nothing that changes what is measured"));
        }
        // As it is now: events may come late or out of order.
        let pull = self.asked.pull(number)?;
        if !pull.is_open {
            return Ok(Plan::nothing("it is closed by now"));
        }
        if pull.is_draft {
            return Ok(Plan::nothing("it is a draft; a maintainer may ask for a comparison"));
        }
        let is_fork = pull.head_repository != Some(pull.repository);
        let cause = match action {
            PullAction::Opened => "the pull request was opened",
            PullAction::Synchronised => "its head moved",
            PullAction::Edited => "it was edited",
            _ => "it was opened again or made ready",
        };
        let cause = match is_fork {
            true => format!("{cause}; a maintainer has to approve this commit"),
            false => cause.to_owned(),
        };
        let subject = self.subject(number, &pull, is_fork, None)?;
        let command = CompareCommand::default();
        Ok(enqueued(pull_job(self.project, &repository.clone_url, subject, &command, is_fork, None, cause)))
    }

    fn subject(
        &mut self,
        number: u64,
        pull: &Pull,
        is_fork: bool,
        asked_by: Option<String>,
    ) -> Result<PullSubject, ForgeError> {
        let baseline = self.asked.merge_base(number, &pull.base_branch, &pull.head)?;
        let (commit, author) = (pull.head.clone(), pull.author.login.clone());
        Ok(PullSubject { number, commit, baseline, author, is_fork, asked_by })
    }

    /// An approval is of one commit: what was pushed since is not approved.
    fn approved(
        &mut self,
        repository: &Repository,
        number: u64,
        commit: Option<String>,
        by: &Person,
    ) -> Result<Plan, ForgeError> {
        if !self.asked.may_write(by)? {
            return Ok(Plan::nothing("approved by somebody who may not write to the repository"));
        }
        let commit = match commit {
            Some(commit) => Some(commit),
            None => self.asked.approval_commit(number, by)?,
        };
        let Some(commit) = commit else {
            return Ok(Plan::nothing("the approval names no commit; use the command compare"));
        };
        let group = pull_group(self.project.name.get_ref(), number);
        let cause = format!("this commit was approved by {}", by.login);
        let of_commit =
            |job: &&JobRow| Subject::of(job).is_some_and(|subject| subject.commit() == Some(&commit));
        let jobs = (self.open_jobs)(&group);
        if let Some(job) = jobs.iter().find(of_commit) {
            if job.state != State::WaitingForApproval {
                return Ok(Plan::nothing("this commit is measured already"));
            }
            let changes = vec![Change::Approve { which: Which::Job(job.id.clone()), cause }];
            return Ok(Plan { changes, note: "approved".to_owned(), ..Plan::default() });
        }
        // The event that would have made the job may have been lost.
        let pull = self.asked.pull(number)?;
        if !pull.is_open || pull.head != commit {
            return Ok(Plan::nothing("the approval is of a commit that is not the head any more"));
        }
        let is_fork = pull.head_repository != Some(pull.repository);
        let subject = self.subject(number, &pull, is_fork, Some(by.login.clone()))?;
        let command = CompareCommand::default();
        Ok(enqueued(pull_job(self.project, &repository.clone_url, subject, &command, false, None, cause)))
    }

    fn command(
        &mut self,
        repository: &Repository,
        number: u64,
        comment: u64,
        by: &Person,
        text: &str,
    ) -> Result<Plan, ForgeError> {
        let own_name = self.asked.own_name()?;
        if by.is_bot || by.login == own_name {
            return Ok(Plan::nothing("a comment of a program"));
        }
        let Some(command) = read(text, &own_name, &self.project.stacks) else {
            return Ok(Plan::nothing("a comment without a command"));
        };
        if !self.asked.may_write(by)? {
            return Ok(Plan::nothing("a command of somebody who may not write to the repository"));
        }
        let group = pull_group(self.project.name.get_ref(), number);
        let plan = match command {
            Command::Compare(command) => return self.compare(repository, number, comment, by, &command),
            Command::Cancel => {
                let cause = format!("cancelled by {}", by.login);
                let changes = vec![Change::Cancel { which: Which::Group(group), cause }];
                Plan { changes, note: "cancelled".to_owned(), ..Plan::default() }
            }
            Command::Status => Plan { reply: Some((number, String::new())), ..Plan::nothing("status") },
            Command::Help => Plan { reply: Some((number, HELP.to_owned())), ..Plan::nothing("help") },
            Command::Unknown(why) => {
                Plan { reply: Some((number, format!("{why}. {HELP}"))), ..Plan::nothing("not understood") }
            }
        };
        Ok(plan)
    }

    /// A maintainer's command approves the head of this moment.
    fn compare(
        &mut self,
        repository: &Repository,
        number: u64,
        comment: u64,
        by: &Person,
        command: &CompareCommand,
    ) -> Result<Plan, ForgeError> {
        let pull = self.asked.pull(number)?;
        if !pull.is_open {
            return Ok(Plan::nothing("the pull request is closed"));
        }
        let is_fork = pull.head_repository != Some(pull.repository);
        let subject = self.subject(number, &pull, is_fork, Some(by.login.clone()))?;
        let cause = format!("asked for by {}", by.login);
        let url = &repository.clone_url;
        Ok(enqueued(pull_job(self.project, url, subject, command, false, Some(comment), cause)))
    }
}

fn enqueued(job: Result<tlslab_queue::NewJob, String>) -> Plan {
    match job {
        Ok(job) => {
            let note = format!("job {}", job.id);
            Plan { changes: vec![Change::Enqueue(Box::new(job))], note, ..Plan::default() }
        }
        Err(why) => Plan::nothing(format!("it cannot be measured: {why}")),
    }
}

#[cfg(test)]
mod tests;
