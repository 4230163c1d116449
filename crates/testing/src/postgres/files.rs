//! The server's folder.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use crate::postgres::programs::User;

/// A folder with the server's data, socket, log, and a certificate for `localhost`.
pub(super) struct Files {
    folder: PathBuf,
}

impl Files {
    /// Makes a new folder, owned by that user.
    pub(super) fn new(user: Option<&User>) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("tlslab-postgres-").tempdir();
        let folder = folder.map_err(|cause| format!("cannot make a temporary folder: {cause}"))?.keep();
        let files = Self { folder };
        std::fs::write(files.log(), "").map_err(|cause| files.describe(&cause))?;
        for path in [files.folder.clone(), files.log()] {
            files.give(&path, user)?;
        }
        Ok(files)
    }

    /// The folder itself.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The server's data.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The server's log.
    pub(super) fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// The server's certificate, which is self-signed.
    pub(super) fn certificate(&self) -> PathBuf {
        self.folder.join("server.pem")
    }

    /// The certificate's key.
    pub(super) fn key(&self) -> PathBuf {
        self.folder.join("server.key")
    }

    /// Makes the certificate and its key.
    pub(super) fn make_certificate(&self, user: Option<&User>) -> Result<(), String> {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
        let made = made.map_err(|cause| format!("cannot make a certificate: {cause}"))?;
        for (path, text) in
            [(self.certificate(), made.cert.pem()), (self.key(), made.signing_key.serialize_pem())]
        {
            std::fs::write(&path, text).map_err(|cause| self.describe(&cause))?;
            let mode = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&path, mode).map_err(|cause| self.describe(&cause))?;
            self.give(&path, user)?;
        }
        Ok(())
    }

    /// The end of the log.
    pub(super) fn last_words(&self) -> String {
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("; ")
    }

    fn give(&self, path: &Path, user: Option<&User>) -> Result<(), String> {
        let Some(user) = user else { return Ok(()) };
        chown(path, Some(user.uid), Some(user.gid))
            .map_err(|cause| format!("cannot give {} to {}: {cause}", path.display(), user.name))
    }

    fn describe(&self, cause: &std::io::Error) -> String {
        format!("cannot write to {}: {cause}", self.folder.display())
    }
}
