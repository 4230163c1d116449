//! Secrets: their sources, and their protection from readers.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;

/// Longer secrets are rejected.
const LONGEST: u64 = 64 << 10;

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(not shown)")
    }
}

impl Secret {
    /// The text.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

/// The place of a secret: a file that nobody else can read, or a credential from systemd.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum SecretPlace {
    /// A file; relative to the folder of the configuration.
    File(PathBuf),
    /// The name of a credential (`LoadCredential=` of systemd).
    Credential(String),
}

impl SecretPlace {
    /// Reads it, without the line end at its end.
    pub(crate) fn read(&self, beside: &Path, credentials: Option<&Path>) -> anyhow::Result<Secret> {
        let path = match self {
            Self::File(path) => beside.join(path),
            Self::Credential(name) => {
                ensure!(
                    !name.is_empty() && !name.contains('/') && name != "..",
                    "credential \"{name}\": write the name of a credential without a path"
                );
                let Some(folder) = credentials else {
                    bail!(
                        "credential \"{name}\": CREDENTIALS_DIRECTORY is not set; add LoadCredential={name}:FILE to the unit"
                    );
                };
                folder.join(name)
            }
        };
        let shown = path.display();
        let about = std::fs::metadata(&path).with_context(|| format!("cannot read the secret in {shown}"))?;
        ensure!(about.is_file() && about.len() <= LONGEST, "{shown} is not a file with a secret");
        ensure!(
            about.permissions().mode() & 0o077 == 0 || matches!(self, Self::Credential(_)),
            "{shown} can be read by other users; run chmod 600 {shown}"
        );
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read the secret in {shown}"))?;
        let text = text.trim_end_matches(['\r', '\n']);
        ensure!(!text.is_empty(), "{shown} is empty; write the secret into it");
        Ok(Secret(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_others_can_read_is_refused_and_none_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s");
        std::fs::write(&file, "hush\n").unwrap();
        let place = SecretPlace::File("s".into());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(place.read(folder.path(), None).unwrap_err().to_string().contains("chmod 600"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let secret = place.read(folder.path(), None).unwrap();
        assert_eq!(secret.reveal(), "hush");
        assert!(!format!("{secret:?}").contains("hush"));
        let credential = SecretPlace::Credential("s".to_owned());
        assert_eq!(credential.read(folder.path(), Some(folder.path())).unwrap(), secret);
        assert!(credential.read(folder.path(), None).unwrap_err().to_string().contains("LoadCredential=s"));
        for wrong in ["../s", "", ".."] {
            assert!(
                SecretPlace::Credential(wrong.to_owned()).read(folder.path(), Some(folder.path())).is_err()
            );
        }
    }
}
