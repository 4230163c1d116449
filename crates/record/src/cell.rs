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
    /// What came of the attempt to prove it.
    pub proof: Proof,
}

/// Whether a cell may be measured. It is never silent: there is a value or a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The work is what the scenario asks for.
    Proven {
        /// What was observed.
        facts: ProvenFacts,
        /// The faults that were tried and how each ended.
        faults: Vec<ProvenFault>,
        /// How long one iteration took when it was tried, ns; it sizes the slices.
        iteration_ns: f64,
    },
    /// The stack cannot do it.
    Unsupported(String),
    /// It should have worked.
    Failed(String),
}

/// A fault that was put on the wire or into the credentials, and ended as it must.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenFault {
    /// Its name, such as `wrong root`.
    pub name: String,
    /// How the connection ended.
    pub outcome: String,
}
