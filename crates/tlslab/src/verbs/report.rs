//! `tlslab report`: a recorded run or comparison, computed again from its samples.

use anyhow::bail;
use clap::Args;
use tlslab_comparison::{json, markdown, terminal};
use tlslab_job::{Outcome, Recorded, Status, recorded};
use tlslab_lab::{Pages, Problem, write_files};

use crate::cli::{Format, Invocation, KeptArgs};
use crate::pages::PageFiles;
use crate::results::{ended, export_line, print_report};

/// Arguments of `report`.
#[derive(Args)]
pub(crate) struct ReportArgs {
    /// The run or comparison; the beginning of its identifier is enough [default: the newest one].
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Also write the run's files again, to --out.
    #[arg(long)]
    pub files: bool,
}

/// Prints a run, and writes its files again on request. Nothing else is written.
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
    print_report(&report, &args.kept.out, args.format, invocation);
    if let Some(files) = files {
        errln!("{}", export_line(&args.kept.out, &files));
    }
    Ok(ended(&report))
}
