//! The prefixes of other recipes that a build uses.

use std::path::PathBuf;

use tlslab_artifact::{Cache, Key, Stage};
use tlslab_recipe::{Compiler, Placeholders};

/// The needs of a recipe: the placeholder of each prefix, and the prefix's key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs(pub Vec<(String, Key)>);

impl Needs {
    /// One line each, for a key.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.iter().map(|(word, key)| format!("{word} {key}")).collect()
    }

    /// Their paths.
    pub(crate) fn prefixes(&self, cache: &Cache) -> Vec<(String, PathBuf)> {
        self.0.iter().map(|(word, key)| (word.clone(), cache.product(Stage::Prefix, key))).collect()
    }

    /// The placeholders of a recipe that needs these.
    pub(crate) fn placeholders(&self, compiler: &Compiler, cache: &Cache) -> Placeholders {
        Placeholders::new(compiler, &self.prefixes(cache))
    }
}
