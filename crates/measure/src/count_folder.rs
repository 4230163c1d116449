//! A folder for one counted process, in which its program always has the same name: the length of a program's
//! name is on its stack, and moves everything above it.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tlslab_artifact::{read_plain, write_plain};
use tlslab_record::CounterRecord;

/// The longest file of functions, bytes.
const LONGEST_FILE: u64 = 256 << 20;
/// The most files of functions: a few for each step of each side.
const MOST_FILES: usize = 256;

/// The folder. Its creator holds a lock on it, which marks it as in use.
pub(crate) struct CountFolder {
    path: PathBuf,
    /// Held until the folder is removed.
    _lock: Option<File>,
}

/// The prefix of the folders' names.
const PREFIX: &str = "count-";
/// A younger folder without a lock may be about to get one.
const SETTLED: Duration = Duration::from_secs(10);

/// Removes the folders of killed labs.
pub fn remove_leftovers(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
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

impl CountFolder {
    /// The program's absolute name within the folder; relative names are the lab's.
    pub(crate) const DRIVER: &'static str = "/proc/self/cwd/driver";

    /// The name of the library that is loaded into it.
    pub(crate) const PRELOAD: &'static str = "./preload";

    /// The subfolder for the functions' instructions: in a sandbox the process can write nowhere else.
    pub(crate) const FUNCTIONS: &'static str = "functions";

    /// Makes one.
    pub(crate) fn make(parent: &Path, driver: &Path, counter: &CounterRecord) -> Result<Self, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{PREFIX}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = parent.join(name);
        let failed = |cause: std::io::Error| format!("{}: {cause}", folder.display());
        std::fs::create_dir(&folder).map_err(failed)?;
        // If a folder cannot be locked, others may remove it long after its process has ended.
        let lock = File::open(&folder).ok().filter(|open| open.try_lock().is_ok());
        let count_folder = Self { path: folder.clone(), _lock: lock };
        symlink(driver, folder.join("driver")).map_err(failed)?;
        symlink(&counter.preload, folder.join("preload")).map_err(failed)?;
        std::fs::create_dir(folder.join(Self::FUNCTIONS)).map_err(failed)?;
        Ok(count_folder)
    }

    /// The name of a file next to the count folder as seen from within, wherever both are: the length of a
    /// file's name is in the driver's input, and moves its allocations.
    pub(crate) fn name_of(&self, file: &Path) -> PathBuf {
        let beside = self.path.parent().and_then(|parent| file.strip_prefix(parent).ok());
        beside.map_or_else(|| file.to_owned(), |beside| Path::new("..").join(beside))
    }

    /// Copies the process's files of functions. The process must have ended: it could replace files by links.
    pub(crate) fn copy_functions(&self, to: &Path) -> Result<(), String> {
        let folder = self.path.join(Self::FUNCTIONS);
        let failed = |path: &Path, cause: std::io::Error| format!("{}: {cause}", path.display());
        if !std::fs::symlink_metadata(&folder).is_ok_and(|kind| kind.is_dir()) {
            return Err(format!("{}: it is no folder", folder.display()));
        }
        let entries = std::fs::read_dir(&folder).map_err(|cause| failed(&folder, cause))?;
        for (number, entry) in entries.enumerate() {
            if number >= MOST_FILES {
                return Err(format!("{}: more than {MOST_FILES} files", folder.display()));
            }
            let name = entry.map_err(|cause| failed(&folder, cause))?.file_name();
            let (file, copy) = (folder.join(&name), to.join(&name));
            let content = read_plain(&file, LONGEST_FILE).map_err(|cause| failed(&file, cause))?;
            write_plain(&copy, content).map_err(|cause| failed(&copy, cause))?;
        }
        Ok(())
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for CountFolder {
    fn drop(&mut self) {
        // Its leftovers are useless and harmless.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let [left, used, other] = ["count-1-0", "count-1-1", "counter"].map(made);
        let young = place.path().join("count-1-2");
        std::fs::create_dir(&young).unwrap();
        let held = File::open(&used).unwrap();
        held.try_lock().unwrap();
        remove_leftovers(place.path());
        assert_eq!(
            [left, used.clone(), other, young].map(|folder| folder.exists()),
            [false, true, true, true]
        );
        drop(held);
        remove_leftovers(place.path());
        assert!(!used.exists());
    }

    #[test]
    fn functions_are_copied_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (own, to, secret) =
            (folder.path().join("own"), folder.path().join("to"), folder.path().join("secret"));
        std::fs::create_dir_all(own.join(CountFolder::FUNCTIONS)).unwrap();
        std::fs::create_dir(&to).unwrap();
        std::fs::write(&secret, "secret").unwrap();
        let count_folder = CountFolder { path: own.clone(), _lock: None };
        let file = own.join(CountFolder::FUNCTIONS).join("server.send");
        std::fs::write(&file, "fn=f").unwrap();
        count_folder.copy_functions(&to).unwrap();
        assert_eq!(std::fs::read_to_string(to.join("server.send")).unwrap(), "fn=f");

        symlink(&secret, own.join(CountFolder::FUNCTIONS).join("client.send")).unwrap();
        let refused = count_folder.copy_functions(&to).unwrap_err();
        assert!(refused.contains("a link, not a plain file"), "{refused}");
        assert!(!to.join("client.send").exists());

        std::fs::remove_dir_all(own.join(CountFolder::FUNCTIONS)).unwrap();
        symlink(&to, own.join(CountFolder::FUNCTIONS)).unwrap();
        let refused = count_folder.copy_functions(&to).unwrap_err();
        assert!(refused.contains("it is no folder"), "{refused}");
    }

    #[test]
    fn files_beside_it_have_one_name_wherever_they_are() {
        for parent in ["/a", "/a/longer/folder"] {
            let count_folder = CountFolder { path: Path::new(parent).join("count-1-2"), _lock: None };
            assert_eq!(
                count_folder.name_of(&Path::new(parent).join("pki/1/root.der")),
                Path::new("../pki/1/root.der")
            );
            assert_eq!(
                count_folder.name_of(Path::new("/elsewhere/root.der")),
                Path::new("/elsewhere/root.der")
            );
        }
    }
}
