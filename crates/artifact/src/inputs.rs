//! All inputs of a product, and the key derived from them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::digest;

/// The label of tools, each with its name and its digest or version.
const MADE_WITH: &str = "made with";
/// The labels of compilers.
const COMPILERS: [&str; 2] = ["cc", "rustc"];
/// The label of files, each with its path and digest.
const FILE: &str = "file";

/// The label of a driver's layouts.
const LAYOUTS: &str = "layouts";

/// The meaning of a label.
fn in_words(label: &str) -> &str {
    match label {
        "cc" => "the C compiler",
        "rustc" => "the Rust compiler",
        "cpu features" => "the list of the processor's features",
        "kit" => "the driver kit",
        "prefix" => "its library",
        "need" => "a library that it needs",
        "source" | "folder" => "its source",
        "system library" => "the system's library",
        "step" | "compiler" | "cflags" | "link" | "variable" | "env" | "cargo" | "rustflags" => "its recipe",
        other => other,
    }
}

/// All inputs of one product, in order. They are written next to the product, so that a key can be explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The kind of product.
    pub product: String,
    /// The inputs, each with a label.
    pub inputs: Vec<(String, String)>,
}

impl Inputs {
    /// No inputs yet, for a product of this kind.
    pub fn new(product: &str) -> Self {
        Self { product: product.to_owned(), inputs: Vec::new() }
    }

    /// Adds one input.
    #[must_use]
    pub fn with(mut self, label: &str, value: impl Into<String>) -> Self {
        self.inputs.push((label.to_owned(), value.into()));
        self
    }

    /// Adds a list; two lists with different boundaries between items are different.
    #[must_use]
    pub fn with_all<T: Into<String>>(self, label: &str, values: impl IntoIterator<Item = T>) -> Self {
        values
            .into_iter()
            .enumerate()
            .fold(self, |inputs, (index, value)| inputs.with(&format!("{label}[{index}]"), value))
    }

    /// Adds the layouts: a driver with layouts differs from the one without.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = &str> {
        let layouts = self.inputs.iter().filter(|(label, _)| label.starts_with(LAYOUTS));
        layouts.map(|(_, value)| value.as_str())
    }

    /// The libraries among them: their prefixes' keys.
    pub fn libraries(&self) -> Vec<Key> {
        let key = |(label, value): &(String, String)| match label.split('[').next() {
            Some("prefix") => Key::from_digits(value),
            Some("need") => Key::from_digits(value.rsplit(' ').next()?),
            _ => None,
        };
        self.inputs.iter().filter_map(key).collect()
    }

    /// The changes since another product was built, for display; `None` if it has the same inputs.
    pub fn changed_since(&self, before: &Self) -> Option<String> {
        let (now, then) = (self.by_name(), before.by_name());
        let names: BTreeSet<_> = now.keys().chain(then.keys()).collect();
        let differ = names.into_iter().filter(|name| now.get(*name) != then.get(*name));
        let words = |name: &(String, String)| match (name.0.as_str(), now.get(name).zip(then.get(name))) {
            (MADE_WITH, None) => "the list of tools".to_owned(),
            (MADE_WITH | FILE, _) => name.1.clone(),
            (label, _) => in_words(label).to_owned(),
        };
        let words: BTreeSet<String> = differ.map(words).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match &words[..] {
            [] => None,
            [one] => Some(format!("{one} has changed")),
            [one, two] => Some(format!("{one} and {two} have changed")),
            [one, two, others @ ..] => Some(format!("{one}, {two} and {} more have changed", others.len())),
        }
    }

    /// Whether another product has the same inputs, except perhaps for tools.
    pub(crate) fn is_same_but_for_tools(&self, other: &Self) -> bool {
        let others = |(label, _): &&(String, String)| {
            !label.starts_with(MADE_WITH) && !COMPILERS.contains(&label.as_str())
        };
        self.product == other.product
            && self.inputs.iter().filter(others).eq(other.inputs.iter().filter(others))
    }

    /// The values of each input by its label, and of tools and files also by their name: their places in the
    /// list change.
    fn by_name(&self) -> BTreeMap<(String, String), Vec<&str>> {
        let mut named: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for (label, value) in &self.inputs {
            let label = label.split('[').next().unwrap_or_default();
            let name = match label {
                MADE_WITH | FILE => value.split(' ').next().unwrap_or_default(),
                _ => "",
            };
            named.entry((label.to_owned(), name.to_owned())).or_default().push(value);
        }
        named
    }

    /// The key of a product with exactly these inputs.
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
    /// The key with these digits, if they are valid.
    #[must_use]
    pub fn from_digits(digits: &str) -> Option<Self> {
        let is_one = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_one.then(|| Self(digits.to_owned()))
    }

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
    fn what_changed_is_named() {
        let made = |source: &str, step: &str, tools: &[&str]| {
            let inputs = Inputs::new("prefix").with("source", source).with_all("step", [step]);
            inputs.with_all(MADE_WITH, tools.iter().copied())
        };
        let now = made("s", "make", &["ar 1", "perl 2"]);
        let since = |then: &Inputs| now.changed_since(then);
        assert_eq!(since(&now), None);
        assert_eq!(since(&made("s", "make", &["ar 1", "perl 1"])).unwrap(), "perl has changed");
        assert_eq!(since(&made("t", "make", &["ar 2", "perl 2"])).unwrap(), "ar and its source have changed");
        let all = since(&made("t", "cmake", &["ar 2", "perl 1"])).unwrap();
        assert_eq!(all, "ar, its recipe and 2 more have changed");
        assert_eq!(since(&made("s", "make", &["perl 2"])).unwrap(), "the list of tools has changed");
    }

    #[test]
    fn the_bounds_of_items_count() {
        let key = |items: &[&str]| Inputs::new("x").with_all("flags", items.iter().copied()).key();
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a b"]), key(&["a", "b"]));
        assert_eq!(key(&["a"]).as_str().len(), 64);
    }
}
