//! A folder for one counted process, in which its program always has the same name: the length of a program's
//! name is on its stack, and moves everything above it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tlslab_artifact::{read_plain, write_plain};
use tlslab_record::CounterRecord;

use crate::own_folder::{OwnFolder, Use};

/// The longest file of functions, bytes.
const LONGEST_FILE: u64 = 256 << 20;
/// The most files of functions: a few for each step of each side.
const MOST_FILES: usize = 256;

/// The folder.
pub(crate) struct CountFolder {
    folder: OwnFolder,
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
        let folder = OwnFolder::make(parent, Use::Count)?;
        let path = folder.path();
        let failed = |cause: std::io::Error| format!("{}: {cause}", path.display());
        symlink(driver, path.join("driver")).map_err(failed)?;
        symlink(&counter.preload, path.join("preload")).map_err(failed)?;
        std::fs::create_dir(path.join(Self::FUNCTIONS)).map_err(failed)?;
        Ok(Self { folder })
    }

    /// The name of a file next to the count folder as seen from within, wherever both are: the length of a
    /// file's name is in the driver's input, and moves its allocations.
    pub(crate) fn name_of(&self, file: &Path) -> PathBuf {
        let beside = self.path().parent().and_then(|parent| file.strip_prefix(parent).ok());
        beside.map_or_else(|| file.to_owned(), |beside| Path::new("..").join(beside))
    }

    /// Copies the process's files of functions. The process must have ended: it could replace files by links.
    pub(crate) fn copy_functions(&self, to: &Path) -> Result<(), String> {
        let folder = self.path().join(Self::FUNCTIONS);
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
        self.folder.path()
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
        let count_folder = CountFolder { folder: OwnFolder::at(&own) };
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
            let count_folder = CountFolder { folder: OwnFolder::at(&Path::new(parent).join("count-1-2")) };
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
