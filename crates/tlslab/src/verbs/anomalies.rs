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
    /// The run or comparison; the beginning of its identifier is enough [default: the newest one]. With
    /// further runs of the same work, only what all of them show.
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Show at most this many.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// A database that was packed by zstd, instead of the one with the runs; may be repeated for one with
    /// the runs of all.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "store"])]
    pub recorded: Vec<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Prints them. Nothing is written, and anomalies are not a failure.
pub(crate) fn anomalies(args: &AnomaliesArgs, policy: HistoryPolicy) -> anyhow::Result<Status> {
    let all = match &args.recorded[..] {
        [] => anomalies_of(&args.kept.results(), &args.runs, &policy)?,
        files => anomalies_of(Source::all_recorded(files, policy.clone())?.results(), &args.runs, &policy)?,
    };
    let text = match args.format {
        ListFormat::Table => terminal(&all, args.limit),
        ListFormat::Markdown => markdown(&all, args.limit),
        ListFormat::Json => json(&all, args.limit),
    };
    out!("{text}");
    Ok(Status::Done)
}
