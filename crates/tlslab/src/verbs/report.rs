//! `tlslab report`: a kept run, computed again from its samples.

use tlslab_lab::{recorded, write_files};

use crate::Ended;
use crate::cli::ReportArgs;
use crate::results::{ended, print_files, print_report};

/// Prints a run and writes its files again.
pub fn report(args: &ReportArgs) -> anyhow::Result<Ended> {
    let report = recorded(&args.kept.results(), args.run.as_deref())?;
    let files = write_files(&args.kept.out, &report)?;
    print_report(&report, args.format);
    print_files(&files);
    Ok(ended(&report))
}
