//! The files of a comparison.

use std::path::Path;

use anyhow::Context;
use tlslab_comparison::{Comparison, html, json, markdown, read};

use crate::bounded_read;
use crate::exports::Export;
use crate::session::Session;

/// Bytes of a file that is read as a comparison.
const LONGEST_COMPARISON: u64 = 16 << 20;

/// Reads a `comparison.json`, which may come from anybody.
///
/// # Errors
/// A file that is too large, not a plain file, or not a comparison.
pub fn read_comparison(file: &Path) -> anyhow::Result<Comparison> {
    let text = bounded_read::read(file, LONGEST_COMPARISON)?;
    read(&text).with_context(|| file.display().to_string())
}

/// Writes a comparison in all formats.
pub fn write_files(session: &Session<'_>, name: &str, comparison: &Comparison) -> anyhow::Result<()> {
    let files = [
        ("comparison.html", html(comparison)),
        ("comparison.md", markdown(comparison)),
        ("comparison.json", json(comparison)),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text));
    session.announce(&Export::write(&session.results.out, "comparison", name, &files)?);
    Ok(())
}
