//! The lab's own tree at the time of the program's compilation: the files, their digest, and a folder that
//! contains them.
//!
//! An unpacked folder is compared with the program byte by byte before it is used, so neither a crash nor an
//! edit in the cache affects measurements.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};

/// Path and content of each file, sorted by path.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Held while a folder is created.
const LOCK: &str = ".lock";

/// An incomplete folder, perhaps of a killed process.
const FRESH: &str = ".new";

/// The tree cannot be unpacked: the folder and the cause.
#[derive(Debug, thiserror::Error)]
#[error("cannot unpack the lab's files into {folder}: {cause}; name another folder with --cache")]
pub struct UnpackError {
    folder: String,
    cause: io::Error,
}

/// The program's version and the commit from which it was compiled; unknown if it was not in a repository.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("TLSLAB_BUILT_FROM"), ")");

/// The content of a file of the tree.
#[must_use]
pub fn content(path: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, content)| *content)
}

/// SHA-256 of all paths and contents, the first 16 hex digits.
#[must_use]
pub fn digest() -> String {
    let mut hash = Sha256::new();
    for (path, content) in FILES {
        for part in [path.as_bytes(), content] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hex::encode(&hash.finalize()[..8])
}

/// A folder below `cache/lab` that contains exactly the files; it is created if it does not exist. Any number
/// of processes may do this at once: the folder is complete before it has its name.
///
/// # Errors
/// Fails if the folder cannot be written.
pub fn unpack(cache: &Path) -> Result<PathBuf, UnpackError> {
    let above = cache.join("lab");
    let place = above.join(digest());
    match is_whole(&place) {
        true => Ok(()),
        false => replace(&above, &place),
    }
    .map_err(|cause| UnpackError { folder: place.display().to_string(), cause })?;
    Ok(place)
}

/// Moves a fresh folder into place. One process at a time does this, so that none removes another's new
/// folder.
fn replace(above: &Path, place: &Path) -> io::Result<()> {
    fs::create_dir_all(above)?;
    let lock = File::create(above.join(LOCK))?;
    lock.lock()?;
    if is_whole(place) {
        return Ok(());
    }
    let fresh = above.join(FRESH);
    remove(&fresh)?;
    write(&fresh)?;
    remove(place)?;
    fs::rename(&fresh, place)
}

/// Removes a folder and its contents; a missing folder is not an error.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn write(tree: &Path) -> io::Result<()> {
    for (path, content) in FILES {
        let file = tree.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, content)?;
    }
    Ok(())
}

/// Whether a folder contains exactly these files, and only regular ones.
fn is_whole(place: &Path) -> bool {
    let is_same = |(path, content): &(&str, &[u8])| {
        let file = place.join(path);
        let is_plain = fs::symlink_metadata(&file).is_ok_and(|kind| kind.is_file());
        is_plain && fs::read(file).is_ok_and(|found| found == *content)
    };
    count(place).is_ok_and(|found| found == FILES.len()) && FILES.iter().all(is_same)
}

/// The number of entries below a folder that are not folders.
fn count(folder: &Path) -> io::Result<usize> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found += match entry.file_type()?.is_dir() {
            true => count(&entry.path())?,
            false => 1,
        };
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_unpack_at_once_get_one_whole_folder() {
        let cache = tempfile::tempdir().unwrap();
        let places: Vec<PathBuf> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| unpack(cache.path()).unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(places.iter().all(|place| *place == places[0] && is_whole(place)));
        let left = fs::read_dir(cache.path().join("lab")).unwrap().flatten();
        let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        left.sort();
        assert_eq!(left, [LOCK.into(), digest().into()] as [std::ffi::OsString; 2]);
    }

    #[test]
    fn a_folder_that_was_changed_is_made_again() {
        let cache = tempfile::tempdir().unwrap();
        let place = unpack(cache.path()).unwrap();
        let made = |place: &Path| fs::metadata(place.join("tlslab.toml")).unwrap().modified().unwrap();
        let first = made(&place);
        assert_eq!(made(&unpack(cache.path()).unwrap()), first, "a whole one is used as it is");

        let changes: [&dyn Fn(); 4] = [
            &|| fs::write(place.join("tlslab.toml"), "[run]").unwrap(),
            &|| fs::remove_file(place.join("parts.toml")).unwrap(),
            &|| fs::write(place.join("stacks/planted.toml"), "").unwrap(),
            &|| {
                fs::remove_file(place.join("parts.toml")).unwrap();
                std::os::unix::fs::symlink("tlslab.toml", place.join("parts.toml")).unwrap();
            },
        ];
        for (at, change) in changes.into_iter().enumerate() {
            change();
            assert!(!is_whole(&place), "change {at}");
            assert!(is_whole(&unpack(cache.path()).unwrap()), "change {at}");
        }
    }

    #[test]
    fn what_a_killed_process_left_is_no_obstacle() {
        let cache = tempfile::tempdir().unwrap();
        fs::create_dir_all(cache.path().join("lab").join(FRESH).join("stacks")).unwrap();
        fs::write(cache.path().join("lab").join(FRESH).join("stacks/planted.toml"), "").unwrap();
        assert!(is_whole(&unpack(cache.path()).unwrap()));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("lab"), "no folder").unwrap();
        let error = unpack(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&folder.path().join("lab").display().to_string()), "{error}");
    }

    #[test]
    fn the_embedded_files_are_those_of_the_checkout() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (path, content) in FILES {
            assert!(fs::read(root.join(path)).unwrap() == *content, "{path}");
        }
        for needed in
            ["tlslab.toml", "parts.toml", "crates/driver-kit/Cargo.toml", "instruments/counter/COPYING"]
        {
            assert!(self::content(needed).is_some(), "{needed}");
        }
        assert!(FILES.is_sorted_by_key(|(path, _)| Path::new(path)));
    }
}
