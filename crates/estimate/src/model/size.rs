//! How large a stack's library is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::{SIZE_METRICS, SizeOutcome};

/// The sizes of one stack, bytes. They belong to no scenario and to neither side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// The stack's name.
    pub stack: String,
    /// Code of the library in the lab's driver program.
    pub text: SizeOutcome,
    /// Constants and initialised variables of the library in the driver program.
    pub data: SizeOutcome,
    /// Code, constants and initialised variables of the shared libraries that the driver loads.
    pub shared: SizeOutcome,
    /// How long it took to build the library and the driver on this host, s. A note: no verdict rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_s: Option<f64>,
}

impl Size {
    /// The figures by their names.
    pub fn figures(&self) -> [(&'static str, &SizeOutcome); 3] {
        let [text, data, shared] = SIZE_METRICS;
        [(text, &self.text), (data, &self.data), (shared, &self.shared)]
    }

    /// All bytes that are known: those in the program, and those of shared libraries.
    pub fn total(&self) -> Option<u64> {
        self.figures().iter().filter_map(|(_, outcome)| outcome.bytes()).reduce(u64::saturating_add)
    }
}
