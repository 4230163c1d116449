//! The files of a comparison.

use std::path::Path;

use anyhow::Context;
use tlslab_comparison::{Comparison, json, markdown, read};

use super::kept_profiles::{FOLDER, KeptProfiles};
use crate::bounded_read;
use crate::results::exports::Export;
use crate::results::pages::Pages;
use crate::session::Session;

/// The most bytes of a comparison's file.
const LONGEST_COMPARISON: u64 = 16 << 20;

/// Reads a `comparison.json`, which is untrusted.
///
/// # Errors
/// Fails if the file is too large, not a plain file, or not a comparison.
pub fn read_comparison(file: &Path) -> anyhow::Result<Comparison> {
    let text = bounded_read::read(file, LONGEST_COMPARISON)?;
    read(&text).with_context(|| file.display().to_string())
}

/// Writes a comparison in all formats, and its profiles.
pub(super) fn write_files(
    session: &Session<'_>,
    name: &str,
    comparison: &Comparison,
    profiles: &KeptProfiles,
) -> anyhow::Result<()> {
    let of_page = |pages: &dyn Pages| pages.comparison(comparison, &profiles.flames);
    let page = session.environment().pages.map(|pages| ("comparison.html", of_page(pages)));
    let texts = [("comparison.md", markdown(comparison)), ("comparison.json", json(comparison))];
    let texts = page.into_iter().chain(texts).map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let files: Vec<(String, Vec<u8>)> = texts.chain(profiles.files.iter().cloned()).collect();
    // Files of an earlier attempt may belong to other scenarios.
    let folder = session.results.out.join(name).join(FOLDER);
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    session.reporter().announce(&Export::write(&session.results.out, "comparison", name, &files)?);
    Ok(())
}
