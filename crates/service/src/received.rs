//! Runs that runners have sent, on their way from the queue's pieces to the history.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anyhow::Context;
use tlslab_queue::Hold;
use tlslab_store::{Address, open, open_existing};

use crate::service::Service;

/// Where runs are put together, in the service's folder.
fn place(folder: &Path) -> PathBuf {
    folder.join("received")
}

/// Removes what a service that was killed has left in its folder.
pub(crate) fn clear(folder: &Path) -> anyhow::Result<()> {
    let place = place(folder);
    match fs::remove_dir_all(&place) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => {
            Err(cause).with_context(|| format!("cannot remove {}", place.display()))
        }
        _ => Ok(()),
    }
}

/// Assembles the pieces and copies the runs. A damaged file is sent again from its beginning.
pub(crate) fn keep(service: &Service, hold: &Hold) -> anyhow::Result<()> {
    let _alone = service.copying.lock().unwrap_or_else(PoisonError::into_inner);
    if service.queue(|queue| queue.received(hold))? == 0 && is_kept(service, &hold.job) {
        // A runner that did not wait for the answer sent the last piece again.
        return Ok(());
    }
    let place = place(&service.config.folder);
    fs::create_dir_all(&place).with_context(|| format!("cannot make the folder {}", place.display()))?;
    let folder = tempfile::tempdir_in(place)?;
    let path = folder.path().join("runs.sqlite");
    let mut file = File::create(&path)?;
    let mut from = 0;
    while let Some(piece) = service.queue(|queue| queue.piece(hold, from))? {
        file.write_all(&piece)?;
        from += piece.len() as u64;
    }
    drop(file);
    let copied = copy_runs(service, &hold.job, &path);
    service.queue(|queue| queue.remove_pieces(hold))?;
    copied
}

/// Whether the job's run is in the history as a whole.
pub(crate) fn is_kept(service: &Service, job: &str) -> bool {
    let store = open_existing(service.pool.address());
    store.and_then(|store| store.load(job)).is_ok_and(|run| run.complete)
}

/// Copies the job's run into the store. An existing run does not change.
fn copy_runs(service: &Service, job: &str, file: &Path) -> anyhow::Result<()> {
    let from = open_existing(&Address::Sqlite(file.to_owned()))?;
    let mut to = open(service.pool.address())?;
    tlslab_lab::copy(&*from, &mut *to, &[job.to_owned()], tlslab_lab::Extent::Everything)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_service_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        clear(folder.path()).unwrap();
        let left = place(folder.path()).join("a");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("runs.sqlite-wal"), "half of it").unwrap();
        fs::write(folder.path().join("token"), "kept").unwrap();
        clear(folder.path()).unwrap();
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["token"]);
    }
}
