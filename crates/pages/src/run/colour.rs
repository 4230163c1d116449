//! The colour of each stack.

use tlslab_estimate::Report;

/// As many as there are tokens.
const COLOURS: usize = 8;

/// The colour of a stack, by its place.
pub(super) fn colour(report: &Report, stack: &str) -> usize {
    report.stacks.iter().position(|other| other.name == stack).unwrap_or_default() % COLOURS
}
