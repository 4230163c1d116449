//! The PKI on disk.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tlslab_protocol::{ClientCredentials, Credentials, KeyType};

use crate::{Defect, PkiError, files, manifest, roles};

/// The name in every leaf.
pub const SERVER_NAME: &str = "server.tlslab.test";

/// A name that no certificate contains.
pub const WRONG_NAME: &str = "wrong.tlslab.test";

/// The keys and certificates of some key types, in a folder that was found complete and unaltered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pki {
    dir: PathBuf,
    digest: String,
}

impl Pki {
    /// The PKI in `dir` for these key types; missing ones are made first. Several processes may do this at
    /// once: all get the same one.
    pub fn ensure(dir: &Path, key_types: &[KeyType]) -> Result<Self, PkiError> {
        Self::ensure_with_progress(dir, key_types, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`ensure`](Self::ensure), and calls `begins` with a sentence without its full stop before each key
    /// type that is made; if `begins` breaks off, it returns [`PkiError::Stopped`].
    pub fn ensure_with_progress(
        dir: &Path,
        key_types: &[KeyType],
        begins: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Self, PkiError> {
        let dir = std::path::absolute(dir).map_err(PkiError::io("resolve", dir))?;
        if !files::is_ours(&dir)? {
            return Err(PkiError::Foreign { dir });
        }
        let mut manifests = String::new();
        for key_type in KeyType::ALL.iter().filter(|key_type| key_types.contains(key_type)) {
            if files::is_vacant(&dir.join(key_type.name()))? {
                if begins(&format!("making the {key_type} keys and certificates")).is_break() {
                    return Err(PkiError::Stopped);
                }
                files::make(&dir, *key_type, SERVER_NAME)?;
            }
            manifests.push_str(&files::load(&dir, *key_type)?);
        }
        Ok(Self { digest: manifest::sha256(manifests.as_bytes()), dir })
    }

    /// The files of a scenario with this key type and this length of chain. The key type must be one of those
    /// that were ensured.
    pub fn credentials(&self, key_type: KeyType, chain: u32) -> Credentials {
        Credentials {
            root: self.path(key_type, roles::ROOT),
            roots: None,
            chain: self.chain(key_type, roles::leaf(chain), chain),
            key: self.path(key_type, roles::LEAF_KEY),
            server_name: SERVER_NAME.to_owned(),
            client: None,
            psk: None,
            peer_share: vec![],
        }
    }

    /// The files for a client's certificate and its verification by a server.
    pub fn client_credentials(&self, key_type: KeyType, chain: u32) -> ClientCredentials {
        ClientCredentials {
            root: self.path(key_type, roles::ROOT),
            chain: self.chain(key_type, roles::client(chain), chain),
            key: self.path(key_type, roles::CLIENT_KEY),
        }
    }

    /// A server's chain of this length whose leaf has a defect; its key is that of the valid leaf.
    pub fn defective_chain(&self, key_type: KeyType, chain: u32, defect: Defect) -> Vec<PathBuf> {
        self.chain(key_type, roles::defective(defect, chain), chain)
    }

    /// A root that did not sign the chain, with the name and key identifier of the one that did.
    pub fn other_root(&self, key_type: KeyType) -> PathBuf {
        self.path(key_type, roles::OTHER_ROOT)
    }

    /// A PEM file of `count` roots with the right one among them; `count` is one of
    /// [`Scenario::ROOTS`](tlslab_protocol::Scenario::ROOTS).
    pub fn roots(&self, key_type: KeyType, count: u32) -> PathBuf {
        self.path(key_type, &roles::roots(count, roles::ROOT))
    }

    /// The same with the root that did not sign in place of the right one.
    pub fn other_roots(&self, key_type: KeyType, count: u32) -> PathBuf {
        self.path(key_type, &roles::roots(count, roles::OTHER_ROOT))
    }

    /// The identity of the ensured key types' keys and certificates, independent of their place: SHA-256 of
    /// their manifests' SHA-256, in hex.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Its absolute path.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A certificate and the intermediates above it, without the root.
    fn chain(&self, key_type: KeyType, end: String, chain: u32) -> Vec<PathBuf> {
        let above = (1..chain).rev().map(roles::intermediate);
        std::iter::once(end).chain(above).map(|role| self.path(key_type, &role)).collect()
    }

    fn path(&self, key_type: KeyType, role: &str) -> PathBuf {
        self.dir.join(roles::file_name(key_type, role))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Only the key type that is fast to make.
    fn quick(dir: &Path) -> Result<Pki, PkiError> {
        Pki::ensure(dir, &[KeyType::EcdsaP256])
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
        let left: Vec<_> = fs::read_dir(&dir).unwrap().collect();
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
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    }

    #[test]
    fn damage_is_reported_with_the_way_out() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("pki");
        quick(&dir).unwrap();

        let leaf = dir.join("ecdsa-p256/leaf-2.der");
        let content = fs::read(&leaf).unwrap();
        fs::write(&leaf, &content[1..]).unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki/ecdsa-p256` is damaged: `ecdsa-p256/leaf-2.der` does not have the SHA-256 that `MANIFEST.sha256` says; delete the directory, and the next run makes new keys and certificates");

        fs::remove_file(&leaf).unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki/ecdsa-p256` is damaged: `ecdsa-p256/leaf-2.der` is missing; delete the directory, and the next run makes new keys and certificates");

        fs::write(&leaf, content).unwrap();
        let manifest = dir.join("ecdsa-p256").join(manifest::FILE_NAME);
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, format!("{text}0000  extra\n")).unwrap();
        insta::assert_snapshot!(error_text(&dir), @r#"the PKI in `/pki/ecdsa-p256` is damaged: `MANIFEST.sha256` has a line too many: "0000  extra"; delete the directory, and the next run makes new keys and certificates"#);

        fs::write(&manifest, text.lines().take(3).collect::<Vec<_>>().join("\n")).unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki/ecdsa-p256` is damaged: `MANIFEST.sha256` does not list `ecdsa-p256/leaf-key.der` where it should; delete the directory, and the next run makes new keys and certificates");

        fs::write(&manifest, "").unwrap();
        insta::assert_snapshot!(error_text(&dir), @"the PKI in `/pki/ecdsa-p256` is damaged: `MANIFEST.sha256` is of another layout; delete the directory, and the next run makes new keys and certificates");

        fs::write(&manifest, text).unwrap();
        quick(&dir).unwrap();
    }

    #[test]
    fn nobody_is_advised_to_delete_a_directory_of_other_things() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("thesis.tex"), "").unwrap();
        insta::assert_snapshot!(error_text(place.path()), @"`/pki` holds files but not the lab's PKI; choose another directory for it");
    }

    #[test]
    fn a_key_type_is_made_when_it_is_asked_for() {
        let place = tempfile::tempdir().unwrap();
        let first = quick(place.path()).unwrap();
        let mut described = Vec::new();
        let both = [KeyType::Ed25519, KeyType::EcdsaP256];
        let stopped = Pki::ensure_with_progress(place.path(), &both, &mut |_| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(PkiError::Stopped)), "{stopped:?}");
        let mut note = |line: &str| {
            described.push(line.to_owned());
            ControlFlow::Continue(())
        };
        let second = Pki::ensure_with_progress(place.path(), &both, &mut note).unwrap();
        assert_eq!(described, ["making the ed25519 keys and certificates"]);
        assert_ne!(first.digest(), second.digest());
        assert_eq!(first, quick(place.path()).unwrap());
    }

    #[test]
    fn a_place_that_is_a_file_is_reported() {
        let place = tempfile::NamedTempFile::new().unwrap();
        insta::assert_snapshot!(error_text(place.path()), @"cannot read `/pki`: Not a directory (os error 20); give the lab access to it, or choose another place");
    }
}
