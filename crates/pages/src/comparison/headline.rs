//! The verdict line of a comparison: one sentence that answers, and one of evidence.

use tlslab_comparison::{Change, Comparison};

use super::kind::{Group, Words};
use crate::change_text::{change, count, metric, size};

/// The answer and its evidence.
pub(crate) struct Headline {
    /// The class of its sign and colour.
    pub(crate) class: &'static str,
    /// The answer.
    pub(crate) says: String,
    /// What it rests on.
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

pub(crate) fn headline(comparison: &Comparison, groups: &Groups<'_>, words: Words) -> Headline {
    let of = |wanted: Group| -> &[&Change] {
        groups.iter().find(|(group, _)| *group == wanted).map_or(&[], |(_, cells)| cells)
    };
    let (failed, worse, better, unsure) =
        (of(Group::Failed), of(Group::Worse), of(Group::Better), of(Group::Inconclusive));
    let suspects = of(Group::Suspect);
    let compared = comparison.changes.iter().filter(|change| change.effect().is_some()).count();
    let class = match words {
        _ if compared == 0 || (!failed.is_empty() && worse.is_empty()) => "failed",
        Words::Libraries => "result",
        Words::Versions if !worse.is_empty() => "regression",
        Words::Versions if !better.is_empty() => "improvement",
        Words::Versions if unsure.len() + suspects.len() == compared => "inconclusive",
        Words::Versions => "good",
    };
    let says = match words {
        _ if compared == 0 => "Nothing could be compared".to_owned(),
        _ if unsure.len() == compared => format!("Inconclusive in all {}", count(compared, "cell")),
        Words::Versions => versions(worse, better, compared),
        Words::Libraries => libraries(comparison, worse, better, compared),
    };
    let state = if comparison.complete { "" } else { " (not complete)" };
    let mut evidence: Vec<String> =
        [worse.first(), better.first()].into_iter().flatten().map(|cell| largest(comparison, cell)).collect();
    if let Some(most) = suspects.first() {
        let found = count(suspects.len(), "suspected change");
        evidence.push(format!("{found}, not confirmed: {}", largest(comparison, most)));
    }
    let acknowledged = of(Group::Acknowledged);
    if !acknowledged.is_empty() {
        evidence.push(format!("{} acknowledged", count(acknowledged.len(), "regression")));
    }
    if !failed.is_empty() {
        evidence.push(format!("{} failed", count(failed.len(), "cell")));
    }
    if !unsure.is_empty() && unsure.len() < compared {
        evidence.push(format!("{} inconclusive", unsure.len()));
    }
    let mut evidence = evidence.join("; ");
    if evidence.is_empty() {
        evidence = nothing(comparison, of(Group::Unchanged));
    }
    Headline { class, says: says + state, evidence: evidence + "." }
}

fn versions(worse: &[&Change], better: &[&Change], compared: usize) -> String {
    let up_to =
        |cells: &[&Change]| cells.first().and_then(|cell| cell.effect()).map(|effect| size(effect.ratio));
    let improved = up_to(better).map(|most| format!("{} improved, by up to {most}", better.len()));
    match (up_to(worse), improved) {
        (Some(most), improved) => {
            let improved = improved.map_or_else(String::new, |improved| format!("; {improved}"));
            format!("{} of {} regressed, by up to {most}{improved}", worse.len(), count(compared, "cell"))
        }
        (None, Some(improved)) => format!("No regression in {}; {improved}", count(compared, "cell")),
        (None, None) => format!("No regression and no improvement in {}", count(compared, "cell")),
    }
}

fn libraries(comparison: &Comparison, worse: &[&Change], better: &[&Change], compared: usize) -> String {
    let (base, new) = match &*comparison.pairs {
        [pair] => (&*pair.base, &*pair.new),
        _ => ("the baselines", "The candidates"),
    };
    let cells = count(compared, "cell");
    match (better.len(), worse.len()) {
        (0, 0) => format!("No difference between {new} and {base} in {cells}"),
        (0, slower) => format!("{base} is faster than {new} in {slower} of {cells} and slower in none"),
        (faster, 0) => format!("{new} is faster than {base} in {faster} of {cells} and slower in none"),
        (faster, slower) if faster >= slower => {
            format!("{new} is faster than {base} in {faster} of {cells} and slower in {slower}")
        }
        (faster, slower) => {
            format!("{base} is faster than {new} in {slower} of {cells} and slower in {faster}")
        }
    }
}

/// The largest change of a kind, with its cell.
fn largest(comparison: &Comparison, cell: &Change) -> String {
    let Some(effect) = cell.effect() else { return String::new() };
    let of = if comparison.pairs.len() > 1 {
        format!("{}, ", comparison.pairs[cell.pair].new)
    } else {
        String::new()
    };
    let confirmed = match &effect.confirmation {
        Some(confirmation) if confirmation.agrees => ", confirmed by a second measurement",
        _ => "",
    };
    let by = match effect.reasons.first() {
        Some(reason) => format!(", most of it in {}", reason.function),
        None => String::new(),
    };
    format!(
        "{} {} in {of}{}, {}{confirmed}{by}",
        change(effect.ratio),
        metric(cell.metric),
        cell.scenario,
        cell.side
    )
}

/// What could have been found where nothing was.
fn nothing(comparison: &Comparison, unchanged: &[&Change]) -> String {
    let is_identical = !comparison.pairs.is_empty() && comparison.pairs.iter().all(|pair| pair.identical);
    if is_identical {
        return "Baseline and candidate are the same program".to_owned();
    }
    let detectable = unchanged.iter().filter_map(|cell| cell.effect()?.detectable).reduce(f64::max);
    match detectable {
        Some(most) => format!("A change of {} would have been found four times in five", size(1.0 + most)),
        None => format!("{} have a verdict", count(unchanged.len(), "cell")),
    }
}
