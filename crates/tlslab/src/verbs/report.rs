//! `tlslab report`: a kept run, computed again from its samples.

use tlslab_lab::{Status, recorded, write_files};

use crate::cli::{Invocation, ReportArgs};
use crate::pages::PageFiles;
use crate::results::{ended, export_line, print_report};

/// Prints a run and writes its files again.
pub fn report(args: &ReportArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let report = recorded(&args.kept.results(), args.run.as_deref())?;
    let files = write_files(&args.kept.out, &report, Some(&PageFiles))?;
    print_report(&report, args.format, invocation);
    errln!("{}", export_line(&args.kept.out, &files));
    Ok(ended(&report))
}
