//! `tlslab copy`: runs with every sample, into another database.

use std::fs;

use anyhow::Context;
use clap::Args;
use tlslab_job::Status;
use tlslab_lab::{Extent, copy as copy_runs};
use tlslab_store::Address;

use crate::cli::KeptArgs;
use crate::results::open_store;

/// Arguments of `copy`.
#[derive(Args)]
pub(crate) struct CopyArgs {
    /// The runs [default: every complete one].
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// The database to copy to: sqlite:PATH or postgres://USER@HOST/DATABASE. Runs that it already has are
    /// not changed.
    #[arg(long, value_name = "URL")]
    pub to: Address,
    /// Omit the machine's own names: absolute paths become file names, and the host has no name.
    #[arg(long)]
    pub publishable: bool,
    /// Where the runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}
use tlslab_text::number::counted;

/// Copies the runs that the other database lacks, and prints their number.
pub(crate) fn copy(args: &CopyArgs) -> anyhow::Result<Status> {
    if let Address::Sqlite(path) = &args.to
        && let Some(folder) = path.parent()
    {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut to = tlslab_store::open(&args.to)?;
    let extent = if args.publishable { Extent::Publishable } else { Extent::Everything };
    let copied = copy_runs(&*open_store(&args.kept)?, &mut *to, &args.runs, extent)?;
    outln!("{} copied to {}, {} already present", counted(copied.copied, "run"), to.place(), copied.there);
    Ok(Status::Done)
}
