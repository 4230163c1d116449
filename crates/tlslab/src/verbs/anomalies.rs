//! `tlslab anomalies`: cells of a recorded run that break an expectation.

use std::path::PathBuf;

use clap::Args;
use tlslab_anomaly::{json, markdown, terminal};
use tlslab_job::Status;
use tlslab_lab::anomalies as anomalies_of;
use tlslab_record::HistoryPolicy;
use tlslab_site::Source;

use crate::cli::{KeptArgs, ListFormat};

/// Arguments of `anomalies`.
#[derive(Args)]
pub(crate) struct AnomaliesArgs {
    /// The run or comparison; the beginning of its identifier is enough [default: the newest one].
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Show at most this many.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// A database that was packed by zstd, instead of the one with the runs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "store"])]
    pub recorded: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Prints them. Nothing is written, and anomalies are not a failure.
pub(crate) fn anomalies(args: &AnomaliesArgs, policy: HistoryPolicy) -> anyhow::Result<Status> {
    let run = args.run.as_deref();
    let all = match &args.recorded {
        Some(file) => anomalies_of(Source::recorded(file, policy.clone())?.results(), run, &policy)?,
        None => anomalies_of(&args.kept.results(), run, &policy)?,
    };
    let text = match args.format {
        ListFormat::Table => terminal(&all, args.limit),
        ListFormat::Markdown => markdown(&all, args.limit),
        ListFormat::Json => json(&all, args.limit),
    };
    out!("{text}");
    Ok(Status::Done)
}
