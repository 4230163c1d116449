//! Patterns over names of files and branches.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Whether one of the patterns is of this name. They were checked with the configuration.
pub(crate) fn matches(patterns: &[String], name: &str) -> bool {
    compiled(patterns).is_ok_and(|patterns| patterns.is_match(name))
}

fn compiled(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|cause| format!("the pattern \"{pattern}\": {}", cause.kind()))?);
    }
    set.build().map_err(|cause| cause.kind().to_string())
}

/// What is wrong with these patterns.
///
/// # Errors
/// An invalid pattern.
pub(crate) fn check<'p>(all: impl IntoIterator<Item = &'p Vec<String>>) -> Result<(), String> {
    all.into_iter().try_for_each(|patterns| compiled(patterns).map(drop))
}
