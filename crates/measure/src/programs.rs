//! Detects files of drivers that change during a run: a driver that runs with the user's privileges could
//! replace another driver's program, or a script or library next to it, with a slower one.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tlslab_artifact::{digest, digest_of, files};

/// Programs that must not change, with all files next to them.
#[derive(Default)]
pub struct Programs {
    known: Mutex<HashMap<PathBuf, Known>>,
    /// The contents of each program's folder when a program there was first started.
    folders: Mutex<HashMap<PathBuf, BTreeMap<PathBuf, Known>>>,
}

/// A file that was read once.
struct Known {
    digest: String,
    stamp: Option<Stamp>,
}

/// File attributes that change with the content. A program cannot set the change time (ctime).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl From<&Metadata> for Stamp {
    fn from(file: &Metadata) -> Self {
        let changed = (file.ctime(), file.ctime_nsec());
        Self { device: file.dev(), inode: file.ino(), bytes: file.size(), changed }
    }
}

impl Programs {
    /// Programs whose contents are known by their SHA-256, in hex. Others are recorded when they are first
    /// started.
    pub fn known<'p>(programs: impl IntoIterator<Item = (&'p Path, &'p str)>) -> Self {
        let known = |(path, digest): (&Path, &str)| {
            (path.to_owned(), Known { digest: digest.to_owned(), stamp: None })
        };
        Self { known: Mutex::new(programs.into_iter().map(known).collect()), ..Self::default() }
    }

    /// Fails if a program has changed, or a file next to it if it is a product. A file is read again only if
    /// it was touched.
    pub(crate) fn check(&self, path: &Path, is_product: bool) -> Result<(), String> {
        self.check_program(path)?;
        if is_product { self.check_beside(path) } else { Ok(()) }
    }

    fn check_program(&self, path: &Path) -> Result<(), String> {
        let unreadable = |cause: io::Error| format!("cannot read {}: {cause}", path.display());
        let file = File::open(path).map_err(unreadable)?;
        let stamp = Stamp::from(&file.metadata().map_err(unreadable)?);
        // A thread that panicked while it held the lock has left no partial change.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(path).is_some_and(|known| known.stamp == Some(stamp)) {
            return Ok(());
        }
        let digest = digest_of(file).map_err(unreadable)?;
        match known.get(path) {
            Some(known) if known.digest != digest => Err(changed("program", path)),
            _ => {
                known.insert(path.to_owned(), Known { digest, stamp: Some(stamp) });
                Ok(())
            }
        }
    }

    /// Compares the contents of the program's folder with those when a program of it was first started.
    fn check_beside(&self, program: &Path) -> Result<(), String> {
        let Some(folder) = program.parent() else { return Ok(()) };
        let unreadable = |cause: io::Error| format!("cannot read {}: {cause}", folder.display());
        let found = files(folder, &|_| true).map_err(unreadable)?;
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !folders.contains_key(folder);
        // One record for all programs of a folder: with a hundred layouts each file is read only once.
        let before = folders.entry(folder.to_owned()).or_default();
        if !is_first
            && let Some(other) = found
                .iter()
                .find(|path| !before.contains_key(*path))
                .or_else(|| before.keys().find(|path| found.binary_search(path).is_err()))
        {
            return Err(changed("file", &folder.join(other)));
        }
        for path in found {
            let file = folder.join(&path);
            let stamp = Stamp::from(&fs::symlink_metadata(&file).map_err(unreadable)?);
            if before.get(&path).is_some_and(|known| known.stamp == Some(stamp)) {
                continue;
            }
            let digest = content_digest(&file).map_err(unreadable)?;
            if before.get(&path).is_some_and(|known| known.digest != digest) {
                return Err(changed("file", &file));
            }
            before.insert(path, Known { digest, stamp: Some(stamp) });
        }
        Ok(())
    }
}

fn changed(what: &str, path: &Path) -> String {
    format!("its {what} {} was changed while the run was under way; build it again", path.display())
}

/// The digest of a file's content, or of a link's target.
fn content_digest(file: &Path) -> io::Result<String> {
    match fs::read_link(file) {
        Ok(target) => Ok(digest(target.as_os_str().as_encoded_bytes())),
        Err(_) => digest_of(tlslab_artifact::open_plain(file)?),
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
        assert_eq!(programs.check(&path, true), Ok(()));
        assert_eq!(programs.check(&path, true), Ok(()));

        // The same length, and the time of the last write set back.
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        // Older kernels have coarse timestamps.
        std::thread::sleep(std::time::Duration::from_millis(30));
        fs::write(&path, "two").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
        assert!(programs.check(&path, true).unwrap_err().contains("was changed while the run was under way"));

        fs::write(&path, "one").unwrap();
        assert_eq!(programs.check(&path, true), Ok(()), "its content is what it was");
        fs::remove_file(&path).unwrap();
        assert!(programs.check(&path, true).unwrap_err().starts_with("cannot read "));
    }

    #[test]
    fn what_lies_beside_a_program_must_stay_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("driver");
        let script = folder.path().join("lib/script");
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::write(&path, "one").unwrap();
        fs::write(&script, "one").unwrap();
        let programs = Programs::default();
        assert_eq!(programs.check(&path, true), Ok(()));
        fs::write(&script, "other").unwrap();
        let expected =
            format!("its file {} was changed while the run was under way; build it again", script.display());
        assert_eq!(programs.check(&path, true), Err(expected.clone()));
        fs::remove_file(&script).unwrap();
        assert_eq!(programs.check(&path, true), Err(expected));
        fs::write(&script, "one").unwrap();
        assert_eq!(programs.check(&path, true), Ok(()), "its content is what it was");
        fs::write(folder.path().join("lib/added"), "").unwrap();
        assert!(programs.check(&path, true).unwrap_err().contains("lib/added was changed"));
    }

    #[test]
    fn a_digest_that_is_known_beforehand_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("driver");
        fs::write(&path, "one").unwrap();
        let digest = digest_of(File::open(&path).unwrap()).unwrap();
        assert_eq!(Programs::known([(&*path, &*digest)]).check(&path, true), Ok(()));
        assert!(Programs::known([(&*path, "another")]).check(&path, true).is_err());
    }
}
