//! The memory placement of timed processes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The memory placement of timed processes. Counts and weighings always use the fixed placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Within its page, each block begins at the same place in every process of a program. Runs of earlier
    /// versions of the lab used this.
    #[default]
    Fixed,
    /// The heap, the kit's buffers and the stack begin at offsets that are drawn for each process.
    Randomised,
    /// As `Randomised`, and each process runs a new copy of its program, whose pages lie elsewhere in the
    /// machine's memory.
    RandomisedWithProgram,
}

impl Placement {
    /// Whether it is the same in every process.
    pub fn is_fixed(&self) -> bool {
        *self == Self::Fixed
    }

    /// Whether nothing that a process has in memory lies at the same place in every process.
    pub fn is_of_everything(&self) -> bool {
        *self == Self::RandomisedWithProgram
    }

    /// A sentence for reports.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Fixed => {
                "Memory placement is fixed: within its page, each block begins at the same place in every process of a program, and a \
                 time may depend on where."
            }
            Self::Randomised => {
                "Each timed process starts heap, buffers and stack at random offsets (from the seed), so that no result rests on one \
                 lucky placement."
            }
            Self::RandomisedWithProgram => {
                "Each timed process starts heap, buffers and stack at random offsets (from the seed) and runs a new copy of its program, \
                 so that no result rests on one lucky placement."
            }
        }
    }
}
