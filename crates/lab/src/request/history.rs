//! Requests for histories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The series that a history shows; a field that is `None` or empty does not restrict them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryFilter {
    /// The stack in all its versions; `*` matches any characters.
    pub stack: Option<String>,
    /// Patterns of scenarios; `*` matches within a part of a name, `**` across parts.
    pub scenarios: Vec<String>,
    /// The side.
    pub side: Option<String>,
    /// A pattern of metrics; `None` means those of a whole iteration, and every metric of imported runs.
    pub metric: Option<String>,
    /// A pattern of runner classes.
    pub class: Option<String>,
}
