//! Detects driver programs that change while a run is in progress: a driver runs with the user's privileges and could replace another
//! driver's program with a slower one.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tlslab_artifact::digest_of;

/// Programs that must stay as they are.
#[derive(Default)]
pub struct Programs {
    known: Mutex<HashMap<PathBuf, Known>>,
}

/// A program that was read once.
struct Known {
    digest: String,
    stamp: Option<Stamp>,
}

/// File attributes that change with the content. A program cannot set the change time (ctime).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl From<Metadata> for Stamp {
    fn from(file: Metadata) -> Self {
        let changed = (file.ctime(), file.ctime_nsec());
        Self { device: file.dev(), inode: file.ino(), bytes: file.size(), changed }
    }
}

impl Programs {
    /// Programs whose contents are known by their SHA-256, in hex. Others are taken as they are when they are first started.
    pub fn known<'p>(programs: impl IntoIterator<Item = (&'p Path, &'p str)>) -> Self {
        let known = |(path, digest): (&Path, &str)| {
            (path.to_owned(), Known { digest: digest.to_owned(), stamp: None })
        };
        Self { known: Mutex::new(programs.into_iter().map(known).collect()) }
    }

    /// Whether a program is what it was; an error says what is wrong. It is read again only if its file was touched.
    pub(crate) fn check(&self, path: &Path) -> Result<(), String> {
        let unreadable = |cause: io::Error| format!("cannot read {}: {cause}", path.display());
        let file = File::open(path).map_err(unreadable)?;
        let stamp = Stamp::from(file.metadata().map_err(unreadable)?);
        // A thread that panicked while it held the lock has left nothing half done.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(path).is_some_and(|known| known.stamp == Some(stamp)) {
            return Ok(());
        }
        let digest = digest_of(file).map_err(unreadable)?;
        match known.get(path) {
            Some(known) if known.digest != digest => {
                let shown = path.display();
                Err(format!("its program {shown} was changed while the run was under way; build it again"))
            }
            _ => {
                known.insert(path.to_owned(), Known { digest, stamp: Some(stamp) });
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_that_was_replaced_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("driver");
        fs::write(&path, "one").unwrap();
        let programs = Programs::default();
        assert_eq!(programs.check(&path), Ok(()));
        assert_eq!(programs.check(&path), Ok(()));

        // The same length, and the time of the last write set back.
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        // Older kernels tell times by ticks.
        std::thread::sleep(std::time::Duration::from_millis(30));
        fs::write(&path, "two").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
        assert!(programs.check(&path).unwrap_err().contains("was changed while the run was under way"));

        fs::write(&path, "one").unwrap();
        assert_eq!(programs.check(&path), Ok(()), "its content is what it was");
        fs::remove_file(&path).unwrap();
        assert!(programs.check(&path).unwrap_err().starts_with("cannot read "));
    }

    #[test]
    fn a_digest_that_is_known_beforehand_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("driver");
        fs::write(&path, "one").unwrap();
        let digest = digest_of(File::open(&path).unwrap()).unwrap();
        assert_eq!(Programs::known([(&*path, &*digest)]).check(&path), Ok(()));
        assert!(Programs::known([(&*path, "another")]).check(&path).is_err());
    }
}
