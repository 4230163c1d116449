//! Runs that a runner sends, in pieces: each job's in a file, until all of it is there.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;

/// The runs of one job.
pub const LARGEST: u64 = 1 << 30;
/// What nobody goes on with is deleted after this.
const LEFT: Duration = Duration::from_secs(6 * 3600);

/// Runs of one lease that come in.
pub struct Received {
    path: PathBuf,
}

impl Received {
    /// Those of a lease, in the service's folder. The job's identifier was checked: it is one that the queue has.
    pub fn of(folder: &Path, job: &str, token: u64) -> anyhow::Result<Self> {
        let folder = folder.join("received");
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let name: String =
            job.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
        Ok(Self { path: folder.join(format!("{name}.{token}.sqlite")) })
    }

    /// Bytes that are there.
    pub fn bytes(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |about| about.len())
    }

    /// Adds a piece, if it begins where the last one ended; bytes that are there then.
    pub fn add(&self, from: u64, piece: &[u8]) -> anyhow::Result<u64> {
        let has = self.bytes();
        if from != has {
            return Ok(has);
        }
        let failed = || format!("cannot write {}", self.path.display());
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path).with_context(failed)?;
        if let Err(cause) = file.write_all(piece) {
            // Half of a piece would be taken for a whole one.
            let _ = file.set_len(has);
            return Err(cause).with_context(failed);
        }
        Ok(self.bytes())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes it.
    pub fn remove(self) -> anyhow::Result<()> {
        match fs::remove_file(&self.path) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                Err(cause).with_context(|| format!("cannot delete {}", self.path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Deletes what nobody goes on with: what was left for long, and what belongs to a lease that is over.
pub fn remove_left(folder: &Path, is_over: impl Fn(&str, u64) -> bool) {
    let Ok(entries) = fs::read_dir(folder.join("received")) else { return };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|about| about.modified());
        let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        let name = entry.file_name().to_string_lossy().into_owned();
        let lease = name.strip_suffix(".sqlite").and_then(|name| name.rsplit_once('.'));
        let lease = lease.and_then(|(job, token)| Some((job, token.parse().ok()?)));
        if age.is_some_and(|age| age > LEFT) || lease.is_some_and(|(job, token)| is_over(job, token)) {
            // What cannot be deleted is tried again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_added_where_the_last_one_ended_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let of = || Received::of(folder.path(), "j-1", 7).unwrap();
        assert_eq!(of().bytes(), 0);
        assert_eq!(of().add(0, b"first").unwrap(), 5);
        assert_eq!(of().add(0, b"again").unwrap(), 5, "it is there already");
        assert_eq!(of().add(9, b"later").unwrap(), 5, "something is missing before it");
        assert_eq!(of().add(5, b" and second").unwrap(), 16);
        assert_eq!(fs::read(of().path()).unwrap(), b"first and second");
        assert_eq!(Received::of(folder.path(), "j-1", 8).unwrap().bytes(), 0, "another lease begins anew");
        of().remove().unwrap();
        of().remove().unwrap();
        assert_eq!(of().bytes(), 0);
    }

    #[test]
    fn what_is_left_for_long_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) =
            (Received::of(folder.path(), "a", 1).unwrap(), Received::of(folder.path(), "b", 1).unwrap());
        for received in [&old, &new] {
            received.add(0, b"x").unwrap();
        }
        let file = OpenOptions::new().append(true).open(old.path()).unwrap();
        file.set_modified(SystemTime::now() - LEFT - Duration::from_secs(9)).unwrap();
        remove_left(folder.path(), |_, _| false);
        assert_eq!((old.bytes(), new.bytes()), (0, 1));
        remove_left(folder.path(), |job, token| (job, token) == ("b", 2));
        assert_eq!(new.bytes(), 1);
        remove_left(folder.path(), |job, token| (job, token) == ("b", 1));
        assert_eq!(new.bytes(), 0);
    }
}
