//! `tlslab copy`: runs with every sample, into another database.

use std::fs;

use anyhow::Context;
use tlslab_lab::{Extent, copy as copy_runs};
use tlslab_store::Address;

use crate::cli::CopyArgs;
use crate::results::open_store;
use tlslab_lab::Status;

/// Copies what the other database does not have, and says how much that was.
pub(crate) fn copy(args: &CopyArgs) -> anyhow::Result<Status> {
    if let Address::Sqlite(path) = &args.to
        && let Some(folder) = path.parent()
    {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut to = tlslab_store::open(&args.to)?;
    let extent = if args.publishable { Extent::Publishable } else { Extent::Everything };
    let copied = copy_runs(&*open_store(&args.kept)?, &mut *to, &args.runs, extent)?;
    outln!("{} runs copied to {}, {} were already present", copied.copied, to.place(), copied.there);
    Ok(Status::Done)
}
