//! The way from a request to its outcome, whatever its kind.

use crate::error::Error;
use crate::outcome::Outcome;
use crate::request::Request;
use crate::session::Session;
use crate::sources::admit;
use crate::{backfill, bisect, build, compare, doctor, fidelity, functions, reproduce, run, validate};

/// Carries out a request in a session.
///
/// # Errors
/// [`Error::Interrupted`] if it was cancelled; [`Error::Failed`] with the thing, the cause and the next step.
pub fn carry_out(session: &Session<'_>, request: &Request) -> Result<Outcome, Error> {
    let uploads = session.environment.uploads();
    let request = &admit(request, session.conditions.trust, &uploads)?;
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
        Request::Profile(request) => Outcome::Functions(Box::new(functions::profile(session, request)?)),
        Request::Diff(request) => Outcome::Functions(Box::new(functions::diff(session, request)?)),
        Request::Fidelity(request) => Outcome::Fidelity(Box::new(fidelity::fidelity(session, request)?)),
        Request::Bisect(request) => Outcome::Bisection(Box::new(bisect::bisect(session, request)?)),
        Request::Reproduce(request) => Outcome::Document(Box::new(reproduce::reproduce(session, request)?)),
        Request::Validate(request) => Outcome::Validation(validate::validate(session, request)?),
        Request::Neighbours(request) => Outcome::Neighbours(validate::neighbours(session, request)?),
        Request::Doctor(request) => Outcome::Diagnosis(doctor::doctor(session, request)?),
        Request::Backfill(request) => Outcome::Backfilled(backfill::backfill(session, request)?),
        Request::Build(request) => Outcome::Builds(build::build(session, request)?),
    })
}
