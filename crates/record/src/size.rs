//! The size of a stack's library.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sizes of one stack, from its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackSize {
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// Code of the library in the driver program.
    pub text: SizeOutcome,
    /// Constants and initialised variables of the library in the driver program.
    pub data: SizeOutcome,
    /// Code, constants and initialised variables of the shared libraries that the driver loads.
    pub shared: SizeOutcome,
    /// How long building the library and the driver took on this host, s; `None` if they were not built here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_s: Option<f64>,
}

/// Bytes, or why they are unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SizeOutcome {
    /// It was read.
    Read {
        /// The size.
        bytes: u64,
    },
    /// The stack has no such size.
    Unsupported {
        /// The reason.
        unsupported: String,
    },
    /// It could not be read.
    Failed {
        /// The reason.
        failed: String,
    },
}

impl SizeOutcome {
    /// The size in bytes, if it was read.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Read { bytes } => Some(*bytes),
            _ => None,
        }
    }

    /// Why there is no size, after `unsupported` or `failed`.
    pub fn hole(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Read { .. } => None,
            Self::Unsupported { unsupported } => Some(("unsupported", unsupported)),
            Self::Failed { failed } => Some(("failed", failed)),
        }
    }
}

/// The scenario of figures of a size: a library has one size for all work.
pub const SIZE_SCENARIO: &str = "library";

/// The names of the sizes.
pub const SIZE_METRICS: [&str; 3] = ["size.text", "size.data", "size.shared"];

impl StackSize {
    /// The figures by their names, in the order of [`SIZE_METRICS`].
    pub fn figures(&self) -> [(&'static str, &SizeOutcome); 3] {
        let [text, data, shared] = SIZE_METRICS;
        [(text, &self.text), (data, &self.data), (shared, &self.shared)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_bytes_or_a_reason() {
        let outcomes = [
            (SizeOutcome::Read { bytes: 7 }, "{\"bytes\":7}"),
            (SizeOutcome::Unsupported { unsupported: "a".into() }, "{\"unsupported\":\"a\"}"),
            (SizeOutcome::Failed { failed: "b".into() }, "{\"failed\":\"b\"}"),
        ];
        for (outcome, text) in outcomes {
            assert_eq!(serde_json::to_string(&outcome).unwrap(), text);
            assert_eq!(serde_json::from_str::<SizeOutcome>(text).unwrap(), outcome);
            assert_eq!(outcome.bytes().is_none(), outcome.hole().is_some());
        }
    }
}
