//! Runs in a database.

use anyhow::Context;
use tlslab_comparison::{Comparison, judge};
use tlslab_estimate::Report;
use tlslab_lab::{Results, recorded_id, report_of};
use tlslab_store::{OutcomeState, Store};

use crate::outcome::Outcome;

/// The content of a recorded run.
pub enum Recorded {
    /// A run of stacks.
    Run(Box<Report>),
    /// A comparison, and the same run with every cell.
    Comparison(Box<Comparison>),
}

/// A recorded run or comparison, or the newest one. The database is only read.
///
/// # Errors
/// Fails if the run does not exist.
pub fn recorded(results: &Results, run: Option<&str>) -> anyhow::Result<Recorded> {
    let store = &*results.open_to_read()?;
    let id = recorded_id(store, run)?;
    if store.plan(&id)?.comparison.is_none() {
        return Ok(Recorded::Run(Box::new(report_of(results, store, store.load(&id)?)?)));
    }
    if let Some(comparison) = outcome(store, &id)? {
        return Ok(Recorded::Comparison(comparison));
    }
    let judged = judge(&store.load(&id)?).context("the run is not a comparison")?;
    Ok(Recorded::Comparison(Box::new(judged)))
}

/// The comparison at its end, which names the functions behind changes; `None` if its job did not end, or is
/// of another version of the lab.
fn outcome(store: &dyn Store, run: &str) -> anyhow::Result<Option<Box<Comparison>>> {
    let outcome = store.outcome_of_run(run)?.filter(|outcome| outcome.summary.state == OutcomeState::Done);
    Ok(outcome.and_then(|outcome| match serde_json::from_str(&outcome.body) {
        Ok(Outcome::Comparison(comparison)) => Some(comparison),
        _ => None,
    }))
}
