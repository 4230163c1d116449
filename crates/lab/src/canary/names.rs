//! What canaries are called in requests, runs and histories.

/// The name of a canary in a run.
pub const CANARY: &str = "canary";

/// The name of the canary that came before it, in the one run that has both.
pub(crate) const FORMER: &str = "former canary";

/// What is written where the project's own is meant.
pub const OF_PROJECT: &str = "project";

/// What is written where none is wanted although there would be one.
pub const NO_CANARY: &str = "none";

/// Whether what a series is of is a canary.
pub fn is_canary_name(stack: &str) -> bool {
    stack.split(' ').next() == Some(CANARY)
}
