//! The colour of each stack.

use tlslab_estimate::Report;

/// As many as the page's style defines.
const COLOURS: usize = 8;

/// The colour of a stack, by its place.
pub fn colour(report: &Report, stack: &str) -> usize {
    report.stacks.iter().position(|other| other.name == stack).unwrap_or_default() % COLOURS
}
