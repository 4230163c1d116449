//! `tlslab recompute`: the figures of kept runs, computed from their samples again.

use tlslab_figures::differences;
use tlslab_lab::figures_of;
use tlslab_record::RunRecord;
use tlslab_report::Report;
use tlslab_store::{RunKind, RunSummary, Store};

use crate::Ended;
use crate::cli::RecomputeArgs;
use crate::results::open_store;

/// How many differences of a run are reported one by one.
const MOST_SHOWN: usize = 20;

/// Computes, says what differs, and keeps what was computed.
pub fn recompute(args: &RecomputeArgs) -> anyhow::Result<Ended> {
    let mut store = open_store(&args.kept)?;
    let all = store.runs()?;
    let wanted: Vec<RunSummary> = if args.runs.is_empty() {
        all.into_iter().rev().filter(|run| run.complete).collect()
    } else {
        let find = |id: &String| {
            let found = all.iter().find(|run| run.id == *id).cloned();
            found.ok_or_else(|| {
                anyhow::anyhow!("there is no run {id} in {}; `tlslab runs` lists them", store.place())
            })
        };
        args.runs.iter().map(find).collect::<Result<_, _>>()?
    };
    let mut differ = false;
    for run in wanted {
        differ |= one(&mut *store, &run, args.check)?;
    }
    Ok(if differ && args.check { Ended::WithFailures } else { Ended::Well })
}

/// Whether anything of a run differs.
fn one(store: &mut dyn Store, run: &RunSummary, check: bool) -> anyhow::Result<bool> {
    let id = &run.id;
    if run.kind == RunKind::Imported {
        outln!("{id}: imported; its figures are stored as they were imported");
        return Ok(false);
    }
    if run.samples_deleted_unix_ms.is_some() {
        outln!("{id}: its samples were deleted; its figures stay as they are");
        return Ok(false);
    }
    if !run.complete {
        outln!("{id}: interrupted; it has figures when `tlslab run --resume {id}` has ended");
        return Ok(false);
    }
    let record: RunRecord = store.load(id)?;
    let computed = figures_of(&record.plan, &Report::of(&record));
    let kept = store.figures(id)?;
    if kept.is_empty() && !computed.is_empty() {
        outln!("{id}: {} figures, not stored before", computed.len());
    } else {
        let found = differences(&kept, &computed);
        if found.is_empty() {
            outln!("{id}: {} figures from {} samples, all equal to the stored ones", kept.len(), run.samples);
            return Ok(false);
        }
        outln!("{id}: {} of {} figures differ", found.len(), computed.len().max(kept.len()));
        for one in found.iter().take(MOST_SHOWN) {
            let described = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
            outln!(
                "  {}\n    stored:   {}\n    computed: {}",
                one.what,
                described(&one.kept),
                described(&one.computed)
            );
        }
        if found.len() > MOST_SHOWN {
            outln!("  and {} more", found.len() - MOST_SHOWN);
        }
    }
    if !check {
        store.put_figures(id, &computed)?;
    }
    Ok(true)
}
