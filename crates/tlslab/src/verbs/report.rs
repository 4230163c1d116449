//! `tlslab report`: a kept run, computed again from its samples.

use tlslab_lab::{recorded, write_files};

use crate::Ended;
use crate::cli::{Invocation, ReportArgs};
use crate::results::{ended, print_files, print_report};

/// Prints a run and writes its files again.
pub fn report(args: &ReportArgs, invocation: &Invocation) -> anyhow::Result<Ended> {
    let report = recorded(&args.kept.results(), args.run.as_deref())?;
    let files = write_files(&args.kept.out, &report)?;
    print_report(&report, args.format, invocation);
    print_files(&files);
    Ok(ended(&report))
}
