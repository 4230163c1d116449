//! The PKI on disk.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tlslab_protocol::{ClientCredentials, Credentials, KeyType};

use crate::hierarchy::Hierarchy;
use crate::{PkiError, manifest};

/// The name in every leaf.
pub const SERVER_NAME: &str = "server.tlslab.test";

/// A name that is in no certificate.
pub const WRONG_NAME: &str = "wrong.tlslab.test";

/// The keys and certificates of every key type, in a directory that was found complete and unaltered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pki {
    dir: PathBuf,
    digest: String,
}

impl Pki {
    /// The PKI in `dir`, made first if there is none. Several processes may do this at once: all get the same one.
    pub fn ensure(dir: &Path) -> Result<Self, PkiError> {
        Self::ensure_with_progress(dir, &mut |_| {})
    }

    /// As [`ensure`](Self::ensure), and tells what takes time: a sentence without its full stop per key type
    /// that is made, nothing when the PKI is there.
    pub fn ensure_with_progress(dir: &Path, progress: &mut dyn FnMut(&str)) -> Result<Self, PkiError> {
        ensure(dir, &KeyType::ALL, progress)
    }

    /// What a scenario with this key type needs.
    pub fn credentials(&self, key_type: KeyType) -> Credentials {
        let path = |role: &str| self.dir.join(file_name(key_type, role));
        Credentials {
            root: path(ROOT),
            chain: vec![path(LEAF), path(INTERMEDIATE)],
            key: path(LEAF_KEY),
            server_name: SERVER_NAME.to_owned(),
            client: None,
            psk: None,
            peer_share: vec![],
        }
    }

    /// What a client shows and a server trusts where both sides show certificates.
    pub fn client_credentials(&self, key_type: KeyType) -> ClientCredentials {
        let path = |role: &str| self.dir.join(file_name(key_type, role));
        ClientCredentials {
            root: path(ROOT),
            chain: vec![path(CLIENT), path(INTERMEDIATE)],
            key: path(CLIENT_KEY),
        }
    }

    /// The same chain, but the server trusts a root that did not sign it.
    pub fn client_credentials_with_other_root(&self, key_type: KeyType) -> ClientCredentials {
        let root = self.dir.join(file_name(key_type, OTHER_ROOT));
        ClientCredentials { root, ..self.client_credentials(key_type) }
    }

    /// A client that has nothing to show.
    pub fn client_credentials_without_chain(&self, key_type: KeyType) -> ClientCredentials {
        ClientCredentials { chain: vec![], ..self.client_credentials(key_type) }
    }

    /// The same chain, but the client trusts a root that did not sign it. That root has the right one's name and
    /// key identifier.
    pub fn credentials_with_other_root(&self, key_type: KeyType) -> Credentials {
        Credentials { root: self.dir.join(file_name(key_type, OTHER_ROOT)), ..self.credentials(key_type) }
    }

    /// The same chain, but the client asks for a name that is not in it.
    pub fn credentials_with_wrong_name(&self, key_type: KeyType) -> Credentials {
        Credentials { server_name: WRONG_NAME.to_owned(), ..self.credentials(key_type) }
    }

    /// Identifies the keys and certificates wherever they are stored: SHA-256 of the manifest, in hex.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Where it is, as an absolute path.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

fn ensure(dir: &Path, key_types: &[KeyType], progress: &mut dyn FnMut(&str)) -> Result<Pki, PkiError> {
    let dir = std::path::absolute(dir).map_err(PkiError::io("resolve", dir))?;
    if is_vacant(&dir)? {
        make(&dir, key_types, progress)?;
    }
    load(dir, key_types)
}

/// Whether nothing is there; an empty directory is nothing.
fn is_vacant(dir: &Path) -> Result<bool, PkiError> {
    match fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(cause) => Err(PkiError::io("read", dir)(cause)),
    }
}

/// Makes everything in a directory beside `dir`, then renames that. Whoever comes second to the rename finds the
/// place taken and drops its own.
fn make(dir: &Path, key_types: &[KeyType], progress: &mut dyn FnMut(&str)) -> Result<(), PkiError> {
    let parent = dir.parent().unwrap_or(dir);
    fs::create_dir_all(parent).map_err(PkiError::io("create", parent))?;
    let unfinished = tempfile::Builder::new()
        .prefix(".unfinished-pki-")
        .tempdir_in(parent)
        .map_err(PkiError::io("create a directory in", parent))?;

    let mut files = Vec::new();
    for &key_type in key_types {
        progress(&format!("making the {key_type} keys and certificates"));
        let made = Hierarchy::issue(key_type, SERVER_NAME)?;
        let subdirectory = unfinished.path().join(key_type.name());
        fs::create_dir(&subdirectory).map_err(PkiError::io("create", subdirectory))?;
        for (role, content) in [
            (ROOT, made.root),
            (INTERMEDIATE, made.intermediate),
            (LEAF, made.leaf),
            (LEAF_KEY, made.key),
            (OTHER_ROOT, made.other_root),
            (CLIENT, made.client),
            (CLIENT_KEY, made.client_key),
        ] {
            let name = file_name(key_type, role);
            let mode = if [LEAF_KEY, CLIENT_KEY].contains(&role) { 0o600 } else { 0o644 };
            write(&unfinished.path().join(&name), &content, mode)?;
            files.push((name, content));
        }
    }
    let manifest = manifest::write(files.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
    write(&unfinished.path().join(manifest::FILE_NAME), manifest.as_bytes(), 0o644)?;

    match fs::rename(unfinished.path(), dir) {
        Ok(()) => {
            // It has moved away: there is nothing left to clean up.
            let _ = unfinished.keep();
            Ok(())
        }
        Err(cause) if cause.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        Err(cause) => Err(PkiError::io("create", dir)(cause)),
    }
}

fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), PkiError> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .and_then(|mut file| {
            file.write_all(content)?;
            // Else a machine that loses power after the rename may come back with empty files.
            file.sync_all()
        })
        .map_err(PkiError::io("write", path))
}

fn load(dir: PathBuf, key_types: &[KeyType]) -> Result<Pki, PkiError> {
    let read = |name: &str| match fs::read(dir.join(name)) {
        Ok(content) => Ok(content),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            Err(PkiError::Damaged { dir: dir.clone(), what: format!("`{name}` is missing") })
        }
        Err(cause) => Err(PkiError::io("read", dir.join(name))(cause)),
    };
    // Telling someone to delete a directory that is theirs would be worse than any damage.
    if !dir.join(manifest::FILE_NAME).exists() {
        return Err(PkiError::Foreign { dir });
    }
    let manifest = read(manifest::FILE_NAME)?;
    let mut files = Vec::new();
    for &key_type in key_types {
        for role in ROLES {
            let name = file_name(key_type, role);
            let content = read(&name)?;
            files.push((name, content));
        }
    }
    let difference = manifest::difference(
        &String::from_utf8_lossy(&manifest),
        files.iter().map(|(name, content)| (name.as_str(), content.as_slice())),
    );
    match difference {
        Some(what) => Err(PkiError::Damaged { dir, what }),
        None => Ok(Pki { digest: manifest::sha256(&manifest), dir }),
    }
}

fn file_name(key_type: KeyType, role: &str) -> String {
    format!("{key_type}/{role}.der")
}

const ROOT: &str = "root";
const INTERMEDIATE: &str = "intermediate";
const LEAF: &str = "leaf";
const LEAF_KEY: &str = "leaf-key";
const OTHER_ROOT: &str = "other-root";
const CLIENT: &str = "client";
const CLIENT_KEY: &str = "client-key";
const ROLES: [&str; 7] = [ROOT, INTERMEDIATE, LEAF, LEAF_KEY, OTHER_ROOT, CLIENT, CLIENT_KEY];

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the key type that is quick to make.
    fn quick(dir: &Path) -> Result<Pki, PkiError> {
        ensure(dir, &[KeyType::EcdsaP256], &mut |_| {})
    }

    fn error_text(dir: &Path) -> String {
        quick(dir).unwrap_err().to_string().replace(dir.to_str().unwrap(), "/pki")
    }

    #[test]
    fn is_made_once() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("below/pki");
        let first = quick(&dir).unwrap();
        assert_eq!(first, quick(&dir).unwrap());
        assert_eq!(first.digest().len(), 64);
        assert_ne!(first.digest(), quick(&place.path().join("another")).unwrap().digest());
        let left: Vec<_> = fs::read_dir(dir.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn an_empty_directory_and_a_moved_one_are_fine() {
        let place = tempfile::tempdir().unwrap();
        let first = quick(place.path()).unwrap();
        let second_place = tempfile::tempdir().unwrap();
        let moved = second_place.path().join("pki");
        fs::rename(place.path(), &moved).unwrap();
        assert_eq!(first.digest(), quick(&moved).unwrap().digest());
    }

    #[test]
    fn several_at_once_get_the_same_one() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("pki");
        let made: Vec<Pki> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..8).map(|_| scope.spawn(|| quick(&dir).unwrap())).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(made.iter().all(|pki| *pki == made[0]));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn damage_is_told_with_the_way_out() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("pki");
        quick(&dir).unwrap();

        let leaf = dir.join("ecdsa-p256/leaf.der");
        let content = fs::read(&leaf).unwrap();
        fs::write(&leaf, &content[1..]).unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki` is damaged: `ecdsa-p256/leaf.der` does not have the SHA-256 that `MANIFEST.sha256` says; delete the directory, and the next run makes new keys and certificates");

        fs::remove_file(&leaf).unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki` is damaged: `ecdsa-p256/leaf.der` is missing; delete the directory, and the next run makes new keys and certificates");

        fs::write(&leaf, content).unwrap();
        let manifest = dir.join(manifest::FILE_NAME);
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, format!("{text}0000  extra\n")).unwrap();
        insta::assert_snapshot!(error_text(&dir), @r#"the PKI in `/pki` is damaged: `MANIFEST.sha256` has a line too many: "0000  extra"; delete the directory, and the next run makes new keys and certificates"#);

        fs::write(&manifest, text.lines().take(3).collect::<Vec<_>>().join("\n")).unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki` is damaged: `MANIFEST.sha256` does not list `ecdsa-p256/leaf.der` where it should; delete the directory, and the next run makes new keys and certificates");

        fs::write(&manifest, "").unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki` is damaged: `MANIFEST.sha256` is of another layout; delete the directory, and the next run makes new keys and certificates");

        fs::write(&manifest, text).unwrap();
        quick(&dir).unwrap();
    }

    #[test]
    fn nobody_is_told_to_delete_a_directory_of_other_things() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("thesis.tex"), "").unwrap();
        insta::assert_snapshot!(error_text(place.path()), @"`/pki` holds files but not the lab's PKI; choose another directory for it");
    }

    #[test]
    fn a_place_that_is_a_file_is_told() {
        let place = tempfile::NamedTempFile::new().unwrap();
        insta::assert_snapshot!(error_text(place.path()), @"cannot read `/pki`: Not a directory (os error 20); give the lab access to it, or choose another place");
    }
}
