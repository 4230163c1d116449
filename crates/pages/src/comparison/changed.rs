//! The functions of a changed count before and after: flame graphs, and their files.

use tlslab_comparison::Comparison;
use tlslab_profile::Flame;
use tlslab_text::clean;

use crate::functions::Graph;

/// A side of a scenario whose count changed.
pub(crate) struct ChangedSide {
    /// The prefix of its boxes' names.
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) is_compared: bool,
    pub(crate) graph: Option<Graph>,
    pub(crate) baseline: String,
    pub(crate) candidate: String,
}

/// One for each of the profiles, which have their flame graphs in the same order; empty if those are unknown.
pub(crate) fn changed_sides(comparison: &Comparison, flames: &[Flame]) -> Vec<ChangedSide> {
    let numbered = comparison.profiles.iter().zip(flames).enumerate();
    let side = |(number, (profile, flame)): (usize, (&_, &Flame))| {
        let profile: &tlslab_comparison::ProfilePair = profile;
        let of = match comparison.pairs.get(profile.pair) {
            Some(pair) if comparison.pairs.len() > 1 => format!("{}: ", pair.candidate),
            _ => String::new(),
        };
        ChangedSide {
            key: format!("functions-{number}"),
            name: profile.side.to_string(),
            title: clean(&format!("{of}{}, {}", profile.scenario, profile.side)),
            is_compared: true,
            graph: Some(Graph::of(flame, true)),
            baseline: profile.baseline.clone(),
            candidate: profile.candidate.clone(),
        }
    };
    numbered.map(side).collect()
}
