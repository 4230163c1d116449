//! The outcome of proving one scenario on one stack.

use serde::{Deserialize, Serialize};

use crate::ProvenFacts;

/// One scenario on one stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellState {
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The outcome of proving it.
    pub proof: Proof,
}

/// Whether a cell may be measured. There is always a value or a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The work is what the scenario specifies.
    Proven {
        /// The observations.
        facts: ProvenFacts,
        /// The faults that were tried, each with its outcome.
        faults: Vec<ProvenFault>,
        /// How long one trial iteration took, ns; it sizes the slices.
        iteration_ns: f64,
    },
    /// The stack does not support it.
    Unsupported(String),
    /// It failed.
    Failed(String),
}

/// An injected fault, on the wire or in the credentials, with the required outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenFault {
    /// Its name, such as `wrong root`.
    pub name: String,
    /// How the connection ended.
    pub outcome: String,
}
