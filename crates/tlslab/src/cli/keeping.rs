//! Arguments of the verbs that work on what is kept.

use clap::Args;

use super::KeptArgs;

/// Arguments of `recompute`.
#[derive(Args)]
pub struct RecomputeArgs {
    /// The runs; every complete one when none is named.
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Only say what differs, with status 3 if anything does; nothing is written.
    #[arg(long)]
    pub check: bool,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}
