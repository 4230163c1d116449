//! A user's own folder, with files next to those of the lab.

use std::path::Path;
use std::process::Command;

use super::lab_without_root;

/// Idle connections, fewer than the curated scenarios hold: `few/1000`.
pub(crate) const FEW_IDLE: (&str, &str) = (
    "scenarios/few.toml",
    r#"
title = "A few idle connections"
name = "few/{held}"
work = "idle"
[axes]
version = "1.3"
signature = "ecdsa-p256"
group = "x25519"
suite = "aes-128-gcm"
verification = "none"
held = 1000
"#,
);

/// A new folder that names the lab, with these files.
pub(crate) fn own_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let own = tempfile::tempdir().unwrap();
    let lab = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().unwrap();
    let configuration = format!("lab = {:?}\n", lab.display().to_string());
    for (file, text) in files.iter().chain(&[("tlslab.toml", &*configuration)]) {
        let file = own.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    own
}

/// The lab's command there. Without --root: the folder is found like a user's, from where the command is
/// called.
pub(crate) fn lab_in(own: &Path) -> Command {
    let mut command = lab_without_root();
    command.current_dir(own);
    command
}
