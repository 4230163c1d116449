//! `tlslab report`: a kept run, computed again from its samples.

use anyhow::Context;
use tlslab_record::RunRecord;
use tlslab_report::Report;
use tlslab_store::RunKind;

use crate::Ended;
use crate::cli::{KeptArgs, ReportArgs};
use crate::known_fidelity;
use crate::results::{ended, open_store, print_report, write_files};

/// Prints a run and writes its files again.
pub fn report(args: &ReportArgs) -> anyhow::Result<Ended> {
    let report = kept(&args.kept, args.run.as_deref())?;
    let files = write_files(&args.kept.out, &report)?;
    print_report(&report, args.format, &files);
    Ok(ended(&report))
}

/// A kept run, or the newest.
pub fn kept(kept: &KeptArgs, run: Option<&str>) -> anyhow::Result<Report> {
    let store = open_store(kept)?;
    let id = match run {
        Some(id) => id.to_owned(),
        None => {
            let newest = store.runs()?.into_iter().find(|run| run.kind == RunKind::Measured);
            newest.with_context(|| format!("no runs of the lab's own are kept in {}", store.place()))?.id
        }
    };
    let fidelity = known_fidelity::load(&kept.out)?;
    let record = store.load(&id)?;
    let neighbours = crate::validation::known_for(&kept.out, &record.plan)?;
    Ok(Report::of(&RunRecord { fidelity, neighbours, ..record }))
}
