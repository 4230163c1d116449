//! A comparison in a few words, as terminal, Markdown, pages, commit status and issue show it.

use tlslab_text::number::{counted, measured_percent};
use tlslab_text::short_stack;

use crate::model::{Change, Comparison, Reason};
use crate::verdict::Verdict;

use super::words::{cell, change_of, has_no_ratio};

/// The conclusion of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// No cell has a figure on both sides.
    NotCompared,
    /// A significant regression that is not acknowledged.
    Regression,
    /// No regression, but a cell failed, or the candidate lacks one that the baseline has.
    Failed,
    /// A significant improvement, and none of the above.
    Improvement,
    /// No cell could be decided.
    Inconclusive,
    /// No significant change.
    Unchanged,
}

impl Conclusion {
    /// Of a comparison.
    pub fn of(comparison: &Comparison) -> Self {
        let undecided = comparison.count(Verdict::Inconclusive) + comparison.count(Verdict::Suspect);
        match comparison.compared() {
            0 => Self::NotCompared,
            _ if !comparison.marked(Verdict::Regression).is_empty() => Self::Regression,
            _ if comparison.has_failures() || comparison.has_lost_cells() => Self::Failed,
            _ if !comparison.marked(Verdict::Improvement).is_empty() => Self::Improvement,
            compared if compared == undecided => Self::Inconclusive,
            _ => Self::Unchanged,
        }
    }

    /// Its name in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotCompared | Self::Failed => "failed",
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Inconclusive => "inconclusive",
            Self::Unchanged => "unchanged",
        }
    }
}

/// A comparison in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The conclusion.
    pub conclusion: Conclusion,
    /// Cells by verdict: `2 regressions (up to +42.0 %), 1 inconclusive, 4 unchanged`. It contains no name
    /// from outside.
    pub title: String,
    /// The cells that changed most, or the detectable effect, in sentences; may be empty.
    pub detail: String,
}

impl Summary {
    /// Of a comparison.
    pub fn of(comparison: &Comparison) -> Self {
        Self { conclusion: Conclusion::of(comparison), title: title(comparison), detail: detail(comparison) }
    }
}

/// Names, title and detail: the beginning of every text of a comparison.
pub fn sentence(comparison: &Comparison) -> String {
    let [head, detail] = sentences(comparison, str::to_owned, str::to_owned);
    if detail.is_empty() { head } else { format!("{head} {detail}") }
}

/// The same in two parts and in a markup language: `text` escapes text, `name` a stack's name.
pub(super) fn sentences(
    comparison: &Comparison,
    text: fn(&str) -> String,
    name: fn(&str) -> String,
) -> [String; 2] {
    let names = match &comparison.pairs[..] {
        [pair] => {
            let [candidate, baseline] = [&pair.candidate, &pair.baseline].map(|stack| short_stack(stack));
            format!("{} against {}", name(&candidate), name(&baseline))
        }
        pairs => counted(pairs.len(), "pair"),
    };
    let state = if comparison.complete { "" } else { " (not complete)" };
    let Summary { title, detail, .. } = Summary::of(comparison);
    [format!("{names}{state}: {}.", text(&title)), text(&detail)]
}

/// A cell with its change and the function that changed most:
/// `handshake, client (instructions), +1.20 %, most of it in f`.
pub fn described(comparison: &Comparison, cell_: &Change) -> String {
    let Some(effect) = cell_.effect() else { return cell(comparison, cell_) };
    // A contended place has the innermost function, and the lock or line.
    let function = |reason: &Reason| {
        let (functions, object) = reason.function.split_once(" on ").unwrap_or((&reason.function, ""));
        let innermost = functions.split(" < ").next().unwrap_or_default();
        if object.is_empty() { innermost.to_owned() } else { format!("{innermost} on {object}") }
    };
    let by = effect.reasons.first().map(|reason| format!(", most of it in {}", function(reason)));
    let (name, metric) = (cell(comparison, cell_), cell_.metric.words());
    format!("{name} ({metric}), {}{}", change_of(effect), by.unwrap_or_default())
}

fn title(comparison: &Comparison) -> String {
    let (worse, better) = (comparison.marked(Verdict::Regression), comparison.marked(Verdict::Improvement));
    let changed = [
        (worse, "regression"),
        (better, "improvement"),
        (comparison.acknowledged(), "acknowledged regression"),
        (comparison.suspects(), "suspected change"),
    ];
    let mut parts: Vec<String> = changed.iter().filter_map(|(cells, noun)| sized(cells, noun)).collect();
    let [inconclusive, negligible, same, identical] =
        [Verdict::Inconclusive, Verdict::Changed, Verdict::NotSignificant, Verdict::Identical]
            .map(|verdict| comparison.count(verdict));
    let (compared, is_quiet) = (comparison.compared(), parts.is_empty());
    if is_quiet {
        parts.push(match compared {
            0 => "nothing could be compared".to_owned(),
            all if all == identical => "identical binary, so no change is possible".to_owned(),
            all if all == inconclusive => format!("inconclusive for all {}", counted(all, "cell")),
            all => format!("no significant change in {}", counted(all, "cell")),
        });
    }
    let mut add = |number: usize, text: String| parts.extend((number > 0).then_some(text));
    let (below, tiny) = (comparison.below_own_threshold(), comparison.tiny());
    let negligible_share = measured_percent(comparison.design.negligible_percent / 100.0);
    add(tiny, format!("{} below {negligible_share}", counted(tiny, "tiny change")));
    add(below, format!("{} below the threshold of the cell's history", counted(below, "change")));
    add(negligible, counted(negligible, "negligible change"));
    if inconclusive < compared {
        add(inconclusive, format!("{inconclusive} inconclusive"));
    }
    if !is_quiet {
        add(same + identical, format!("{} unchanged", same + identical));
    }
    let missing = comparison.missing().count();
    add(missing, format!("{} without a result", counted(missing, "cell")));
    parts.join(", ")
}

/// The number of cells and their largest change.
fn sized(cells: &[&Change], noun: &str) -> Option<String> {
    let first = cells.first()?.effect()?;
    let up_to = match cells.len() {
        1 => "",
        // A change from zero has no ratio.
        _ if has_no_ratio(first) => "the largest ",
        _ => "up to ",
    };
    Some(format!("{} ({up_to}{})", counted(cells.len(), noun), change_of(first)))
}

fn detail(comparison: &Comparison) -> String {
    let changed = [
        (comparison.marked(Verdict::Regression), "Largest regression", "Regression"),
        (comparison.marked(Verdict::Improvement), "Largest improvement", "Improvement"),
        (comparison.suspects(), "Largest suspected change", "Suspected change"),
    ];
    let most = changed.iter().filter_map(|(cells, of_several, of_one)| {
        let what = if cells.len() > 1 { of_several } else { of_one };
        Some(format!("{what}: {}.", described(comparison, cells.first()?)))
    });
    let most: Vec<String> = most.collect();
    if !most.is_empty() {
        return most.join(" ");
    }
    let unchanged = comparison.changes.iter().filter_map(|change| change.effect());
    let detectable = unchanged
        .filter(|effect| effect.verdict == Verdict::NotSignificant)
        .filter_map(|effect| effect.detectable)
        .reduce(f64::max);
    detectable.map(|most| format!("Detectable effect: {}.", measured_percent(most))).unwrap_or_default()
}
