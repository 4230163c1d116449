//! Jobs: a typed [`Request`] in, [`Event`]s while it is carried out, and an [`Outcome`]; all of it plain
//! data.
//!
//! [`run`] carries out a request in another program. The example `embed.rs` compares two stacks with it:
//!
//! ```no_run
#![doc = include_str!("../examples/embed.rs")]
//! ```

mod as_of;
mod carry_out;
mod job;
mod job_record;
mod outcome;
mod places;
mod recorded_runs;
mod request;
pub mod schema;
mod schema_reference;
mod sources;
mod work;

use std::sync::{Mutex, PoisonError};

use tlslab_lab::{Cancel, Conditions, Environment, Error, Event, Observer, Results, Session};

pub use as_of::take_dependencies_as_of;
pub use carry_out::carry_out;
pub use job::{FORMAT, Job, LONGEST_JOB};
pub use outcome::{Outcome, Status};
pub use recorded_runs::{Recorded, recorded};
pub use request::Request;
pub use sources::admit;
pub use work::{Ending, EventLine, LastEvent};

/// Carries out a request.
///
/// The observer receives every event; the work waits meanwhile. When `cancel` is set, the work stops at its
/// next step, its processes end, and its measurements are recorded: a job of the same identifier resumes.
///
/// # Errors
/// Returns [`Error::Interrupted`] if it was cancelled, else [`Error::Failed`] with the thing, the cause and
/// the next step.
pub fn run(
    request: &Request,
    environment: &Environment,
    results: &Results,
    conditions: &Conditions,
    observer: &mut impl Observer,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let observer = Mutex::new(observer);
    // A poisoned lock means that the observer panicked in another thread; this event can still be delivered.
    let report = |event: &Event| observer.lock().unwrap_or_else(PoisonError::into_inner).on(event);
    carry_out(&Session::new(environment, results, conditions, &report, cancel), request)
}
