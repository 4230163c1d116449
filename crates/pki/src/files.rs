//! The folder of one key type.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use tlslab_protocol::KeyType;

use crate::{PkiError, hierarchy, manifest, roles};

/// Makes a key type's files in a temporary directory, then renames that to its place in `dir`. If the place
/// is already taken, it discards its own.
pub(crate) fn make(dir: &Path, key_type: KeyType, server_name: &str) -> Result<(), PkiError> {
    fs::create_dir_all(dir).map_err(PkiError::io("create", dir))?;
    let unfinished = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(dir)
        .map_err(PkiError::io("create a directory in", dir))?;

    let mut made = hierarchy::issue(key_type, server_name)?;
    let mut files = Vec::new();
    for role in roles::all() {
        let at = made.iter().position(|(known, _)| *known == role);
        let (_, content) = made.swap_remove(at.expect("every role is made"));
        let name = roles::file_name(key_type, &role);
        let mode = if roles::is_key(&role) { 0o600 } else { 0o644 };
        write(&unfinished.path().join(format!("{role}.{}", roles::extension(&role))), &content, mode)?;
        files.push((name, content));
    }
    let manifest = manifest::write(files.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
    write(&unfinished.path().join(manifest::FILE_NAME), manifest.as_bytes(), 0o644)?;

    let place = dir.join(key_type.name());
    match fs::rename(unfinished.path(), &place) {
        Ok(()) => {
            // It was renamed: there is nothing to clean up.
            let _ = unfinished.keep();
            Ok(())
        }
        Err(cause) if cause.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        Err(cause) => Err(PkiError::io("create", place)(cause)),
    }
}

/// The SHA-256 of a key type's manifest, in hex, if all files match it.
pub(crate) fn load(dir: &Path, key_type: KeyType) -> Result<String, PkiError> {
    let place = dir.join(key_type.name());
    let damaged = |what| PkiError::Damaged { dir: place.clone(), what };
    let read = |path: &Path, name: &str| match fs::read(path) {
        Ok(content) => Ok(content),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(damaged(format!("`{name}` is missing"))),
        Err(cause) => Err(PkiError::io("read", path)(cause)),
    };
    // It must never advise a user to delete a directory of their own.
    let manifest = place.join(manifest::FILE_NAME);
    if !manifest.exists() {
        return Err(PkiError::Foreign { dir: place });
    }
    let manifest = read(&manifest, manifest::FILE_NAME)?;
    let mut files = Vec::new();
    for role in roles::all() {
        let name = roles::file_name(key_type, &role);
        let content = read(&dir.join(&name), &name)?;
        files.push((name, content));
    }
    let difference = manifest::difference(
        &String::from_utf8_lossy(&manifest),
        files.iter().map(|(name, content)| (name.as_str(), content.as_slice())),
    );
    match difference {
        Some(what) => Err(damaged(what)),
        None => Ok(manifest::sha256(&manifest)),
    }
}

/// Whether the directory is missing or empty.
pub(crate) fn is_vacant(dir: &Path) -> Result<bool, PkiError> {
    match fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(cause) => Err(PkiError::io("read", dir)(cause)),
    }
}

/// Whether a directory contains only key types, as far as it exists.
pub(crate) fn is_ours(dir: &Path) -> Result<bool, PkiError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(cause) => return Err(PkiError::io("read", dir)(cause)),
    };
    for entry in entries {
        let name = entry.map_err(PkiError::io("read", dir))?.file_name();
        let name = name.to_string_lossy();
        if !KeyType::ALL.iter().any(|key_type| key_type.name() == name) && !name.starts_with(UNFINISHED) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), PkiError> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .and_then(|mut file| {
            file.write_all(content)?;
            // Otherwise a machine that loses power after the rename may have empty files.
            file.sync_all()
        })
        .map_err(PkiError::io("write", path))
}

/// The name of a directory until all its files exist.
const UNFINISHED: &str = ".unfinished-";
