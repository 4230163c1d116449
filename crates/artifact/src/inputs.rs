//! Everything that goes into a product, and the key that follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::digest;

/// How the labels of tools begin, each with its name and digest.
pub(crate) const MADE_WITH: &str = "made with";
/// The labels of compilers.
const COMPILERS: [&str; 2] = ["cc", "rustc"];

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

    /// The tools that differ from those of another product, if that was made of the same otherwise; none if it was not.
    pub fn other_tools(&self, before: &Self) -> Option<BTreeSet<String>> {
        let (now, then) = (self.by_name(), before.by_name());
        let names: BTreeSet<&String> = now.keys().chain(then.keys()).collect();
        let differ: Vec<&String> =
            names.into_iter().filter(|name| now.get(*name) != then.get(*name)).collect();
        let tool = |name: &&String| match name.strip_prefix(MADE_WITH) {
            Some(tool) => Some(tool.trim_start().to_owned()),
            None => COMPILERS.contains(&name.as_str()).then(|| (*name).clone()),
        };
        let tools: Option<BTreeSet<String>> = differ.iter().map(tool).collect();
        tools.filter(|tools| !tools.is_empty() && self.product == before.product)
    }

    /// Each input by its label; a tool by its name, as their places in the list move.
    fn by_name(&self) -> BTreeMap<String, &str> {
        let named = |(label, value): &'_ (String, String)| match label.starts_with(MADE_WITH) {
            true => format!("{MADE_WITH} {}", value.split(' ').next().unwrap_or_default()),
            false => label.clone(),
        };
        self.inputs.iter().map(|input| (named(input), input.1.as_str())).collect()
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
    fn a_tool_that_changed_is_named() {
        let made = |source: &str, flags: &str, perl: &str| {
            let tools = ["ar 1".to_owned(), format!("perl {perl}")];
            Inputs::new("prefix").with("source", source).with("flags", flags).with_all(MADE_WITH, tools)
        };
        let now = made("s", "-O2", "2");
        assert_eq!(now.other_tools(&made("s", "-O2", "1")), Some(["perl".to_owned()].into()));
        let others = [made("s", "-O2", "2"), made("t", "-O2", "1"), made("s", "-O3", "1")];
        assert!(others.iter().all(|other| now.other_tools(other).is_none()));
    }

    #[test]
    fn the_bounds_of_items_count() {
        let key = |items: &[&str]| Inputs::new("x").with_all("flags", items.iter().copied()).key();
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a b"]), key(&["a", "b"]));
        assert_eq!(key(&["a"]).as_str().len(), 64);
    }
}
