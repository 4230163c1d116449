//! Histories of releases as files for a repository.

use std::fs;
use std::path::Path;

use anyhow::Context;
use tlslab_report::timeline::{Timelines, pages};

/// Writes a page for each stack with its drawings, and an index page. Returns their number.
///
/// # Errors
/// Fails if a folder or file cannot be written.
pub fn write_pages(folder: &Path, timelines: &Timelines) -> anyhow::Result<usize> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let files = pages(timelines);
    for (name, text) in &files {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(files.len())
}
