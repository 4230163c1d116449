//! The verdict line of a comparison: one sentence that answers, and one of evidence.

use tlslab_comparison::{Change, Comparison, Conclusion, Summary, Verdict};
use tlslab_text::number::counted;
use tlslab_text::{capitalised, short_stack};

use super::kind::{Group, Words};

/// The answer and its evidence.
pub(crate) struct Headline {
    /// The class of its sign and colour.
    pub(crate) class: &'static str,
    /// The answer.
    pub(crate) says: String,
    /// Its evidence.
    pub(crate) evidence: String,
}

/// Cells by group, the largest change first.
pub(crate) type Groups<'c> = [(Group, Vec<&'c Change>); 9];

pub(crate) fn groups(comparison: &Comparison) -> Groups<'_> {
    Group::ALL.map(|group| {
        let mut cells: Vec<&Change> =
            comparison.changes.iter().filter(|change| Group::of(change) == group).collect();
        if matches!(group, Group::Worse | Group::Acknowledged | Group::Better | Group::Suspect) {
            let size = |change: &Change| change.effect().map_or(0.0, |effect| effect.ratio.ln().abs());
            cells.sort_by(|one, other| size(other).total_cmp(&size(one)));
        }
        (group, cells)
    })
}

pub(crate) fn headline(comparison: &Comparison, words: Words) -> Headline {
    let Summary { conclusion, title, detail } = Summary::of(comparison);
    let is_decided = !matches!(conclusion, Conclusion::NotCompared | Conclusion::Inconclusive);
    let (class, says) = match (conclusion, words) {
        (Conclusion::Failed | Conclusion::NotCompared, _) => ("failed", capitalised(&title)),
        (_, Words::Libraries) if is_decided => ("result", libraries(comparison, ["faster", "slower"])),
        (_, Words::Figures) if is_decided => ("result", libraries(comparison, ["lower", "higher"])),
        (Conclusion::Unchanged, _) => ("good", capitalised(&title)),
        (conclusion, _) => (conclusion.name(), capitalised(&title)),
    };
    let state = if comparison.complete { "" } else { " (not complete)" };
    Headline { class, says: says + state, evidence: detail }
}

fn libraries(comparison: &Comparison, [less, more]: [&str; 2]) -> String {
    let (baseline, candidate) = match &*comparison.pairs {
        [pair] => (short_stack(&pair.baseline), short_stack(&pair.candidate)),
        _ => ("the baselines".to_owned(), "The candidates".to_owned()),
    };
    let cells = counted(comparison.compared(), "cell");
    let marked = |verdict| comparison.marked(verdict).len();
    match (marked(Verdict::Improvement), marked(Verdict::Regression)) {
        (0, 0) => format!("No difference between {candidate} and {baseline} in {cells}"),
        (0, worse) => {
            format!("{baseline} is {less} than {candidate} in {worse} of {cells} and {more} in none")
        }
        (better, 0) => {
            format!("{candidate} is {less} than {baseline} in {better} of {cells} and {more} in none")
        }
        (better, worse) if better >= worse => {
            format!("{candidate} is {less} than {baseline} in {better} of {cells} and {more} in {worse}")
        }
        (better, worse) => {
            format!("{baseline} is {less} than {candidate} in {worse} of {cells} and {more} in {better}")
        }
    }
}
