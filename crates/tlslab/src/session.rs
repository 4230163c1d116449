//! Requests carried out with progress on standard error, until they end or Ctrl-C.

use std::sync::{Mutex, PoisonError};

use tlslab_job::{Outcome, Request, Status, carry_out};
use tlslab_lab::{
    Cancel, Conditions, Environment, Error, Event, Isolation, JobId, Observer, Problem, Results, Session,
    Start, newest_interrupted, run_id,
};

use tlslab_store::OutcomeState;

use crate::progress::Progress;
use crate::signals::cancel_on_signals;

/// The lab's files, and which code runs in a sandbox.
pub(crate) struct Lab {
    /// The lab's files, the user's own, and the cache.
    pub environment: Environment,
    /// Which code runs in a sandbox.
    pub isolation: Isolation,
}

impl Lab {
    /// The conditions of a new job.
    pub(crate) fn new_job(&self) -> Conditions {
        let command = std::env::args().collect();
        Conditions { isolation: self.isolation.clone(), command, ..Conditions::own() }
    }

    /// The conditions of a job that the same command resumes until it is done. Its identifier is derived from
    /// the request and from how often it has been done.
    ///
    /// # Errors
    /// Fails if the database cannot be opened.
    pub(crate) fn job_of(&self, request: &Request, results: &Results) -> anyhow::Result<Conditions> {
        let store = results.open_if_there()?;
        let mut number = 0_u32;
        loop {
            let id = JobId::of(request.kind(), &(request, number));
            let outcome = store.as_ref().map(|store| store.outcome(id.as_str())).transpose()?.flatten();
            if outcome.is_none_or(|outcome| outcome.summary.state != OutcomeState::Done) {
                return Ok(Conditions { id, start: Start::Either, ..self.new_job() });
            }
            number += 1;
        }
    }

    /// The conditions of a new run, or of the one that is resumed: `Some("")` is the newest.
    ///
    /// # Errors
    /// Fails if there is nothing to resume, or if the name is invalid.
    pub(crate) fn new_or_resumed(
        &self,
        resume: Option<&str>,
        results: &Results,
        is_comparison: bool,
    ) -> anyhow::Result<Conditions> {
        let id = match resume {
            None => return Ok(self.new_job()),
            Some("") => newest_interrupted(results, is_comparison)?,
            Some(named) => named.to_owned(),
        };
        let id = run_id(&*results.open_to_read()?, &id)?;
        let id = id.parse().map_err(|cause: String| Problem::invalid("resume", &id, cause, "name a run"))?;
        Ok(Conditions { id, start: Start::Resume, ..self.new_job() })
    }
}

/// Which products are listed while stacks are built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CachedBuilds {
    /// Products that are being built.
    Hidden,
    /// Those, and products in the cache.
    Listed,
}

/// Does some work in a session of the lab.
///
/// # Errors
/// Returns the errors of the work.
pub(crate) fn in_session<T>(
    lab: &Lab,
    results: &Results,
    conditions: &Conditions,
    listing: CachedBuilds,
    work: impl FnOnce(&Session<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)?;
    let progress = Mutex::new(Progress::new(listing == CachedBuilds::Listed, results.out.clone()));
    // A poisoned lock means that a thread panicked while drawing; the rest can still be drawn.
    let lock = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let report = |event: &Event| lock().on(event);
    let done = work(&Session::new(&lab.environment, results, conditions, &report, &cancel));
    lock().finish();
    done
}

/// Carries out a request in a session of the lab; its outcome is recorded.
///
/// # Errors
/// Returns the errors of the request.
pub(crate) fn carried_out(
    lab: &Lab,
    results: &Results,
    conditions: &Conditions,
    request: &Request,
) -> Result<Outcome, Error> {
    in_session(lab, results, conditions, CachedBuilds::Hidden, |session| carry_out(session, request))
}

/// Prints the outcome of a verb's work and returns its exit status.
///
/// # Errors
/// Returns the errors of the work.
pub(crate) fn exit_status<T>(
    done: Result<T, Error>,
    when_interrupted: &str,
    print: impl FnOnce(T) -> anyhow::Result<Status>,
) -> anyhow::Result<Status> {
    match done {
        Ok(outcome) => print(outcome),
        Err(Error::Interrupted { .. }) => {
            errln!("{when_interrupted}");
            Ok(Status::Interrupted)
        }
        Err(Error::Failed(cause)) => Err(cause),
    }
}
