//! Arguments of `anomalies`.

use std::path::PathBuf;

use clap::Args;

use super::{KeptArgs, ListFormat};

/// Arguments of `anomalies`.
#[derive(Args)]
pub struct AnomaliesArgs {
    /// The run or comparison; the beginning of its identifier is enough [default: the newest one].
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Show at most so many.
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
