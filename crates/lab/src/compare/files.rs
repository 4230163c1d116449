//! The files of a comparison.

use std::path::Path;

use anyhow::Context;
use tlslab_comparison::{Comparison, json, markdown, read};

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
    let page = session.environment.pages.map(|pages| ("comparison.html", pages.comparison(comparison)));
    let texts = [("comparison.md", markdown(comparison)), ("comparison.json", json(comparison))];
    let files: Vec<_> = page.into_iter().chain(texts).map(|(name, text)| (name.to_owned(), text)).collect();
    session.announce(&Export::write(&session.results.out, "comparison", name, &files)?);
    Ok(())
}
