//! Files that may be anybody's.

use std::path::Path;

use anyhow::Context;

/// The text of a plain file of at most so many bytes. A link is none: it may lead to what nobody meant to show.
pub fn read(path: &Path, longest: u64) -> anyhow::Result<String> {
    tlslab_artifact::read_plain_text(path, longest).with_context(|| format!("cannot read {}", path.display()))
}
