//! A patch of a source.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Doing, Halt, Workspace, file_digest};

use crate::git;

/// A file of differences in the format of `git diff` and `diff -u`, with its content's digest.
#[derive(Debug)]
pub(super) struct Patch {
    /// Its SHA-256, hex.
    pub digest: String,
    file: PathBuf,
}

impl Patch {
    /// Reads it for the first time.
    pub(super) fn read(file: &Path) -> Result<Self, Halt> {
        if !file.is_file() {
            let next_step = "name a file that `git diff` or `diff -u` wrote";
            return Err(Halt::wrong(format!("patch {}", file.display()), "there is no such file", next_step));
        }
        Ok(Self { digest: file_digest(file).doing("read", file)?, file: file.to_owned() })
    }

    /// A description for display.
    pub(super) fn describe(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("patched by {name} sha256 {}", self.digest)
    }

    /// Applies it to the files of a source, of which one folder is built. It applies completely or not at
    /// all.
    pub(super) fn apply(&self, source: &Path, folder: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        if file_digest(&self.file).doing("read", &self.file)? != self.digest {
            return Err(Halt::wrong(
                format!("patch {}", self.file.display()),
                "it was changed since it was read",
                "build again when no program writes to it",
            ));
        }
        let text = fs::read(&self.file).doing("read", &self.file)?;
        let place = place(&String::from_utf8_lossy(&text), source, folder);
        let file = std::path::absolute(&self.file).unwrap_or_else(|_| self.file.clone());
        git::apply(&file, &place, workspace)
    }
}

/// The folder to which a patch's names are relative: the source's top, or the built folder if only that has
/// any of its files. A package may have the library in a folder, which the library's own repository does not
/// know.
fn place(patch: &str, source: &Path, folder: &Path) -> PathBuf {
    let changed = patch.lines().filter_map(|line| line.strip_prefix("--- "));
    let changed = changed.filter_map(|name| Some(name.split('\t').next()?.split_once('/')?.1));
    let has_any = |place: &Path| changed.clone().any(|name| place.join(name).is_file());
    let built = source.join(folder);
    if !has_any(source) && has_any(&built) { built } else { source.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patchs_names_start_where_its_files_are() {
        let source = tempfile::tempdir().unwrap();
        let built = source.path().join("library");
        fs::create_dir_all(built.join("src")).unwrap();
        fs::write(built.join("src/a.c"), "").unwrap();
        fs::write(source.path().join("README"), "").unwrap();
        let of = |patch: &str| place(patch, source.path(), Path::new("library"));
        assert_eq!(of("--- a/src/a.c\t2026-01-01\n+++ b/src/a.c\n"), built);
        assert_eq!(of("--- a/library/src/a.c\n+++ b/library/src/a.c\n"), source.path());
        assert_eq!(of("--- a/README\n+++ b/README\n--- a/src/a.c\n+++ b/src/a.c\n"), source.path());
        assert_eq!(of("--- /dev/null\n+++ b/src/new.c\n"), source.path());
        assert_eq!(of("no patch"), source.path());
    }
}
