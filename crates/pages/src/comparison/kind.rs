//! In which group of rows a cell is shown, and by which word and sign.

use tlslab_comparison::{Change, Compared, Comparison, Outcome, Pair, Verdict};
use tlslab_text::number::counted;
use tlslab_text::short_stack;

/// Groups of rows in the order in which a page shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Failed,
    Worse,
    Acknowledged,
    Better,
    Suspect,
    Inconclusive,
    Missing,
    Unchanged,
    Tiny,
}

impl Group {
    pub(crate) const ALL: [Self; 9] = [
        Self::Failed,
        Self::Worse,
        Self::Acknowledged,
        Self::Better,
        Self::Suspect,
        Self::Inconclusive,
        Self::Missing,
        Self::Unchanged,
        Self::Tiny,
    ];

    pub(crate) fn of(change: &Change) -> Self {
        match &change.outcome {
            Outcome::Missing { baseline_missing, candidate_missing } => {
                let failed =
                    |reason: &Option<String>| reason.as_ref().is_some_and(|text| text.starts_with("failed"));
                if failed(baseline_missing) || failed(candidate_missing) {
                    Self::Failed
                } else {
                    Self::Missing
                }
            }
            Outcome::Compared(effect) => match effect.verdict {
                Verdict::Regression if change.is_highlighted() => Self::Worse,
                Verdict::Regression if change.is_significant() => Self::Acknowledged,
                Verdict::Improvement if change.is_highlighted() => Self::Better,
                Verdict::Regression | Verdict::Improvement | Verdict::Changed => Self::Tiny,
                Verdict::Suspect => Self::Suspect,
                Verdict::Inconclusive => Self::Inconclusive,
                Verdict::NotSignificant | Verdict::Identical => Self::Unchanged,
            },
        }
    }

    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Worse => "worse",
            Self::Acknowledged => "acknowledged",
            Self::Better => "better",
            Self::Suspect => "suspect",
            Self::Inconclusive => "inconclusive",
            Self::Missing => "missing",
            Self::Unchanged => "unchanged",
            Self::Tiny => "tiny",
        }
    }

    pub(crate) fn title(self, words: Words) -> &'static str {
        match (self, words) {
            (Self::Failed, _) => "Failed",
            (Self::Worse, Words::Versions) => "Regressions",
            (Self::Worse, Words::Libraries) => "Slower",
            (Self::Worse, Words::Figures) => "Higher",
            (Self::Acknowledged, _) => "Acknowledged regressions",
            (Self::Better, Words::Versions) => "Improvements",
            (Self::Better, Words::Libraries) => "Faster",
            (Self::Better, Words::Figures) => "Lower",
            (Self::Suspect, _) => "Suspected changes",
            (Self::Inconclusive, _) => "Inconclusive",
            (Self::Missing, _) => "Not compared",
            (Self::Unchanged, Words::Versions) => "Unchanged",
            (Self::Unchanged, Words::Libraries | Words::Figures) => "No difference",
            (Self::Tiny, _) => "Negligible changes",
        }
    }

    /// Whether its rows are folded.
    pub(crate) fn is_folded(self) -> bool {
        matches!(self, Self::Missing | Self::Unchanged | Self::Tiny)
    }

    /// The class of its sign and colour.
    pub(crate) fn class(self, words: Words) -> &'static str {
        match (self, words) {
            (Self::Failed, _) => "failed",
            (Self::Worse, Words::Versions) => "regression",
            (Self::Worse, Words::Libraries | Words::Figures) => "slower",
            (Self::Acknowledged, _) => "tiny up",
            (Self::Better, Words::Versions) => "improvement",
            (Self::Better, Words::Libraries | Words::Figures) => "faster",
            (Self::Suspect | Self::Inconclusive, _) => "inconclusive",
            (Self::Missing, _) => "unsupported",
            (Self::Unchanged, _) => "unchanged",
            (Self::Tiny, _) => "tiny",
        }
    }

    /// Its word in a tally.
    pub(crate) fn word(self, words: Words, count: usize) -> &'static str {
        match (self, words) {
            (Self::Worse, Words::Versions) if count == 1 => "regression",
            (Self::Worse, Words::Versions) => "regressions",
            (Self::Worse, Words::Libraries) => "slower",
            (Self::Worse, Words::Figures) => "higher",
            (Self::Acknowledged, _) => "acknowledged",
            (Self::Better, Words::Versions) if count == 1 => "improvement",
            (Self::Better, Words::Versions) => "improvements",
            (Self::Better, Words::Libraries) => "faster",
            (Self::Better, Words::Figures) => "lower",
            (Self::Failed, _) => "failed",
            (Self::Suspect, _) => "suspected",
            (Self::Inconclusive, _) => "inconclusive",
            (Self::Missing, _) => "not compared",
            (Self::Unchanged, Words::Versions) => "unchanged",
            (Self::Unchanged, Words::Libraries | Words::Figures) => "no difference",
            (Self::Tiny, _) => "negligible",
        }
    }
}

/// The words for a change: versions of one library regress and improve, different libraries are slower and
/// faster, and without times and instructions figures are higher and lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Versions,
    Libraries,
    Figures,
}

impl Words {
    pub(crate) fn of(comparison: &Comparison) -> Self {
        let are_versions =
            comparison.pairs.iter().all(|pair| library(&pair.baseline) == library(&pair.candidate));
        let has_speed = comparison
            .changes
            .iter()
            .any(|change| matches!(change.metric, Compared::Time | Compared::Instructions));
        match (are_versions, has_speed) {
            (true, _) => Self::Versions,
            (false, true) => Self::Libraries,
            (false, false) => Self::Figures,
        }
    }
}

/// The recipe of a stack: its name without version, source, build or a name given by the user.
fn library(stack: &str) -> &str {
    let recipe =
        stack.split_once('=').map_or(stack, |(given, of)| if given.contains('@') { stack } else { of });
    recipe.split(['@', '+', '→', '#']).next().unwrap_or(recipe)
}

/// The names of both sides of a comparison.
pub(crate) fn names(pairs: &[Pair]) -> String {
    match pairs {
        [pair] => format!("{} and {}", short_stack(&pair.baseline), short_stack(&pair.candidate)),
        pairs => format!("{} of stacks", counted(pairs.len(), "pair")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_builds_and_sources_are_of_one_library() {
        let names = [
            "rustls/ring",
            "rustls/ring@0.23.46",
            "rustls/ring+lto",
            "mine=rustls/ring@path:a=b",
            "rustls/ring@path:a=b",
        ];
        assert!(names.iter().all(|name| library(name) == "rustls/ring"), "{:?}", names.map(library));
        assert_ne!(library("rustls/aws-lc-rs"), library("rustls/ring"));
    }
}
