//! `tlslab report`: a recorded run or comparison, computed again from its samples.

use anyhow::bail;
use tlslab_comparison::{json, markdown, terminal};
use tlslab_lab::{Outcome, Pages, Problem, Recorded, Status, recorded, write_files};

use crate::cli::{Format, Invocation, ReportArgs};
use crate::pages::PageFiles;
use crate::results::{ended, export_line, print_report};

/// Prints a run, and writes its files again if that is asked for. Nothing else is written.
pub(crate) fn report(args: &ReportArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let report = match recorded(&args.kept.results(), args.run.as_deref())? {
        Recorded::Run(report) => report,
        Recorded::Comparison(comparison) => {
            let text = match args.format {
                Format::Table => invocation.complete(&terminal(&comparison, false)),
                Format::Markdown => markdown(&comparison),
                Format::Json => json(&comparison),
                Format::Html => PageFiles.comparison(&comparison, &[]),
                Format::Csv => bail!(Problem::invalid(
                    "format",
                    "csv",
                    "a comparison has no such table",
                    "use table, markdown, json or html; `tlslab export --format csv` prints every cell of its run"
                )),
            };
            out!("{text}");
            return Ok(Outcome::Comparison(comparison).status());
        }
    };
    let files = match args.files {
        true => Some(write_files(&args.kept.out, &report, Some(&PageFiles))?),
        false => None,
    };
    print_report(&report, args.format, invocation);
    if let Some(files) = files {
        errln!("{}", export_line(&args.kept.out, &files));
    }
    Ok(ended(&report))
}
