//! `tlslab export`: a kept run in the format of another program.

use std::fs;
use std::io::{self, IsTerminal, Write};

use anyhow::{Context, ensure};
use tlslab_lab::recorded_run;
use tlslab_report::{
    bencher, csv, github_action_bigger, github_action_smaller, go, holes, openmetrics, parquet, pyperf,
};

use crate::cli::{ExportArgs, ExportFormat, Invocation};
use tlslab_lab::Status;

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
            "export: {holes} cells have no value, for reasons that `tlslab report {run}` gives; this format has no place for them"
        );
        errln!("{}", invocation.complete(&text));
    }
    Ok(Status::Done)
}

/// To standard output. A reader that has enough of it has ended this well.
fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}
