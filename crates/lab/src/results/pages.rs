//! Pages of results. The engine has no HTML; a program that embeds it can provide a renderer.

use tlslab_comparison::Comparison;
use tlslab_estimate::Report;
use tlslab_profile::{Flame, Sheet};

/// Renders complete documents, each a file of its own next to the other files of a result.
pub trait Pages: Sync {
    /// The page of a run.
    fn run(&self, report: &Report) -> String;
    /// The page of a comparison, with the flame graph of each of its profiles, if known.
    fn comparison(&self, comparison: &Comparison, flames: &[Flame]) -> String;
    /// The page of functions with their instructions.
    fn functions(&self, sheet: &Sheet) -> String;
}
