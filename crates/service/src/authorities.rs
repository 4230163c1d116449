//! Certificates of authorities that only a code host of one's own needs.

use std::path::Path;

use anyhow::{Context, ensure};
use tlslab_forge::Authorities;

/// Larger files are rejected, bytes.
const LONGEST: u64 = 1 << 20;

/// Reads a file with certificates in PEM.
///
/// # Errors
/// Fails if the file cannot be read, or has no complete certificate.
pub(crate) fn read(path: &Path) -> anyhow::Result<Authorities> {
    let shown = path.display();
    let about = std::fs::metadata(path).with_context(|| format!("`ca`: cannot read {shown}"))?;
    ensure!(about.is_file() && about.len() <= LONGEST, "`ca`: {shown} is not a file of certificates");
    let text = std::fs::read_to_string(path).with_context(|| format!("`ca`: cannot read {shown}"))?;
    Authorities::from_pem(&text).with_context(|| format!("`ca`: {shown}"))
}
