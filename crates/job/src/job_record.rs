//! The outcome of a job, in the database.

use anyhow::Context;
use jiff::Timestamp;
use tlslab_lab::{Error, ErrorKind, Problem, Session, Start};
use tlslab_store::{OutcomeRecord, OutcomeState, OutcomeSummary, Owner};

use crate::job::FORMAT;
use crate::outcome::{Outcome, Status};
use crate::request::Request;

/// The longest title, characters.
const LONGEST_TITLE: usize = 200;

/// The outcome of this job, if it is done.
///
/// # Errors
/// Fails if another job has the identifier, or if the outcome cannot be read.
pub(crate) fn recorded(session: &Session<'_>, request: &Request) -> anyhow::Result<Option<Outcome>> {
    let id = session.conditions().id.as_str();
    let Some(store) = session.results.open_if_there()? else { return Ok(None) };
    let Some(record) = store.outcome(id)? else { return Ok(None) };
    if record.summary.state != OutcomeState::Done {
        return Ok(None);
    }
    if record.request != text_of(request)? {
        let (cause, next) = ("it was another request", "send the request under an identifier of its own");
        return Err(Problem::new(ErrorKind::Invalid, format!("job {id}"), cause, next).into());
    }
    let outcome = serde_json::from_str(&record.body)
        .with_context(|| format!("the outcome of job {id} in {} is damaged", store.place()))?;
    Ok(Some(outcome))
}

/// Records how a job ended.
///
/// # Errors
/// Fails if the database rejects it, or if the outcome is too large.
pub(crate) fn record(
    session: &Session<'_>,
    request: &Request,
    began: Timestamp,
    done: &Result<Outcome, Error>,
) -> anyhow::Result<()> {
    let id = session.conditions().id.as_str();
    let mut store = session.results.open()?;
    // A run that was resumed by name alone has the request of its plan.
    let plan = store.plan(id).ok();
    let is_run = plan.is_some();
    let planned = plan.and_then(|plan| plan.request).filter(|_| session.conditions().start == Start::Resume);
    let request_text = match planned {
        Some(planned) => planned.to_string(),
        None => text_of(request)?,
    };
    let (state, status, body) = match done {
        Ok(outcome) => (OutcomeState::Done, outcome.status(), serde_json::to_string(outcome)?),
        Err(error) => {
            let (state, status) = match error {
                Error::Interrupted { .. } => (OutcomeState::Interrupted, Status::Interrupted),
                Error::Failed(_) => (OutcomeState::Failed, Status::Failed),
            };
            (state, status, serde_json::to_string(&error.problem())?)
        }
    };
    let unix_ms = |time: Timestamp| time.as_millisecond().unsigned_abs();
    let summary = OutcomeSummary {
        id: id.to_owned(),
        kind: request.kind().to_owned(),
        run: is_run.then(|| id.to_owned()),
        title: request.title().chars().take(LONGEST_TITLE).collect(),
        trust: session.conditions().trust.name().to_owned(),
        host: Owner::this_process().host,
        began_unix_ms: unix_ms(began),
        ended_unix_ms: unix_ms(Timestamp::now()),
        state,
        status: status.exit_code().into(),
        format: FORMAT,
    };
    store.put_outcome(&OutcomeRecord { summary, request: request_text, body })?;
    Ok(())
}

fn text_of(request: &Request) -> anyhow::Result<String> {
    serde_json::to_string(request).context("the request cannot be serialised")
}
