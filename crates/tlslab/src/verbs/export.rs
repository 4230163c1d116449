//! `tlslab export`: a recorded run in the format of another program.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use tlslab_job::Status;
use tlslab_lab::recorded_run;
use tlslab_report::{
    bencher, csv, github_action_bigger, github_action_smaller, go, holes, openmetrics, parquet, pyperf,
};

use crate::cli::{Invocation, KeptArgs};

/// Arguments of `export`.
#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The run; the beginning of its identifier is enough [default: the newest one].
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The format.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}

/// Formats of other programs.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Bencher Metric Format, JSON.
    Bencher,
    /// JSON for github-action-benchmark's customSmallerIsBetter: times, counts, memory.
    GithubActionSmaller,
    /// JSON for github-action-benchmark's customBiggerIsBetter: rates.
    GithubActionBigger,
    /// Go's benchmark text, for benchstat.
    Go,
    /// pyperf's JSON.
    Pyperf,
    /// OpenMetrics text, which Prometheus reads.
    Openmetrics,
    /// CSV: a row per cell, including cells without a value.
    Csv,
    /// Apache Parquet: the same rows and columns, with types; missing values are null.
    Parquet,
}
use tlslab_text::number::counted;

/// Prints or writes it, and reports how many cells are omitted.
pub(crate) fn export(args: &ExportArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let report = recorded_run(&args.kept.results(), args.run.as_deref())?;
    let bytes = match args.format {
        ExportFormat::Bencher => bencher(&report).into_bytes(),
        ExportFormat::GithubActionSmaller => github_action_smaller(&report).into_bytes(),
        ExportFormat::GithubActionBigger => github_action_bigger(&report).into_bytes(),
        ExportFormat::Go => go(&report).into_bytes(),
        ExportFormat::Pyperf => pyperf(&report).into_bytes(),
        ExportFormat::Openmetrics => openmetrics(&report).into_bytes(),
        ExportFormat::Csv => csv(&report).into_bytes(),
        ExportFormat::Parquet => parquet(&report)?,
    };
    match &args.to {
        Some(file) => fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))?,
        None => {
            let is_for_people = args.format != ExportFormat::Parquet || !io::stdout().is_terminal();
            ensure!(is_for_people, "Parquet is a binary format; write it to a file with --to FILE");
            print(&bytes)?;
        }
    }
    let holes = holes(&report);
    if holes > 0 && !matches!(args.format, ExportFormat::Csv | ExportFormat::Parquet) {
        let run = &report.run.id;
        let text = format!(
            "export: {} without a value omitted, as this format cannot hold them; `tlslab report {run}` gives the reasons",
            counted(holes, "cell")
        );
        errln!("{}", invocation.complete(&text));
    }
    Ok(Status::Done)
}

/// Writes to standard output. A reader that closes it early is not an error.
fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}
