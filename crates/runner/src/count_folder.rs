//! A folder for one counted process, in which its program always has the same name: the length of a program's name is on
//! its stack, and moves everything above it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tlslab_record::CounterRecord;

/// The folder.
pub struct CountFolder(PathBuf);

impl CountFolder {
    /// The program's name, for whoever runs in it: an absolute one, as relative ones are the lab's.
    pub const DRIVER: &'static str = "/proc/self/cwd/driver";

    /// The name of the library that is loaded into it.
    pub const PRELOAD: &'static str = "./preload";

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
        Ok(count_folder)
    }

    /// What a file beside the count_folder is called within it, wherever both are: the length of a file's name is in what a driver
    /// reads, and moves what it allocates.
    pub fn name_of(&self, file: &Path) -> PathBuf {
        let beside = self.0.parent().and_then(|parent| file.strip_prefix(parent).ok());
        beside.map_or_else(|| file.to_owned(), |beside| Path::new("..").join(beside))
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
