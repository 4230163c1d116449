//! The main result: per family and side, the fastest stack and by how much it leads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Estimated, Family, Whose};

/// One family and side, summed up over the scenarios that every stack in it can do.
///
/// A stack's figure is the geometric mean over these scenarios of its time over the reference's. Each scenario
/// weighs the same; in every round the logarithms of all scenarios are averaged, and the rounds are the observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headline {
    /// The family.
    pub family: Family,
    /// Whose time.
    pub side: Whose,
    /// The scenarios that it is made from.
    pub scenarios: Vec<String>,
    /// How many scenarios of the family the run has.
    pub of: usize,
    /// The stack that the figures refer to: the baseline, or the first one measured where the baseline was not.
    pub reference: Option<String>,
    /// The stacks, the fastest first.
    pub standings: Vec<Standing>,
    /// The first against the second.
    pub lead: Option<Lead>,
    /// Stacks of which nothing in this family was measured.
    pub left_out: Vec<String>,
}

/// One stack's time over the reference's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The stack's name.
    pub stack: String,
    /// Its time over the reference's.
    pub ratio: Estimated,
}

/// The fastest stack's time over the next one's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lead {
    /// The stack that took the least time.
    pub fastest: String,
    /// The one that came next.
    pub next: String,
    /// The former's time over the latter's.
    pub ratio: Estimated,
    /// Whether the whole interval lies below 1 by more than code layout can explain.
    pub clear: bool,
}
