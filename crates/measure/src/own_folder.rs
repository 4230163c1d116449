//! A folder for one process, which is removed when the process has ended.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The folder. Its creator holds a lock on it, which marks it as in use.
pub(crate) struct OwnFolder {
    path: PathBuf,
    /// Held until the folder is removed.
    _lock: Option<File>,
}

/// What a folder is for, by which its name begins.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    /// A counted process.
    Count,
    /// A timed process.
    Time,
}

impl Use {
    fn prefix(self) -> &'static str {
        match self {
            Use::Count => "count-",
            Use::Time => "time-",
        }
    }
}

/// A younger folder without a lock may be about to get one.
const SETTLED: Duration = Duration::from_secs(10);

/// Removes the folders of killed labs.
pub fn remove_leftovers(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours =
            [Use::Count, Use::Time].iter().any(|of| name.to_string_lossy().starts_with(of.prefix()));
        if is_ours && is_left_behind(&entry.path()) {
            // A folder that cannot be removed now is tried again the next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left_behind(folder: &Path) -> bool {
    let is_settled = || {
        let changed = std::fs::symlink_metadata(folder).ok().filter(|kind| kind.is_dir())?.modified().ok()?;
        Some(changed.elapsed().ok()? > SETTLED)
    };
    is_settled() == Some(true) && File::open(folder).is_ok_and(|open| open.try_lock().is_ok())
}

impl OwnFolder {
    /// Makes one, whose path is as long as that of any other for the same use: a program's path is on its
    /// stack.
    ///
    /// # Errors
    /// Fails if it cannot be made.
    pub(crate) fn make(parent: &Path, of: Use) -> Result<Self, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{}{:07}-{next:010}", of.prefix(), std::process::id()));
        std::fs::create_dir(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        // If a folder cannot be locked, others may remove it long after its process has ended.
        let lock = File::open(&path).ok().filter(|open| open.try_lock().is_ok());
        Ok(Self { path, _lock: lock })
    }

    /// One that exists.
    #[cfg(test)]
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), _lock: None }
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        // Its leftovers are useless and harmless.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_a_name_of_its_own_of_the_same_length_and_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let folders = [(); 3].map(|()| OwnFolder::make(place.path(), Use::Time).unwrap());
        let paths = folders.each_ref().map(|folder| folder.path().to_owned());
        assert!(paths.iter().all(|path| path.is_dir()));
        assert!(paths.iter().all(|path| path.as_os_str().len() == paths[0].as_os_str().len()));
        drop(folders);
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn what_killed_labs_leave_behind_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let folder = place.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("driver"), "").unwrap();
            let long_ago = std::time::SystemTime::now() - Duration::from_secs(100);
            File::open(&folder).unwrap().set_modified(long_ago).unwrap();
            folder
        };
        let [left, timed, used, other] = ["count-1-0", "time-1-0", "count-1-1", "counter"].map(made);
        let young = place.path().join("count-1-2");
        std::fs::create_dir(&young).unwrap();
        let held = File::open(&used).unwrap();
        held.try_lock().unwrap();
        remove_leftovers(place.path());
        assert_eq!(
            [left, timed, used.clone(), other, young].map(|folder| folder.exists()),
            [false, false, true, true, true]
        );
        drop(held);
        remove_leftovers(place.path());
        assert!(!used.exists());
    }
}
