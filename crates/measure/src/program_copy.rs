//! A copy of a timed process's program.
//!
//! The kernel keeps a program's file in whatever pages of the machine's memory were free when it was written
//! or first read, and every process of it runs from these pages. In a virtual machine programs in scattered
//! pages were up to several percent slower, probably because translating their addresses takes longer. Of two
//! builds of one source, the one that was written into fewer pieces is then faster until the machine starts
//! again.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tlslab_process::while_nothing_starts;

use crate::own_folder::{OwnFolder, Use};
use crate::programs::Stamp;

/// The copy, in a folder of its own. It is removed with it.
pub(crate) struct ProgramCopy {
    folder: OwnFolder,
    stamp: Stamp,
}

/// Its name.
const NAME: &str = "driver";
/// The beginning of a program for the kernel's own loader.
const ELF: &[u8] = b"\x7fELF";
/// The prefix of the names of a program's other code layouts.
const LAYOUT: &str = "layout-";

impl ProgramCopy {
    /// Copies a program into a folder of its own below `parent`, in which links lead to the program's
    /// neighbours. `None` for a script: its interpreter's pages would stay where they are.
    ///
    /// # Errors
    /// Fails if it cannot be read or written.
    pub(crate) fn make(parent: &Path, program: &Path) -> Result<Option<Self>, String> {
        let unreadable = |cause: io::Error| format!("cannot read {}: {cause}", program.display());
        let content = fs::read(program).map_err(unreadable)?;
        if !content.starts_with(ELF) {
            return Ok(None);
        }
        let folder = OwnFolder::make(parent, Use::Time)?;
        let copy = folder.path().join(NAME);
        let failed =
            |cause: io::Error| format!("cannot copy {} to {}: {cause}", program.display(), copy.display());
        let stamp = while_nothing_starts(|| written(&copy, &content)).map_err(failed)?;
        link_siblings(program, folder.path()).map_err(failed)?;
        Ok(Some(Self { folder, stamp }))
    }

    /// Its path.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }

    /// Fails if the copy was changed or replaced since it was made: a process of another driver could have
    /// done so before it was started.
    pub(crate) fn check(&self) -> Result<(), String> {
        let path = self.path();
        match fs::symlink_metadata(&path) {
            Ok(found) if Stamp::from(&found) == self.stamp => Ok(()),
            Ok(_) => Err(format!("the copy of its program, {}, was changed; measure again", path.display())),
            Err(cause) => Err(format!("the copy of its program, {}: {cause}", path.display())),
        }
    }
}

/// Writes a program. Each page is a new one of this file: nothing is shared with the original, as it might be
/// if the file system copied it.
fn written(path: &Path, content: &[u8]) -> io::Result<Stamp> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o755).open(path)?;
    file.write_all(content)?;
    // Whatever the lab's own mask of permissions is.
    file.set_permissions(Permissions::from_mode(0o755))?;
    // Of this file as it was written, before anybody else could open it and be taken for the lab.
    Ok(Stamp::from(&file.metadata()?))
}

/// A program finds its libraries and scripts next to it.
fn link_siblings(program: &Path, folder: &Path) -> io::Result<()> {
    let Some(own) = program.parent() else { return Ok(()) };
    let own = std::path::absolute(own)?;
    for entry in fs::read_dir(&own)? {
        let name = entry?.file_name();
        if Some(&*name) != program.file_name() && name != NAME && !name.to_string_lossy().starts_with(LAYOUT)
        {
            symlink(own.join(&name), folder.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_copy_with_pages_of_its_own_and_its_neighbours() {
        let place = tempfile::tempdir().unwrap();
        let product = place.path().join("product");
        fs::create_dir(&product).unwrap();
        let program = product.join("layout-3");
        fs::copy("/bin/true", &program).unwrap();
        fs::write(product.join("driver"), "x").unwrap();
        fs::write(product.join("layout-4"), "x").unwrap();
        fs::write(product.join("library"), "its library").unwrap();
        let copy = ProgramCopy::make(place.path(), &program).unwrap().expect("it is a program");
        assert_eq!(copy.check(), Ok(()));
        assert_eq!(fs::read(copy.path()).unwrap(), fs::read(&program).unwrap());
        assert!(std::process::Command::new(copy.path()).status().unwrap().success());
        let folder = copy.path().parent().unwrap().to_owned();
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["driver", "library"]);
        assert_eq!(fs::read_to_string(folder.join("library")).unwrap(), "its library");

        let second = ProgramCopy::make(place.path(), &program).unwrap().unwrap();
        assert_ne!(second.path(), copy.path());
        assert_eq!(second.path().as_os_str().len(), copy.path().as_os_str().len());
        drop(copy);
        assert!(!folder.exists());
    }

    #[test]
    fn a_script_runs_where_it_is_and_what_cannot_be_read_is_named() {
        let place = tempfile::tempdir().unwrap();
        let script = place.path().join("driver");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(ProgramCopy::make(place.path(), &script).unwrap().is_none());
        let refused = ProgramCopy::make(place.path(), &place.path().join("missing")).err().unwrap();
        assert!(refused.starts_with("cannot read ") && refused.contains("missing"), "{refused}");
    }

    #[test]
    fn a_copy_that_was_changed_is_noticed() {
        let place = tempfile::tempdir().unwrap();
        let copy = || ProgramCopy::make(place.path(), Path::new("/bin/true")).unwrap().unwrap();
        let changed = copy();
        let time = fs::metadata(changed.path()).unwrap().modified().unwrap();
        // Older kernels have coarse timestamps.
        std::thread::sleep(std::time::Duration::from_millis(30));
        let mut file = OpenOptions::new().write(true).open(changed.path()).unwrap();
        file.write_all(ELF).unwrap();
        file.set_modified(time).unwrap();
        assert!(changed.check().unwrap_err().ends_with("was changed; measure again"));
        let replaced = copy();
        fs::remove_file(replaced.path()).unwrap();
        assert!(replaced.check().unwrap_err().contains("No such file"));
        fs::copy("/bin/true", replaced.path()).unwrap();
        assert!(replaced.check().unwrap_err().ends_with("was changed; measure again"));
    }
}
