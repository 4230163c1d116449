//! `tlslab import`: results of another program, kept beside the lab's own runs.

use crate::cli::ImportArgs;
use crate::results::open_store;
use tlslab_lab::Status;

/// Imports the files, and says what was kept.
pub fn import(args: &ImportArgs) -> anyhow::Result<Status> {
    let (run, figures) = tlslab_lab::import(&args.request())?;
    let mut store = open_store(&args.kept)?;
    store.import(&run, &figures)?;
    let (id, place) = (&run.id, store.place());
    outln!("{id}: {} figures of {} at {}, kept in {place}", figures.len(), run.format, run.label);
    Ok(Status::Done)
}
