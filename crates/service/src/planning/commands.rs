//! Commands of comments. Each is carried out once.

use tlslab_forge::Pull;
use tlslab_forge::webhook::{Person, Repository};
use tlslab_queue::{Approval, Change, JobRow, QueueError, State};

use super::asked::approval_of;
use super::known::speaker;
use super::plan::{Accepted, Plan, Planner, Trouble};
use crate::commands::{Command, CompareCommand, HELP, Names, read};
use crate::message::Letter;

/// A comment.
pub(super) struct Said {
    /// On which pull request.
    pub number: u64,
    /// Its identifier.
    pub comment: u64,
    /// Its author.
    pub by: Person,
    /// When, by the clock of the code host.
    pub created_unix_s: Option<u64>,
    /// Whether this is about its change.
    pub is_edited: bool,
    /// Its text.
    pub text: String,
}

/// How the head of a pull request relates to a comment in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    /// It was pushed before the comment was written.
    Older,
    /// It was pushed after it.
    Newer,
    /// The service saw it only after the comment was written.
    Unknown,
}

impl Planner<'_> {
    pub(super) fn command(&mut self, repository: &Repository, said: &Said) -> Result<Plan, Trouble> {
        let own_name = self.asked.own_name()?;
        if said.by.is_bot || said.by.login == own_name {
            return Ok(Plan::nothing("a comment of a program"));
        }
        let Some(command) = self.addressed(&said.text, &own_name) else {
            return Ok(Plan::nothing("a comment without a command for this project"));
        };
        if !self.asked.may_write(&said.by)? {
            return Ok(Plan::nothing("a command of somebody who may not write to the repository"));
        }
        let number = said.number;
        if said.is_edited {
            let text = "A comment that was edited is not a command. Write a new one.";
            return Ok(Plan::replied(number, "an edited comment", text));
        }
        if self.known.is_carried_out(said.comment)? {
            return Ok(Plan::nothing("its command was carried out before"));
        }
        let mut plan = match command {
            Command::Compare(command) => self.compare(repository, said, &command)?,
            Command::Retry => self.retry(repository, said)?,
            Command::Cancel => self.cancel(said)?,
            Command::Accept { percent, reason } => self.accept(said, percent, &reason)?,
            Command::Status => Plan::replied(number, "status", ""),
            Command::Help => Plan::replied(number, "help", HELP),
            Command::Unknown(why) => Plan::replied(number, "not understood", format!("{why}. {HELP}")),
        };
        let forge = self.project.forge.get_ref().clone();
        let person = said.by.login.clone();
        plan.changes.insert(0, Change::CarryOut { forge, comment: said.comment, person });
        let project = self.project.name.get_ref().clone();
        plan.changes.push(Letter::Read { project, number, comment: said.comment }.sent(String::new()));
        Ok(plan)
    }

    /// The command of a comment, if it is for this project. If a repository has several projects, each runs
    /// its own comparison, and the first one answers for all.
    fn addressed(&self, text: &str, own_name: &str) -> Option<Command> {
        let stacks = self.all.iter().flat_map(|project| &project.stacks).map(String::as_str).collect();
        let projects = self.all.iter().map(|project| project.name.get_ref().as_str()).collect();
        let (command, project) = read(text, &Names { own: own_name, stacks, projects })?;
        if project.is_some_and(|project| project != *self.project.name.get_ref()) {
            return None;
        }
        match command {
            Command::Compare(command) => {
                let is_all = command.stacks.is_empty();
                let mut stacks = command.stacks.clone();
                stacks.retain(|stack| self.project.stacks.contains(stack));
                let is_own = is_all || !stacks.is_empty();
                is_own.then_some(Command::Compare(CompareCommand { stacks, ..command }))
            }
            Command::Help | Command::Unknown(_) if !self.is_first() => None,
            command => Some(command),
        }
    }

    /// A maintainer's command approves the head that was there when it was written.
    fn compare(
        &mut self,
        repository: &Repository,
        said: &Said,
        command: &CompareCommand,
    ) -> Result<Plan, Trouble> {
        let pull = self.asked.pull(said.number)?;
        if !pull.is_open {
            return Ok(self.refused(said, &pull, "The pull request is closed."));
        }
        if let Some(why) = self.elsewhere(&pull) {
            return Ok(self.refused(said, &pull, &format!("Not done: {why}.")));
        }
        let approval = match (self.head_at(said, &pull)?, approval_of(self.asked, &pull)?) {
            (Head::Newer, _) => return Ok(self.refused(said, &pull, NEWER)),
            (Head::Older, _) => Approval::Given,
            (Head::Unknown, Approval::Author) => Approval::Author,
            (Head::Unknown, _) => return Ok(self.refused(said, &pull, UNKNOWN)),
        };
        let mut subject = self.subject(said.number, &pull, Some(said.by.login.clone()))?;
        let decides = subject.baseline.clone();
        subject.aside = command.aside();
        if let Some(reference) = &command.against {
            let Some(commit) = self.asked.commit_of(reference)? else {
                let why = format!("The repository has no branch, tag or commit {reference}.");
                return Ok(self.refused(said, &pull, &why));
            };
            subject.baseline = commit;
            subject.base_branch.clone_from(reference);
        }
        let aside = subject.aside.clone();
        let cause = match &aside {
            Some(aside) => format!("asked for by {}: {aside}", said.by.login),
            None => format!("asked for by {}", said.by.login),
        };
        let (url, asked) = (&repository.clone_url, Some(said.comment.to_string()));
        let mut plan = self.new_job(url, subject, command, approval, asked, cause)?;
        plan.changes.insert(0, self.seen(said.number, &pull, decides));
        let also = |aside| (said.number, format!("It is also measured {aside}. The status does not change."));
        plan.reply = aside.map(also);
        Ok(plan)
    }

    /// Measures a failed or cancelled job again.
    fn retry(&mut self, repository: &Repository, said: &Said) -> Result<Plan, Trouble> {
        let pull = self.asked.pull(said.number)?;
        let jobs = self.of_pull(said.number, &pull.head)?;
        let row = self.known.pull(said.number)?;
        let stands = speaker(&jobs, row.as_ref().map(|row| row.baseline.as_str()));
        let has_failed = |job: &&JobRow| job.state == State::Failed || job.is_without_result();
        if pull.is_open && stands.is_some() && !stands.as_ref().is_some_and(has_failed) {
            let text = "Nothing failed: this commit has a result or is being measured. `/tlslab compare` measures it again.";
            return Ok(self.refused(said, &pull, text));
        }
        self.compare(repository, said, &CompareCommand::default())
    }

    fn cancel(&mut self, said: &Said) -> Result<Plan, Trouble> {
        let pull = self.asked.pull(said.number)?;
        if self.head_at(said, &pull)? == Head::Newer {
            return Ok(self.refused(said, &pull, NEWER));
        }
        let mut changes = self.cancelled(said.number, &format!("cancelled by {}", said.by.login));
        changes.insert(0, self.seen(said.number, &pull, String::new()));
        Ok(Plan::of(changes, "cancelled"))
    }

    /// The regression of the head is accepted up to a size.
    fn accept(&mut self, said: &Said, percent: f64, reason: &str) -> Result<Plan, Trouble> {
        let pull = self.asked.pull(said.number)?;
        match self.head_at(said, &pull)? {
            Head::Older => {}
            Head::Newer => return Ok(self.refused(said, &pull, NEWER)),
            Head::Unknown => return Ok(self.refused(said, &pull, UNKNOWN)),
        }
        let jobs = self.of_pull(said.number, &pull.head)?;
        let row = self.known.pull(said.number)?;
        let baseline = row.as_ref().map(|row| row.baseline.as_str());
        let is_measured = |job: &&JobRow| job.state == State::Reported && job.subject["is_unchanged"] != true;
        let Some(job) = speaker(&jobs, baseline).filter(is_measured) else {
            let text = "Nothing to accept: this commit has no result yet.";
            return Ok(self.refused(said, &pull, text));
        };
        let accepted = Accepted {
            number: said.number,
            commit: pull.head.clone(),
            job: job.id.clone(),
            percent,
            text: format!("{reason} (accepted by {})", said.by.login),
        };
        let again = Change::AnnounceAgain { job: job.id.clone() };
        let note = format!("accepted up to {percent} %");
        let plan = Plan::of(vec![self.seen(said.number, &pull, String::new()), again], note);
        Ok(Plan { accepted: Some(accepted), ..plan })
    }

    fn refused(&self, said: &Said, pull: &Pull, why: &str) -> Plan {
        let plan = Plan::replied(said.number, why, why);
        Plan { changes: vec![self.seen(said.number, pull, String::new())], ..plan }
    }

    /// Both times are of the code host's clock. Its description of a pull request has the time of the last
    /// change of any kind, which is not before the push of the head; the earliest such time at which the head
    /// was seen is kept.
    fn head_at(&self, said: &Said, pull: &Pull) -> Result<Head, QueueError> {
        let Some(created) = said.created_unix_s else { return Ok(Head::Unknown) };
        let known = self.known.pull(said.number)?.filter(|known| known.head == pull.head);
        let is_known = known.is_some();
        let known = known.map(|known| known.since_unix_ms / 1_000);
        let Some(since) = known.into_iter().chain(pull.updated_unix_s).min() else {
            return Ok(Head::Unknown);
        };
        Ok(match since.cmp(&created) {
            std::cmp::Ordering::Less => Head::Older,
            std::cmp::Ordering::Greater if is_known => Head::Newer,
            _ => Head::Unknown,
        })
    }
}

const NEWER: &str = "Not done: the head was pushed after this comment was written. Look at the new commit, then write the command again.";
const UNKNOWN: &str = "Not done: the service first saw this head when it read the comment, and cannot know whether it was pushed before it. \
                       Look at the commit, then write the command again.";
