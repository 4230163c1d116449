//! Names of canaries in requests, runs and histories.

/// The name of a canary in a run.
pub const CANARY: &str = "canary";

/// The name of the previous canary, in the one run that has both.
pub(crate) const FORMER: &str = "former canary";

/// The word for the project's own canary.
pub const OF_PROJECT: &str = "project";

/// The word for no canary, against the default.
pub const NO_CANARY: &str = "none";

/// Whether a series belongs to a canary.
pub fn is_canary_name(stack: &str) -> bool {
    stack.split(' ').next() == Some(CANARY)
}
