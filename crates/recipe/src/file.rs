//! One recipe's file, before an edition is chosen.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use toml::Table;

use crate::check;
use crate::error::RecipeError;
use crate::release::{Range, Releases};
use crate::written::{Written, WrittenUpstream};

/// A recipe's file: tables for every edition, and those of versions and variants that override them.
#[derive(Clone)]
pub struct RecipeFile {
    /// The file, as it was named.
    pub file: String,
    /// SHA-256 of its text, hex.
    pub digest: String,
    /// The recipe's name.
    pub name: String,
    /// The version that the bare name means, if it has versions.
    pub version: Option<String>,
    /// Whether a driver is built; else it is a library that others need.
    pub is_stack: bool,
    pub(super) base: Table,
    pub(super) versions: BTreeMap<String, Table>,
    pub(super) ranges: Vec<(Range, Table)>,
    /// Releases that can be built without a table, if a registry lists them.
    pub releases: Option<Releases>,
    pub(super) variants: BTreeMap<String, Table>,
    pub(super) upstream: WrittenUpstream,
}

impl RecipeFile {
    /// Reads a file's text. Editions are checked when they are chosen.
    ///
    /// # Errors
    /// Fails if the text is not a recipe, with the key, the cause and the next step.
    pub fn parse(file: &str, text: &str) -> Result<Self, RecipeError> {
        let written: Written =
            toml::from_str(text).map_err(|error| RecipeError::not_toml(file, text, &error))?;
        check::header(file, &written)?;
        let mut base: Table =
            toml::from_str(text).map_err(|error| RecipeError::not_toml(file, text, &error))?;
        for key in ["version", "versions", "releases", "variants", "upstream"] {
            base.remove(key);
        }
        let ranges = check::ranges(file, &written.versions)?;
        let releases = check::releases(file, &written)?;
        let mut versions = written.versions;
        versions.retain(|key, _| !Range::is_meant(key));
        Ok(Self {
            file: file.to_owned(),
            digest: hex::encode(Sha256::digest(text.as_bytes())),
            name: written.name,
            version: written.version,
            is_stack: written.driver.is_some(),
            base,
            versions,
            ranges,
            releases,
            variants: written.variants,
            upstream: written.upstream,
        })
    }

    /// The names of its editions: the bare one, and one per version.
    #[must_use]
    pub fn editions(&self) -> Vec<String> {
        match self.versions.is_empty() {
            true => vec![self.name.clone()],
            false => self.versions.keys().map(|version| format!("{}@{version}", self.name)).collect(),
        }
    }

    /// Upstream's repository, if the recipe names it.
    #[must_use]
    pub fn repository(&self) -> Option<&str> {
        self.upstream.git.as_deref()
    }

    /// The versions that have tables of their own.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        self.versions.keys().map(String::as_str)
    }

    /// Its own variants.
    pub fn variants(&self) -> impl Iterator<Item = &str> {
        self.variants.keys().map(String::as_str)
    }

    /// The folders of drivers that its editions have, sorted.
    #[must_use]
    pub fn driver_folders(&self) -> BTreeSet<&str> {
        let ranges = self.ranges.iter().map(|(_, table)| table);
        let tables = ranges.chain(self.versions.values()).chain(self.variants.values()).chain([&self.base]);
        tables.filter_map(|table| table.get("driver")?.as_str()).collect()
    }
}
