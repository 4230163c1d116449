//! From a request to its outcome, for all kinds.

use tlslab_lab::host::doctor;
use tlslab_lab::stacks::build;
use tlslab_lab::{Error, ErrorKind, Session, Start, backfill, bisect, compare, fidelity, functions, run};

use crate::job_record;
use crate::outcome::Outcome;
use crate::places;
use crate::request::Request;
use crate::sources::admit;

/// Carries out a request in a session, and records the outcome under the job's identifier. A completed job
/// returns its recorded outcome; it is not carried out again.
///
/// # Errors
/// Returns [`Error::Interrupted`] if it was cancelled, else [`Error::Failed`] with the thing, the cause and
/// the next step.
pub fn carry_out(session: &Session<'_>, request: &Request) -> Result<Outcome, Error> {
    tlslab_measure::remove_leftovers(&session.environment().cache);
    let admitted = admit(request, session.conditions().trust, &session.environment().uploads())?;
    if session.conditions().start == Start::Either
        && let Some(outcome) = job_record::recorded(session, request)?
    {
        return Ok(outcome);
    }
    if session.conditions().start != Start::Resume {
        session.reporter().finished(None, places::check(&session.workshop, &admitted))?;
    }
    let began = jiff::Timestamp::now();
    let done = by_kind(session, &admitted);
    let is_wrong = done
        .as_ref()
        .err()
        .is_some_and(|error| matches!(error.problem().kind, ErrorKind::Invalid | ErrorKind::NotFound));
    if is_wrong && session.results.open_if_there()?.is_none() {
        // An invalid request creates no database.
        return done;
    }
    if let Err(why) = job_record::record(session, request, began, &done) {
        session
            .reporter()
            .warn(format!("the outcome of job {} is not in the database: {why:#}", session.conditions().id));
    }
    done
}

fn by_kind(session: &Session<'_>, request: &Request) -> Result<Outcome, Error> {
    Ok(match request {
        Request::Run(request) => Outcome::Run(Box::new(run::run(session, request)?)),
        Request::Count(request) => {
            Outcome::Run(Box::new(run::run(session, &request.as_ref().clone().into())?))
        }
        Request::Compare(request) => Outcome::Comparison(Box::new(compare::compare(session, request)?)),
        Request::CompareRuns(request) => {
            Outcome::Comparison(Box::new(compare::compare_runs(session, request)?))
        }
        Request::CompareFolders(request) => Outcome::Folders(compare::compare_folders(session, request)?),
        Request::Profile(request) => {
            Outcome::Functions(Box::new(functions::profile(&session.workshop, request)?))
        }
        Request::Diff(request) => Outcome::Functions(Box::new(functions::diff(&session.workshop, request)?)),
        Request::Fidelity(request) => Outcome::Fidelity(Box::new(fidelity::fidelity(session, request)?)),
        Request::Bisect(request) => Outcome::Bisection(Box::new(bisect::bisect(session, request)?)),
        Request::Reproduce(request) => {
            Outcome::Document(Box::new(tlslab_documents::reproduce(session, request)?))
        }
        Request::Validate(request) => {
            Outcome::Validation(Box::new(tlslab_validation::validate(session, request)?))
        }
        Request::Neighbours(request) => Outcome::Neighbours(tlslab_validation::neighbours(session, request)?),
        Request::Doctor(request) => Outcome::Diagnosis(doctor::doctor(session, request)?),
        Request::Backfill(request) => Outcome::Backfilled(backfill::backfill(session, request)?),
        Request::Build(request) => Outcome::Builds(build::build_and_note(session, request)?),
    })
}
