//! The manifest: all files with their SHA-256, in the format of `sha256sum`, so that it can be checked by
//! hand.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The manifest's file name.
pub(crate) const FILE_NAME: &str = "MANIFEST.sha256";

/// A PKI of another layout fails on this line, and so is not reported as damaged.
const HEADER: &str = "# tlslab PKI, layout 5\n";

/// A directory's name for this layout, so that several can coexist.
pub const LAYOUT: &str = "layout-5";

/// The manifest of files given as name and content, in the given order.
pub(crate) fn write<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> String {
    let mut text = HEADER.to_owned();
    for (name, content) in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}  {name}", sha256(content));
    }
    text
}

/// The difference between files and the manifest, if any.
pub(crate) fn difference<'f>(
    manifest: &str,
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
) -> Option<String> {
    let Some(lines) = manifest.strip_prefix(HEADER) else {
        return Some(format!("`{FILE_NAME}` is of another layout"));
    };
    let mut lines = lines.lines();
    for (name, content) in files {
        match lines.next().and_then(|line| line.split_once("  ")) {
            Some((hash, listed)) if listed == name && hash == sha256(content) => {}
            Some((_, listed)) if listed == name => {
                return Some(format!("`{name}` does not have the SHA-256 that `{FILE_NAME}` says"));
            }
            _ => return Some(format!("`{FILE_NAME}` does not list `{name}` where it should")),
        }
    }
    lines.next().map(|line| format!("`{FILE_NAME}` has a line too many: {line:?}"))
}

/// SHA-256 in hex.
pub(crate) fn sha256(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}
