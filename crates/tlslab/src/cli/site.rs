//! Arguments of `site`.

use std::path::PathBuf;

use clap::Args;

use super::KeptArgs;

/// Arguments of `site`.
#[derive(Args)]
pub struct SiteArgs {
    /// The folder of the site: new, empty, or one that this command has written.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The address at which the site will be, with a slash at its end; the feed names it [default: links are relative].
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    pub base: String,
    /// A database that was packed by zstd, instead of the one with the runs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "store"])]
    pub recorded: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}
