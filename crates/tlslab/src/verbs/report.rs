//! `tlslab report`: a kept run, computed again from its samples.

use anyhow::Context;
use tlslab_record::RunRecord;
use tlslab_report::Report;
use tlslab_store::Store;

use crate::Ended;
use crate::cli::ReportArgs;
use crate::known_fidelity;
use crate::results::{ended, open_store, print_report, write_files};

/// Prints a run and writes its files again.
pub fn report(args: &ReportArgs) -> anyhow::Result<Ended> {
    let store = open_store(&args.kept.out)?;
    let id = match &args.run {
        Some(id) => id.clone(),
        None => {
            let newest = store.runs()?.into_iter().next();
            newest.with_context(|| format!("no runs are kept in {}", args.kept.out.display()))?.id
        }
    };
    let fidelity = known_fidelity::load(&args.kept.out)?;
    let report = Report::of(&RunRecord { fidelity, ..store.load(&id)? });
    let files = write_files(&args.kept.out, &report)?;
    print_report(&report, args.format, &files);
    Ok(ended(&report))
}
