//! A folder for one counted process, in which its program always has the same name: the length of a program's name is on
//! its stack, and moves everything above it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tlslab_artifact::{read_plain, write_plain};
use tlslab_record::CounterRecord;

/// The longest file of functions, bytes.
const LONGEST_FILE: u64 = 256 << 20;
/// The most files of functions: a few for each step of each side.
const MOST_FILES: usize = 256;

/// The folder.
pub struct CountFolder(PathBuf);

impl CountFolder {
    /// The program's name, for whoever runs in it: an absolute one, as relative ones are the lab's.
    pub const DRIVER: &'static str = "/proc/self/cwd/driver";

    /// The name of the library that is loaded into it.
    pub const PRELOAD: &'static str = "./preload";

    /// The folder in it to which the process writes what each function took: in a sandbox it can write nowhere else.
    pub const FUNCTIONS: &'static str = "functions";

    /// Makes one.
    pub fn make(parent: &Path, driver: &Path, counter: &CounterRecord) -> Result<Self, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("count-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = parent.join(name);
        let failed = |cause: std::io::Error| format!("{}: {cause}", folder.display());
        std::fs::create_dir(&folder).map_err(failed)?;
        let count_folder = Self(folder.clone());
        symlink(driver, folder.join("driver")).map_err(failed)?;
        symlink(&counter.preload, folder.join("preload")).map_err(failed)?;
        std::fs::create_dir(folder.join(Self::FUNCTIONS)).map_err(failed)?;
        Ok(count_folder)
    }

    /// What a file beside the count_folder is called within it, wherever both are: the length of a file's name is in what a driver
    /// reads, and moves what it allocates.
    pub fn name_of(&self, file: &Path) -> PathBuf {
        let beside = self.0.parent().and_then(|parent| file.strip_prefix(parent).ok());
        beside.map_or_else(|| file.to_owned(), |beside| Path::new("..").join(beside))
    }

    /// Copies what the process has written of its functions. The process must have ended: it could put links in the place of files.
    pub fn copy_functions(&self, to: &Path) -> Result<(), String> {
        let folder = self.0.join(Self::FUNCTIONS);
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for CountFolder {
    fn drop(&mut self) {
        // What is left of it is of no use to anybody, and of no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_copied_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (own, to, secret) =
            (folder.path().join("own"), folder.path().join("to"), folder.path().join("secret"));
        std::fs::create_dir_all(own.join(CountFolder::FUNCTIONS)).unwrap();
        std::fs::create_dir(&to).unwrap();
        std::fs::write(&secret, "secret").unwrap();
        let count_folder = CountFolder(own.clone());
        let file = own.join(CountFolder::FUNCTIONS).join("server.send");
        std::fs::write(&file, "fn=f").unwrap();
        count_folder.copy_functions(&to).unwrap();
        assert_eq!(std::fs::read_to_string(to.join("server.send")).unwrap(), "fn=f");

        symlink(&secret, own.join(CountFolder::FUNCTIONS).join("client.send")).unwrap();
        let refused = count_folder.copy_functions(&to).unwrap_err();
        assert!(refused.contains("no plain file but a link"), "{refused}");
        assert!(!to.join("client.send").exists());

        std::fs::remove_dir_all(own.join(CountFolder::FUNCTIONS)).unwrap();
        symlink(&to, own.join(CountFolder::FUNCTIONS)).unwrap();
        let refused = count_folder.copy_functions(&to).unwrap_err();
        assert!(refused.contains("it is no folder"), "{refused}");
    }

    #[test]
    fn files_beside_it_have_one_name_wherever_they_are() {
        for parent in ["/a", "/a/longer/folder"] {
            let count_folder = CountFolder(Path::new(parent).join("count-1-2"));
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
