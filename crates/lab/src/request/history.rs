//! Which histories are wanted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which series a history shows; what is `None` or empty leaves all in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryFilter {
    /// The stack in all its versions; `*` stands for any letters.
    pub stack: Option<String>,
    /// Patterns of scenarios; `*` stays within a part of a name, `**` does not.
    pub scenarios: Vec<String>,
    /// The side.
    pub side: Option<String>,
    /// A pattern of metrics; `None` stands for those of a whole iteration, and every metric of imported runs.
    pub metric: Option<String>,
    /// A pattern of classes of machines.
    pub class: Option<String>,
}
