//! Runs in a database.

use tlslab_estimate::Report;
use tlslab_store::{RunKind, Store, StoreError};

use super::execute::report_of;
use crate::results::Results;
use crate::results::run_ids::{newest_run, run_id};

/// A recorded run, or the newest one; for a comparison every cell, as for any run. The database is only read.
///
/// # Errors
/// Fails if the run does not exist.
pub fn recorded_run(results: &Results, run: Option<&str>) -> anyhow::Result<Report> {
    let store = &*results.open_to_read()?;
    report_of(results, store, store.load(&recorded_id(store, run)?)?)
}

/// The identifier of the requested run, or of the newest one.
///
/// # Errors
/// Fails if the run does not exist, or if it was imported.
pub fn recorded_id(store: &dyn Store, run: Option<&str>) -> anyhow::Result<String> {
    let Some(asked) = run else { return Ok(newest_run(store)?.id) };
    let id = run_id(store, asked)?;
    match store.runs()?.iter().any(|run| run.id == id && run.kind == RunKind::Imported) {
        true => Err(StoreError::Imported { id }.into()),
        false => Ok(id),
    }
}
