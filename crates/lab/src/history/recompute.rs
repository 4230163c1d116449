//! Figures of recorded runs, recomputed from their samples.

use anyhow::Context;
use tlslab_estimate::Report;
use tlslab_history::figures::{Difference, differences};
use tlslab_store::{RunKind, RunSummary, Store};

use crate::calibration::between_runs::as_of_its_start;
use crate::results::run_ids::run_id;
use crate::run::figures_of;

/// The outcome for a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Recomputed {
    /// Another program measured it: it has only figures.
    Imported,
    /// Its samples were deleted; its figures stay.
    WithoutSamples,
    /// It is not complete.
    Interrupted {
        /// Whether it is a comparison.
        is_comparison: bool,
    },
    /// The database had none of its figures; this is their number.
    New(usize),
    /// All its figures are as recorded.
    Same {
        /// The number of figures.
        figures: usize,
        /// The number of samples that they were computed from.
        samples: u64,
    },
    /// Some figures differ.
    Different {
        /// The differences.
        differences: Vec<Difference>,
        /// The number of all figures.
        figures: usize,
    },
}

/// Recomputes the figures of the named runs, or of every complete one, and stores differences unless it only
/// checks.
///
/// # Errors
/// Fails if a run does not exist, or if the database cannot be read or written.
pub fn recompute(
    store: &mut dyn Store,
    runs: &[String],
    only_check: bool,
    report: &mut dyn FnMut(&str, &Recomputed),
) -> anyhow::Result<()> {
    let all = store.runs()?;
    let find = |asked: &String| {
        let id = run_id(store, asked)?;
        all.iter().find(|run| run.id == id).context("the run was deleted while it was looked for")
    };
    let wanted: Vec<&RunSummary> = match runs {
        [] => all.iter().rev().filter(|run| run.complete).collect(),
        named => named.iter().map(find).collect::<Result<_, _>>()?,
    };
    for run in wanted {
        report(&run.id, &one(store, run, only_check)?);
    }
    Ok(())
}

fn one(store: &mut dyn Store, run: &RunSummary, only_check: bool) -> anyhow::Result<Recomputed> {
    let id = &run.id;
    if run.kind == RunKind::Imported {
        return Ok(Recomputed::Imported);
    }
    if run.samples_deleted_unix_ms.is_some() {
        return Ok(Recomputed::WithoutSamples);
    }
    if !run.complete {
        return Ok(Recomputed::Interrupted { is_comparison: store.plan(id)?.comparison.is_some() });
    }
    let record = as_of_its_start(store, store.load(id)?)?;
    let computed = figures_of(&record.plan, &Report::of(&record));
    let recorded = store.figures(id)?;
    let recomputed = match differences(&recorded, &computed) {
        differing if differing.is_empty() => {
            return Ok(Recomputed::Same { figures: recorded.len(), samples: run.samples });
        }
        _ if recorded.is_empty() => Recomputed::New(computed.len()),
        differences => Recomputed::Different { differences, figures: computed.len().max(recorded.len()) },
    };
    if !only_check {
        store.put_figures(id, &computed)?;
    }
    Ok(recomputed)
}
