//! Load averages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tree::Tree;

/// How many tasks ran or wanted to run, on average over the last minutes.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct LoadAverages {
    /// Over 1 minute.
    pub one: f64,
    /// Over 5 minutes.
    pub five: f64,
    /// Over 15 minutes.
    pub fifteen: f64,
}

impl LoadAverages {
    pub(crate) fn read(tree: Tree) -> Option<Self> {
        Self::parse(&tree.text("proc/loadavg")?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_whitespace().map(load);
        Some(Self { one: fields.next()??, five: fields.next()??, fifteen: fields.next()?? })
    }
}

/// Rust reads `nan` and `inf` as numbers; they are not loads.
fn load(text: &str) -> Option<f64> {
    text.parse().ok().filter(|load: &f64| load.is_finite() && *load >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_numbers_or_nothing() {
        let expected = LoadAverages { one: 0.26, five: 0.15, fifteen: 0.12 };
        assert_eq!(LoadAverages::parse("0.26 0.15 0.12 1/89 9441"), Some(expected));
        for text in ["", "0.1", "0.1 0.2", "nan 0 0", "0 -1 0", "0 0 inf"] {
            assert_eq!(LoadAverages::parse(text), None, "{text:?}");
        }
    }
}
