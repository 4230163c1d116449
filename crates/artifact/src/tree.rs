//! A set of files: taken from a folder, digested, and brought to another folder.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::digest::{digest, file_digest};
use crate::environment::SOURCE_DATE_EPOCH;
use crate::halt::{Doing, Halt};

/// Files in memory, by their relative path. For a driver and the kit, not for a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, Vec<u8>>);

impl Snapshot {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), content.into());
    }

    /// Adds every file below `root/below` that `wanted` takes, under its path from `root`.
    pub fn add_folder(
        &mut self,
        root: &Path,
        below: &Path,
        wanted: impl Fn(&Path) -> bool,
    ) -> Result<(), Halt> {
        let folder = root.join(below);
        for path in files(&folder, &wanted).doing("read", &folder)? {
            let file = folder.join(&path);
            self.add(below.join(&path), fs::read(&file).doing("read", &file)?);
        }
        Ok(())
    }

    /// Adds all files of another; they replace those of the same path.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// A file as text.
    pub fn text(&self, path: &Path) -> Option<&str> {
        std::str::from_utf8(self.0.get(path)?).ok()
    }

    /// Each path with its content's digest.
    pub fn digests(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|(path, content)| (path.to_string_lossy().into_owned(), digest(content)))
    }

    /// The files' paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    /// Makes a folder hold exactly these files, but for what is below `kept`. A file whose content is the same is not
    /// touched, so that cargo sees only what changed.
    pub fn bring_to(&self, folder: &Path, kept: &[&str]) -> Result<(), Halt> {
        fs::create_dir_all(folder).doing("create", folder)?;
        let paths: Vec<PathBuf> = self.0.keys().cloned().collect();
        remove_others(folder, &paths, kept)?;
        for (path, content) in &self.0 {
            write_changed(&folder.join(path), content)?;
        }
        Ok(())
    }
}

/// Removes every file that is not among these (sorted), but for what is below `kept`.
pub fn remove_others(folder: &Path, paths: &[PathBuf], kept: &[&str]) -> Result<(), Halt> {
    let is_looked_at = |path: &Path| !kept.iter().any(|name| path == Path::new(name));
    for path in files(folder, &is_looked_at).doing("read", folder)? {
        if paths.binary_search(&path).is_err() {
            let file = folder.join(&path);
            fs::remove_file(&file).doing("remove", &file)?;
        }
    }
    Ok(())
}

/// Writes a file unless it has this content already.
pub fn write_changed(file: &Path, content: &[u8]) -> Result<(), Halt> {
    if fs::read(file).is_ok_and(|present| present == content) {
        return Ok(());
    }
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).doing("create", parent)?;
    }
    fs::write(file, content).doing("write", file)
}

/// The files and symbolic links below a folder, by their relative paths, sorted. `wanted` is asked of files and of
/// folders.
pub fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut waiting) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(below) = waiting.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if !wanted(&path) {
                continue;
            }
            if entry.file_type()?.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// The digest over these files: their paths, contents, and whether they can be executed.
pub fn tree_digest(folder: &Path, paths: &[PathBuf]) -> Result<String, Halt> {
    let mut lines = String::new();
    for path in paths {
        let file = folder.join(path);
        let kind = fs::symlink_metadata(&file).doing("read", &file)?;
        let content = if kind.is_symlink() {
            let target = fs::read_link(&file).doing("read", &file)?;
            format!("-> {}", target.display())
        } else {
            let mode = if kind.permissions().mode() & 0o100 == 0 { "-" } else { "x" };
            format!("{mode} {}", file_digest(&file).doing("read", &file)?)
        };
        lines += &format!("{:?} {content}\n", path);
    }
    Ok(digest(lines.as_bytes()))
}

/// When a copied file says that it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// At one fixed moment, so that nothing looks older than what it was generated from.
    Fixed,
    /// Now, if its content differs from what was there.
    WhenChanged,
}

/// Copies these files. Symbolic links stay links.
pub fn copy_files(from: &Path, to: &Path, paths: &[PathBuf], stamp: Stamp) -> Result<(), Halt> {
    for path in paths {
        let (source, target) = (from.join(path), to.join(path));
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).doing("create", parent)?;
        }
        let kind = fs::symlink_metadata(&source).doing("read", &source)?;
        if kind.is_symlink() {
            let _ = fs::remove_file(&target);
            symlink(fs::read_link(&source).doing("read", &source)?, &target).doing("create", &target)?;
            continue;
        }
        if stamp == Stamp::WhenChanged && same_content(&source, &target) {
            continue;
        }
        fs::copy(&source, &target).doing("copy", &source)?;
        let mode = if kind.permissions().mode() & 0o100 == 0 { 0o644 } else { 0o755 };
        fs::set_permissions(&target, Permissions::from_mode(mode)).doing("change", &target)?;
        if stamp == Stamp::Fixed {
            set_fixed_time(&target).doing("change", &target)?;
        }
    }
    Ok(())
}

fn same_content(a: &Path, b: &Path) -> bool {
    matches!((fs::read(a), fs::read(b)), (Ok(a), Ok(b)) if a == b)
}

fn set_fixed_time(path: &Path) -> io::Result<()> {
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(SOURCE_DATE_EPOCH);
    // Owners may set times on what they opened for reading.
    File::open(path)?.set_times(FileTimes::new().set_modified(moment))
}

/// Files that can change what is built: not tests, their expectations, products or editors' leftovers.
pub fn is_source(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let top = ["tests", "benches", "examples", "target"].iter().any(|folder| path == Path::new(folder));
    !top && !name.starts_with('.') && !name.ends_with('~') && name != "snapshots"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_brought_up_to_date_without_touching_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let mut snapshot = Snapshot::default();
        snapshot.add("a/same", "1");
        snapshot.add("a/changed", "2");
        snapshot.add("gone", "3");
        snapshot.bring_to(place, &["target"]).unwrap();
        fs::create_dir(place.join("target")).unwrap();
        fs::write(place.join("target/kept"), "x").unwrap();
        let before = fs::metadata(place.join("a/same")).unwrap().modified().unwrap();

        let mut next = Snapshot::default();
        next.add("a/same", "1");
        next.add("a/changed", "4");
        next.bring_to(place, &["target"]).unwrap();
        assert_eq!(fs::metadata(place.join("a/same")).unwrap().modified().unwrap(), before);
        assert_eq!(fs::read_to_string(place.join("a/changed")).unwrap(), "4");
        let expected = ["a/changed", "a/same", "target/kept"].map(PathBuf::from);
        assert_eq!(files(place, &|_| true).unwrap(), expected);
    }

    #[test]
    fn a_digest_sees_names_contents_modes_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let now = || tree_digest(place, &files(place, &|_| true).unwrap()).unwrap();
        fs::write(place.join("a"), "1").unwrap();
        let mut seen = vec![now()];
        fs::set_permissions(place.join("a"), Permissions::from_mode(0o755)).unwrap();
        seen.push(now());
        fs::write(place.join("a"), "2").unwrap();
        seen.push(now());
        fs::rename(place.join("a"), place.join("b")).unwrap();
        seen.push(now());
        symlink("b", place.join("c")).unwrap();
        seen.push(now());
        let copy = tempfile::tempdir().unwrap();
        let all = files(place, &|_| true).unwrap();
        copy_files(place, copy.path(), &all, Stamp::Fixed).unwrap();
        assert_eq!(tree_digest(copy.path(), &all).unwrap(), seen[4]);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 5);
    }
}
