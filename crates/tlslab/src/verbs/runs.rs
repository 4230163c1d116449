//! `tlslab runs`: the recorded runs.

use clap::Args;
use serde_json::Value;
use tlslab_job::Status;
use tlslab_store::{Address, RunKind};
use tlslab_text::Listing;

use crate::cli::{Invocation, KeptArgs, ListFormat};
use crate::results::open_to_read;

/// Arguments of `runs`.
#[derive(Args)]
pub(crate) struct RunsArgs {
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Lists them, newest first.
pub(crate) fn runs(args: &RunsArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let place = args.kept.results().address();
    if args.format == ListFormat::Table
        && let Address::Sqlite(file) = &place
        && !file.exists()
    {
        let next = format!("no runs in {place}, which does not exist; `tlslab run` creates it");
        outln!("{}", invocation.complete(&next));
        return Ok(Status::Done);
    }
    let store = open_to_read(&args.kept)?;
    let runs = store.runs()?;
    if runs.is_empty() && args.format == ListFormat::Table {
        outln!("no runs in {}", store.place());
        return Ok(Status::Done);
    }
    // The newest interrupted run and comparison.
    let mut resumable: [Option<String>; 2] = [None, None];
    let mut listing = Listing::new(["run", "started (UTC)", "suite", "samples", "state"]);
    for run in runs {
        let started = jiff::Timestamp::from_millisecond(run.started_unix_ms as i64);
        let started = started.map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string()).ok();
        let state = match (run.kind, run.complete, run.samples_deleted_unix_ms) {
            (RunKind::Imported, ..) => "imported",
            (_, _, Some(_)) => "complete; its samples were deleted",
            _ if run.has_failed => "failed: nothing could be measured",
            (_, true, None) => "complete",
            (_, false, None) => {
                let is_comparison = store.plan(&run.id).is_ok_and(|plan| plan.comparison.is_some());
                let resume = format!("{} resumes {}", invocation.resume(&run.id, is_comparison), run.id);
                resumable[usize::from(is_comparison)].get_or_insert(resume);
                "interrupted"
            }
        };
        listing.add([
            Value::from(run.id),
            Value::from(started),
            Value::from(run.suite),
            Value::from(run.samples),
            Value::from(state),
        ]);
    }
    out!("{}", listing.text(args.format.into()));
    if args.format == ListFormat::Table {
        resumable.iter().flatten().for_each(|resume| outln!("\n{resume}"));
    }
    Ok(Status::Done)
}
