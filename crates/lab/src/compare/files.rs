//! The files of a comparison.

use std::fs;
use std::path::Path;

use anyhow::Context;
use tlslab_comparison::{Comparison, html, json, markdown, read};

use crate::event::Event;
use crate::session::Session;
use crate::untrusted;

/// Bytes of a file that is read as a comparison.
const LONGEST_COMPARISON: u64 = 16 << 20;

/// Reads a `comparison.json`, which may come from anybody.
///
/// # Errors
/// A file that is too large, not a plain file, or not a comparison.
pub fn read_comparison(file: &Path) -> anyhow::Result<Comparison> {
    let text = untrusted::read(file, LONGEST_COMPARISON)?;
    read(&text).with_context(|| file.display().to_string())
}

/// Writes a comparison in all formats.
pub fn write_files(
    session: &Session<'_>,
    out: &Path,
    name: &str,
    comparison: &Comparison,
) -> anyhow::Result<()> {
    let folder = out.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    for (file, text) in [
        ("comparison.html", html(comparison)),
        ("comparison.md", markdown(comparison)),
        ("comparison.json", json(comparison)),
    ] {
        let path = folder.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let page = folder.join("comparison.html");
    session.emit(&Event::Written {
        what: "comparison",
        page: page.canonicalize().unwrap_or(page),
        beside: ["comparison.md", "comparison.json"].map(str::to_owned).to_vec(),
    });
    Ok(())
}
