//! The invariants, in terms of the code host.

use tlslab_queue::{Approval, Filter, JobRow, Phase, State};

use super::host::{Host, Pull, Quality, Source};
use super::steps::Words;
use super::world::{Done, World};
use crate::new_jobs::pull_group;
use crate::planning::{CLOSED, speaker};
use crate::subject::Subject;

impl World {
    /// The code of a running job was written by a writer, or was approved by one.
    pub(super) fn may_be_built(&self, job: &JobRow) -> Done {
        let Some(Subject::Pull(subject)) = Subject::of(job) else { return Ok(()) };
        let host = self.host.lock().unwrap();
        let pull = &host.pulls[&subject.number];
        let is_own = pull.source != Source::Fork && host.writers.contains(&pull.author);
        match is_own || is_approved(&host, subject.number, pull, &subject.commit) {
            true => Ok(()),
            false => Err(format!("{} is built, and nobody approved commit {}", job.id, subject.commit)),
        }
    }

    /// After each step.
    pub(super) fn check(&self) -> Done {
        let mut host = self.host.lock().unwrap();
        if let Some(fault) = host.faults.pop() {
            return Err(fault);
        }
        let host = &*host;
        let is_idle = self.is_idle();
        let heads = host.pulls.values().flat_map(|pull| pull.pushes.iter().map(|(_, head)| head));
        let mut heads: Vec<&String> = heads.chain(host.queue.values()).collect();
        heads.sort_unstable();
        heads.dedup();
        for head in heads.into_iter().filter(|head| host.is_satisfied(head)) {
            let passes = |quality| match quality {
                Quality::Passes => true,
                Quality::Regresses => is_accepted(host, head),
                Quality::DoesNotBuild => false,
            };
            let measured = self.measured.iter().filter(|measured| measured.head == *head);
            let newest = measured.clone().max_by_key(|measured| measured.key);
            if !measured.clone().any(|measured| passes(measured.quality)) {
                return Err(format!(
                    "the required check of {head} is satisfied, and it was not measured or does not pass"
                ));
            }
            if !is_idle {
                continue;
            }
            if !newest.is_some_and(|newest| passes(newest.quality)) {
                return Err(format!("the required check of {head} is satisfied by an older measurement"));
            }
            let open =
                self.of_head(head).into_iter().find(|job| !job.state.is_ended() && job.cancel.is_none());
            if let Some(open) = open {
                return Err(format!("the required check of {head} is satisfied while {} is open", open.id));
            }
        }
        Ok(())
    }

    fn of_head(&self, head: &str) -> Vec<JobRow> {
        let filter =
            Filter { project: Some("p".to_owned()), head: Some(head.to_owned()), ..Filter::default() };
        self.service.queue(|queue| queue.list(&filter)).unwrap()
    }

    /// The invariants when all faults have passed.
    pub(super) fn final_check(&self) -> Done {
        if !self.is_idle() {
            let waits = self.service.queue(|queue| {
                let (deliveries, messages) = (queue.unhandled(5)?, queue.claim_message()?);
                Ok((
                    queue.undelivered()?,
                    deliveries,
                    queue.messages_waiting()?,
                    messages,
                    queue.unannounced(5)?,
                ))
            });
            return Err(format!("something waits for ever within the service: {waits:?}"));
        }
        for job in self.jobs() {
            let steps = self.service.queue(|queue| queue.transitions(&job.id)).unwrap();
            let ends = steps.iter().filter(|step| step.to.is_ended()).count();
            let is_open = job.state == State::WaitingForApproval;
            if ends != usize::from(!is_open) {
                return Err(format!("{} is {} after {ends} ends", job.id, job.state));
            }
        }
        let open = Filter { phase: Phase::Open, ..Filter::default() };
        let open = self.service.queue(|queue| queue.list(&open)).unwrap();
        if let Some(job) = open.iter().find(|job| job.approval != Approval::Awaited) {
            return Err(format!("{} waits for ever: {}", job.id, job.state));
        }
        let host = self.host.lock().unwrap();
        if self.of_main(&host).is_none() {
            return Err("the newest commit of the branch was not measured".to_owned());
        }
        for (number, pull) in host.pulls.iter().filter(|(_, pull)| pull.is_open && !pull.is_draft) {
            self.ended_well(&host, *number, pull)?;
        }
        Ok(())
    }

    fn of_main(&self, host: &Host) -> Option<JobRow> {
        let newest = host.main.last();
        let is_it = |job: &JobRow| match Subject::of(job) {
            Some(Subject::Push(push)) => Some(&push.commit) == newest,
            _ => false,
        };
        self.jobs().into_iter().find(is_it)
    }

    /// An open pull request has a result of its head, or waits for somebody; check and comment agree.
    fn ended_well(&self, host: &Host, number: u64, pull: &Pull) -> Done {
        let (head, group) = (pull.head(), pull_group("p", number));
        let mut jobs = self.of_head(head);
        let row = self.service.queue(|queue| queue.pulls("p", Some(number))).unwrap().pop();
        let baseline = row.as_ref().map(|row| row.baseline.clone());
        let speaks = speaker(&jobs, baseline.as_deref()).cloned();
        jobs.retain(|job| job.supersedes.as_ref() == Some(&group));
        let job = speaker(&jobs, baseline.as_deref())
            .ok_or(format!("pull request {number} has no job for its head {head}"))?;
        let is_lost = job.state == State::Superseded || job.state == State::Cancelled && job.reason == CLOSED;
        if is_lost {
            return Err(format!("pull request {number}, head {head}: {} is {}", job.id, job.state));
        }
        let may_wait = pull.source == Source::Fork || host.lacked.contains(&pull.author);
        if job.state == State::WaitingForApproval && !may_wait {
            return Err(format!("{} waits for an approval that nobody has to give", job.id));
        }
        let check = host.check(head).ok_or(format!("pull request {number}: no status at its head {head}"))?;
        // Another pull request may have the same head.
        let state = speaks.map_or(job.state, |speaks| speaks.state);
        let passes = state == State::Reported
            && match super::host::quality(head) {
                Quality::Passes => true,
                Quality::Regresses => self.service_accepts(head),
                Quality::DoesNotBuild => false,
            };
        if host.is_satisfied(head) != passes {
            return Err(format!(
                "pull request {number}, head {head}: {} is {state}, and its check is {check:?}",
                job.id
            ));
        }
        let own =
            host.comments.iter().filter(|comment| comment.pull == number && comment.by == super::host::BOT);
        let own: Vec<_> = own.collect();
        let [comment] = own[..] else {
            return Err(format!("pull request {number} has {} comments", own.len()));
        };
        match comment.body.contains(&format!("{} · [job]", &head[..8])) {
            true => Ok(()),
            false => Err(format!(
                "the comment of pull request {number} does not speak of its head {head}: {}",
                comment.body
            )),
        }
    }

    /// Whether somebody's command to accept any regression of the head was carried out.
    fn service_accepts(&self, head: &str) -> bool {
        let store = tlslab_store::open_existing(self.service.pool.address()).unwrap();
        let known = tlslab_lab::acknowledged(&*store).unwrap();
        known.iter().any(|known| known.label == head && known.up_to > 1.1)
    }
}

/// Whether a writer approved the commit: by a review of it, or by a command on the pull request while that
/// commit was its head.
fn is_approved(host: &Host, number: u64, pull: &Pull, commit: &str) -> bool {
    let by_review =
        pull.reviews.iter().any(|review| review.is_approval && review.commit == commit && review.of_writer);
    let by_command = host.comments.iter().any(|comment| {
        comment.pull == number
            && comment.of_writer
            && [Words::Compare, Words::Retry, Words::Aside].iter().any(|words| comment.body == words.text())
            && !comment.was_edited
            && pull.pushes.iter().any(|(at, pushed)| pushed == commit && *at < comment.created_ms)
    });
    by_review || by_command
}

/// Whether a writer accepted a regression of any size of this head.
fn is_accepted(host: &Host, head: &str) -> bool {
    let of_head = |number: u64, at: u64| {
        let pushes = &host.pulls[&number].pushes;
        pushes.iter().any(|(pushed_at, pushed)| pushed == head && *pushed_at < at)
    };
    host.comments.iter().any(|comment| {
        comment.of_writer
            && comment.body == Words::AcceptAll.text()
            && of_head(comment.pull, comment.created_ms)
    })
}
