//! Files that may be anybody's.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};

/// The text of a plain file of at most so many bytes. A link is none: it may lead to what nobody meant to show.
pub fn read(path: &Path, longest: u64) -> anyhow::Result<String> {
    let shown = path.display();
    let kind = fs::symlink_metadata(path).with_context(|| format!("cannot open {shown}"))?;
    ensure!(kind.is_file(), "{shown} is no plain file");
    let mut text = String::new();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    file.take(longest + 1).read_to_string(&mut text).with_context(|| format!("cannot read {shown}"))?;
    ensure!(text.len() as u64 <= longest, "{shown} has more than {longest} bytes");
    Ok(text)
}
