//! Everything that goes into a product, and the key that follows from it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::digest;

/// Everything that goes into one product, in order. It is written beside the product, so that a key can be explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// What is made of them.
    pub product: String,
    /// What goes in, each with a label.
    pub inputs: Vec<(String, String)>,
}

impl Inputs {
    /// Nothing yet, for a product of this kind.
    pub fn new(product: &str) -> Self {
        Self { product: product.to_owned(), inputs: Vec::new() }
    }

    /// Adds one input.
    #[must_use]
    pub fn with(mut self, label: &str, value: impl Into<String>) -> Self {
        self.inputs.push((label.to_owned(), value.into()));
        self
    }

    /// Adds a list; two lists that differ only in where one item ends and the next begins are different.
    #[must_use]
    pub fn with_all<T: Into<String>>(self, label: &str, values: impl IntoIterator<Item = T>) -> Self {
        values
            .into_iter()
            .enumerate()
            .fold(self, |inputs, (index, value)| inputs.with(&format!("{label}[{index}]"), value))
    }

    /// The key of a product that is made of these and nothing else.
    pub fn key(&self) -> Key {
        let mut text = Vec::new();
        let labelled = self.inputs.iter().flat_map(|(label, value)| [label, value]);
        for part in [&self.product].into_iter().chain(labelled) {
            text.extend_from_slice(&(part.len() as u64).to_le_bytes());
            text.extend_from_slice(part.as_bytes());
        }
        Key(digest(&text))
    }
}

/// The name of a product in the cache: the SHA-256 over its inputs, in hex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(String);

impl Key {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Parts = Vec<(String, String)>;

    proptest! {
        #[test]
        fn different_inputs_have_different_keys(a: Parts, b: Parts) {
            let [a, b] = [a, b].map(|inputs| Inputs { product: "x".into(), inputs });
            prop_assert_eq!(a == b, a.key() == b.key());
        }
    }

    #[test]
    fn the_bounds_of_items_count() {
        let key = |items: &[&str]| Inputs::new("x").with_all("flags", items.iter().copied()).key();
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a b"]), key(&["a", "b"]));
        assert_eq!(key(&["a"]).as_str().len(), 64);
    }
}
