//! Requests carried out with progress on standard error, until they end or Ctrl-C.

use std::sync::{Mutex, PoisonError};

use tlslab_lab::{Cancel, Environment, Error, Event, Observer, Session};

use crate::Ended;
use crate::progress::Progress;
use crate::signals::cancel_on_signals;

/// What is listed while stacks are built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CachedBuilds {
    /// What is being built.
    Hidden,
    /// That, and what is in the cache.
    Listed,
}

/// Does some work in a session of the lab.
///
/// # Errors
/// Those of the work.
pub fn in_session<T>(
    environment: &Environment,
    listing: CachedBuilds,
    work: impl FnOnce(&Session<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)?;
    let progress = Mutex::new(Progress::new(listing == CachedBuilds::Listed));
    // A poisoned lock means that a thread panicked while drawing; the rest can still be drawn.
    let lock = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let report = |event: &Event| lock().on(event);
    let done = work(&Session::new(environment, &report, &cancel));
    lock().finish();
    done
}

/// How a verb ends whose work has ended.
///
/// # Errors
/// Those of the work.
pub fn ended_by<T>(
    done: Result<T, Error>,
    when_interrupted: &str,
    print: impl FnOnce(T) -> anyhow::Result<Ended>,
) -> anyhow::Result<Ended> {
    match done {
        Ok(outcome) => print(outcome),
        Err(Error::Interrupted { .. }) => {
            errln!("{when_interrupted}");
            Ok(Ended::Interrupted)
        }
        Err(Error::Failed(cause)) => Err(cause),
    }
}
