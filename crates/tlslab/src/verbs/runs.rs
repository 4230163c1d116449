//! `tlslab runs`: the runs that are kept.

use comfy_table::{Table, presets};

use tlslab_store::RunKind;

use crate::Ended;
use crate::cli::KeptArgs;
use crate::results::open_store;

/// Lists them, newest first.
pub fn runs(args: &KeptArgs) -> anyhow::Result<Ended> {
    let store = open_store(args)?;
    let runs = store.runs()?;
    if runs.is_empty() {
        println!("no runs are kept in {}", store.place());
        return Ok(Ended::Well);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["run", "started (UTC)", "suite", "samples", "state"]);
    for run in runs {
        let started = jiff::Timestamp::from_millisecond(run.started_unix_ms as i64)
            .map_or_else(|_| "?".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string());
        let state = match (run.kind, run.complete, run.let_go_unix_ms) {
            (RunKind::Imported, ..) => "imported",
            (_, _, Some(_)) => "complete; its samples were let go",
            (_, true, None) => "complete",
            (_, false, None) => "interrupted; `tlslab run --resume` goes on",
        };
        table.add_row([run.id, started, run.suite, run.samples.to_string(), state.to_owned()]);
    }
    println!("{table}");
    Ok(Ended::Well)
}
