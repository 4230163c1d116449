//! Reading small text files below a root.
//!
//! A file that is missing, unreadable or blank is `None`; bytes that are not UTF-8 become the replacement
//! character.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The files of one machine. Paths are relative to its root.
#[derive(Clone, Copy)]
pub(crate) struct Tree<'a>(&'a Path);

impl<'a> Tree<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        Self(root)
    }

    /// The text of a file, trimmed.
    pub(crate) fn text(self, path: &str) -> Option<String> {
        let bytes = fs::read(self.at(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        // Files of the device tree end in a NUL.
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The text of a file as a value of type `T`.
    pub(crate) fn value<T: FromStr>(self, path: &str) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    pub(crate) fn exists(self, path: &str) -> bool {
        self.at(path).exists()
    }

    /// The names in a folder, sorted; `None` when there is no such folder.
    pub(crate) fn names(self, path: &str) -> Option<Vec<String>> {
        let entries = fs::read_dir(self.at(path)).ok()?;
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }

    fn at(self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}
