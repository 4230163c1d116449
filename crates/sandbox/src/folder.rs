//! The folder with a sandbox's filters. A killed lab leaves its own behind; the next lab removes it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const PREFIX: &str = "tlslab-sandbox-";
/// How often a folder is created again that another lab has removed as abandoned.
const TRIES: usize = 16;

/// A folder that is removed at the end, and that is locked until then. The lock ends with the lab in any
/// case.
#[derive(Debug)]
pub(crate) struct Folder {
    // The folder is removed before its lock.
    folder: tempfile::TempDir,
    _lock: File,
}

impl Folder {
    /// Creates one in a folder for temporary files, and removes unlocked ones there. Others may read it but
    /// not change it.
    pub(crate) fn make(place: &Path) -> io::Result<Self> {
        // The lock is held during the removal, so that no other lab takes the folder for its own meanwhile.
        abandoned(place).for_each(|(folder, _lock)| _ = fs::remove_dir_all(folder));
        for _ in 0..TRIES {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
            // Until it is locked, another lab may find it unlocked and remove it.
            let lock = match File::open(folder.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                lock => lock?,
            };
            if lock.try_lock().is_ok() && is_still(folder.path(), &lock) {
                fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
                return Ok(Self { folder, _lock: lock });
            }
        }
        Err(io::Error::other("another program removes it each time"))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn is_still(path: &Path, open: &File) -> bool {
    let (there, here) = (fs::symlink_metadata(path), open.metadata());
    matches!((there, here), (Ok(there), Ok(here)) if there.ino() == here.ino() && there.dev() == here.dev())
}

/// Folders of this user's that no lab holds, each with a lock on it.
fn abandoned(place: &Path) -> impl Iterator<Item = (PathBuf, File)> {
    let own = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let own =
        named.filter(move |entry| entry.metadata().is_ok_and(|kind| kind.is_dir() && kind.uid() == own));
    own.map(|entry| entry.path()).filter_map(|folder| {
        let open = File::open(&folder).ok()?;
        open.try_lock().is_ok().then_some((folder, open))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_lab_has_left_is_removed_and_what_is_used_stays() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("tlslab-sandbox-left")).unwrap();
        fs::write(at("tlslab-sandbox-left/plain-0"), "filter").unwrap();
        fs::create_dir(at("other")).unwrap();
        fs::write(at("tlslab-sandbox-file"), "").unwrap();
        std::os::unix::fs::symlink(at("other"), at("tlslab-sandbox-link")).unwrap();
        let used = Folder::make(place.path()).unwrap();
        fs::write(used.path().join("plain-0"), "filter").unwrap();
        let another = Folder::make(place.path()).unwrap();
        assert!(used.path().join("plain-0").is_file() && another.path().is_dir());
        assert!(!at("tlslab-sandbox-left").exists());
        for kept in ["other", "tlslab-sandbox-file", "tlslab-sandbox-link"] {
            assert!(at(kept).exists(), "{kept}");
        }
        let path = another.path().to_owned();
        drop(another);
        assert!(!path.exists());
    }

    #[test]
    fn labs_that_start_at_once_each_have_a_folder_that_stays() {
        let place = tempfile::tempdir().unwrap();
        let make_and_use = || {
            for _ in 0..200 {
                let folder = Folder::make(place.path()).unwrap();
                fs::write(folder.path().join("plain-0"), "filter").unwrap();
                std::thread::yield_now();
                assert!(folder.path().join("plain-0").is_file());
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|_| _ = scope.spawn(make_and_use)));
    }
}
