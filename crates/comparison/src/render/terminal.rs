//! Text for a terminal.

use std::fmt::Write;

use tlslab_text::number::{counted, measured_percent};

use crate::model::{Change, Comparison, Outcome};
use crate::verdict::Verdict;

use super::alike::{self, Line, cells, verdict_of};
use super::rules::{acknowledging, profiles, thresholds};
use super::summary::sentence;
use super::words::{cell, figures, reasons, verdict, with_interval};

/// Functions that a line names.
const REASONS: usize = 3;
/// Notes that are shown without `--all`.
const MOST_NOTES: usize = 3;

/// The summary, the flagged cells, those that are alike in one line, the number of others, and missing cells.
/// `all` shows every cell.
pub fn terminal(comparison: &Comparison, all: bool) -> String {
    let mut text = sentence(comparison) + "\n";
    // Writing to a string cannot fail.
    let mut line = |words: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{words}");
    };
    let (highlighted, acknowledged) = (comparison.highlighted(), comparison.acknowledged());
    if !highlighted.is_empty() || !acknowledged.is_empty() {
        line(format_args!(""));
    }
    let marked: Vec<&Change> = highlighted.iter().chain(&acknowledged).copied().collect();
    for alike in alike::lines(&marked) {
        match alike.single() {
            Some(change) => line(format_args!("{}", row(comparison, change))),
            None if all => {
                alike.changes.iter().for_each(|change| line(format_args!("{}", row(comparison, change))));
            }
            None => line(format_args!("{}", folded(comparison, &alike))),
        }
    }
    let mut rest = comparison.others();
    rest.retain(|change| change.effect().is_some());
    if !rest.is_empty() {
        line(format_args!(""));
        if all {
            for change in &rest {
                line(format_args!("{}", row(comparison, change)));
            }
        } else {
            let described = not_highlighted(comparison, &rest);
            line(format_args!("not significant: {} (--all shows them)", described.join(", ")));
        }
    }
    for change in comparison.missing() {
        line(format_args!("{}", row(comparison, change)));
    }
    for rule in thresholds(comparison) {
        line(format_args!("{rule}"));
    }
    if let Some(place) = profiles(comparison, "next to comparison.json") {
        line(format_args!("{place}"));
    }
    if let Some(command) = acknowledging(comparison) {
        line(format_args!("Accept (maintainers): `{command}`"));
    }
    let most = if all { usize::MAX } else { MOST_NOTES };
    for warning in comparison.warnings.iter().take(most) {
        line(format_args!("note: {warning}"));
    }
    let more = comparison.warnings.len().saturating_sub(most);
    if more > 0 {
        line(format_args!("and {} (--all shows them)", counted(more, "more note")));
    }
    text
}

/// The number of cells of each kind, in words.
fn not_highlighted(comparison: &Comparison, rest: &[&Change]) -> Vec<String> {
    let count = |verdict: Verdict, is_tiny: bool| {
        let is_it = |change: &&&Change| {
            change.effect().is_some_and(|effect| (effect.verdict, effect.tiny) == (verdict, is_tiny))
        };
        rest.iter().filter(is_it).count()
    };
    let kinds = [
        Verdict::Regression,
        Verdict::Improvement,
        Verdict::Changed,
        Verdict::NotSignificant,
        Verdict::Suspect,
        Verdict::Inconclusive,
        Verdict::Identical,
    ];
    let mut described = Vec::new();
    for (verdict, is_tiny) in kinds.into_iter().flat_map(|verdict| [(verdict, false), (verdict, true)]) {
        let words = verdict.words();
        match (count(verdict, is_tiny), is_tiny) {
            (0, _) => {}
            (count, true) => {
                let than = measured_percent(comparison.design.negligible_percent / 100.0);
                described.push(format!("{count} tiny ({words} below {than})"));
            }
            (count, false) if verdict.is_flagged() => {
                described.push(format!("{count} {words} below the threshold of its history"));
            }
            (count, false) => described.push(format!("{count} {words}")),
        }
    }
    described
}

/// One line for cells that are alike.
fn folded(comparison: &Comparison, line: &Line<'_>) -> String {
    let functions = line.function().map(|function| format!("\n    most of each in {function}"));
    format!(
        "{}  {}: {}  {} (--all shows each)",
        cells(comparison, line, str::to_owned, str::to_owned),
        line.changes[0].metric.words(),
        line.range(),
        verdict_of(line)
    ) + &functions.unwrap_or_default()
}

fn row(comparison: &Comparison, change: &Change) -> String {
    let name = format!("{}  {}", cell(comparison, change), change.metric.words());
    match &change.outcome {
        Outcome::Compared(effect) => {
            let figures = figures(effect, change.metric, "->");
            let functions = match reasons(effect, REASONS) {
                reasons if reasons.is_empty() => String::new(),
                reasons => format!("\n    {reasons}"),
            };
            format!(
                "{name}: {}  {}  {figures}{functions}",
                with_interval(effect),
                verdict(comparison, change)
            )
        }
        Outcome::Missing { baseline_missing, candidate_missing } => {
            format!("{name}: {}", missing(baseline_missing.as_deref(), candidate_missing.as_deref()))
        }
    }
}

/// Why a cell is missing on either side.
pub(super) fn missing(baseline: Option<&str>, candidate: Option<&str>) -> String {
    // The whole output of a build is in `comparison.json`.
    let first = |reason: Option<&str>| reason.map(|text| text.lines().next().unwrap_or_default().to_owned());
    let (baseline, candidate) = (first(baseline), first(candidate));
    match (baseline, candidate) {
        (Some(baseline), Some(candidate)) if baseline == candidate => {
            format!("no result on either side: {baseline}")
        }
        (Some(baseline), Some(candidate)) => format!("baseline: {baseline}; candidate: {candidate}"),
        (Some(baseline), None) => format!("no result of the baseline: {baseline}"),
        (None, Some(candidate)) => format!("no result of the candidate: {candidate}"),
        (None, None) => "missing".to_owned(),
    }
}
