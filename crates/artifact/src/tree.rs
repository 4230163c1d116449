//! A set of files: read from a folder, digested, and written to another folder.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::digest::{digest, digest_of};
use crate::environment::SOURCE_DATE_EPOCH;
use crate::halt::{Doing, Halt};
use crate::plain::{files, is_below_a_link, open_plain, read_plain, write_plain};

/// The largest file of a driver or of the kit, bytes.
const LARGEST_IN_MEMORY: u64 = 16 << 20;

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
            self.add(below.join(&path), read_plain(&file, LARGEST_IN_MEMORY).doing("read", &file)?);
        }
        Ok(())
    }

    /// Adds all files of another set; they replace those of the same path.
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

    /// Makes a folder contain exactly these files, except for entries below `kept`. A file with the same
    /// content is not touched, so that cargo sees only changes.
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

/// Removes every file that is not among these (sorted), except for entries below `kept`.
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
    if read_plain(file, content.len() as u64).is_ok_and(|present| present == content) {
        return Ok(());
    }
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).doing("create", parent)?;
    }
    write_plain(file, content).doing("write", file)
}

/// The digest over these files: their paths, contents, and executable bits.
pub fn tree_digest(folder: &Path, paths: &[PathBuf]) -> Result<String, Halt> {
    let mut lines = String::new();
    for path in paths.iter().filter(|path| !is_below_a_link(folder, path)) {
        let file = folder.join(path);
        let kind = fs::symlink_metadata(&file).doing("read", &file)?;
        let content = if kind.is_symlink() {
            let target = fs::read_link(&file).doing("read", &file)?;
            format!("-> {}", target.display())
        } else {
            let mode = if kind.permissions().mode() & 0o100 == 0 { "-" } else { "x" };
            format!("{mode} {}", open_plain(&file).and_then(digest_of).doing("read", &file)?)
        };
        lines += &format!("{:?} {content}\n", path);
    }
    Ok(digest(lines.as_bytes()))
}

/// The modification time of a copied file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// One fixed moment, so that no file looks older than its inputs.
    Fixed,
    /// Now, if its content differs from the former one.
    WhenChanged,
}

/// Copies these files. Symbolic links stay links; nothing is read or written through one, so a name below a
/// folder that is a link is skipped.
pub fn copy_files(from: &Path, to: &Path, paths: &[PathBuf], stamp: Stamp) -> Result<(), Halt> {
    for path in paths.iter().filter(|path| !is_below_a_link(from, path)) {
        let (source, target) = (from.join(path), to.join(path));
        make_parents(to, path)?;
        let kind = fs::symlink_metadata(&source).doing("read", &source)?;
        if kind.is_symlink() {
            let _ = fs::remove_file(&target);
            symlink(fs::read_link(&source).doing("read", &source)?, &target).doing("create", &target)?;
            continue;
        }
        if stamp == Stamp::WhenChanged && same_content(&source, &target) {
            continue;
        }
        if fs::symlink_metadata(&target).is_ok_and(|kind| kind.is_symlink()) {
            fs::remove_file(&target).doing("remove", &target)?;
        }
        let mut content = open_plain(&source).doing("read", &source)?;
        let mut copy = File::create(&target).doing("create", &target)?;
        io::copy(&mut content, &mut copy).doing("copy", &source)?;
        let mode = if kind.permissions().mode() & 0o100 == 0 { 0o644 } else { 0o755 };
        fs::set_permissions(&target, Permissions::from_mode(mode)).doing("change", &target)?;
        if stamp == Stamp::Fixed {
            set_fixed_time(&target).doing("change", &target)?;
        }
    }
    Ok(())
}

/// Creates the folders of a file. One that is a link is replaced.
fn make_parents(root: &Path, path: &Path) -> Result<(), Halt> {
    fs::create_dir_all(root).doing("create", root)?;
    let mut parents: Vec<&Path> = path.ancestors().skip(1).collect();
    parents.reverse();
    for folder in
        parents.into_iter().filter(|folder| !folder.as_os_str().is_empty()).map(|folder| root.join(folder))
    {
        match fs::symlink_metadata(&folder) {
            Ok(kind) if kind.is_dir() => continue,
            Ok(_) => fs::remove_file(&folder).doing("remove", &folder)?,
            Err(_) => {}
        }
        fs::create_dir(&folder).doing("create", &folder)?;
    }
    Ok(())
}

fn same_content(a: &Path, b: &Path) -> bool {
    let digests = [a, b].map(|path| open_plain(path).and_then(digest_of));
    matches!(digests, [Ok(a), Ok(b)] if a == b)
}

fn set_fixed_time(path: &Path) -> io::Result<()> {
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(SOURCE_DATE_EPOCH);
    // Owners may set times on files that they opened for reading.
    File::open(path)?.set_times(FileTimes::new().set_modified(moment))
}

/// Files that can change a build: not tests, their expectations, products, editors' leftovers or documents.
/// Modules of tests are called `tests_of_…`.
pub fn is_source(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let top = ["tests", "benches", "examples", "target"].iter().any(|folder| path == Path::new(folder));
    !top && !name.starts_with('.')
        && !name.ends_with('~')
        && name != "snapshots"
        && name != "README.md"
        && !name.starts_with("tests_of_")
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
    fn nothing_is_written_through_a_link() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("precious"), "kept").unwrap();
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        // Git lists the committed files below a folder, and the link that is there now.
        symlink(outside.path(), from.path().join("folder")).unwrap();
        let paths = ["folder", "folder/precious"].map(PathBuf::from);
        for stamp in [Stamp::Fixed, Stamp::WhenChanged] {
            copy_files(from.path(), to.path(), &paths, stamp).unwrap();
            assert_eq!(fs::read_to_string(outside.path().join("precious")).unwrap(), "kept");
            assert!(fs::symlink_metadata(to.path().join("folder")).unwrap().is_symlink());
        }

        // If the copy still has the link, a later state of the folder replaces it.
        fs::remove_file(from.path().join("folder")).unwrap();
        fs::create_dir(from.path().join("folder")).unwrap();
        fs::write(from.path().join("folder/precious"), "new").unwrap();
        copy_files(from.path(), to.path(), &paths[1..], Stamp::WhenChanged).unwrap();
        assert_eq!(fs::read_to_string(outside.path().join("precious")).unwrap(), "kept");
        assert_eq!(fs::read_to_string(to.path().join("folder/precious")).unwrap(), "new");

        // A file that became a link, and the reverse.
        symlink(outside.path().join("precious"), to.path().join("file")).unwrap();
        fs::write(from.path().join("file"), "plain").unwrap();
        copy_files(from.path(), to.path(), &["file".into()], Stamp::Fixed).unwrap();
        assert_eq!(fs::read_to_string(outside.path().join("precious")).unwrap(), "kept");
        assert_eq!(fs::read_to_string(to.path().join("file")).unwrap(), "plain");
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
