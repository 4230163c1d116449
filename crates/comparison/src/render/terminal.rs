//! Text for a terminal.

use std::fmt::Write;

use crate::model::{Change, Comparison, Outcome, Verdict};

use super::sentence;
use super::words::{cell, figure, metric, reasons, verdict, with_interval};

/// How many functions a line names.
const REASONS: usize = 3;

/// The sentence, the flagged cells, the others in short, and what is missing. `all` shows every cell.
pub fn terminal(comparison: &Comparison, all: bool) -> String {
    let mut text = sentence(comparison) + "\n";
    // Writing to a string cannot fail.
    let mut line = |words: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{words}");
    };
    let highlighted = comparison.highlighted();
    if !highlighted.is_empty() {
        line(format_args!(""));
    }
    for change in &highlighted {
        line(format_args!("{}", row(comparison, change)));
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
            let count =
                |verdict: Verdict| rest.iter().filter(|change| change.verdict() == Some(verdict)).count();
            let kinds = [
                Verdict::Regression,
                Verdict::Improvement,
                Verdict::Changed,
                Verdict::NotSignificant,
                Verdict::Inconclusive,
                Verdict::Identical,
            ];
            let described: Vec<String> = kinds
                .into_iter()
                .filter(|verdict| count(*verdict) > 0)
                .map(|verdict| match verdict.is_flagged() {
                    true => {
                        format!("{} {} below the threshold of its history", count(verdict), verdict.words())
                    }
                    false => format!("{} {}", count(verdict), verdict.words()),
                })
                .collect();
            line(format_args!("not highlighted: {} (--all shows them)", described.join(", ")));
        }
    }
    for change in comparison.missing() {
        line(format_args!("{}", row(comparison, change)));
    }
    for warning in &comparison.warnings {
        line(format_args!("note: {warning}"));
    }
    text
}

fn row(comparison: &Comparison, change: &Change) -> String {
    let name = format!("{}  {}", cell(comparison, change), metric(change.metric));
    match &change.outcome {
        Outcome::Compared(effect) => {
            let figures =
                format!("{} -> {}", figure(effect.base, change.metric), figure(effect.new, change.metric));
            let functions = match reasons(effect, REASONS) {
                reasons if reasons.is_empty() => String::new(),
                reasons => format!("\n    {reasons}"),
            };
            format!("{name}: {}  {}  {figures}{functions}", with_interval(effect), verdict(effect))
        }
        Outcome::Missing { base_missing, new_missing } => {
            format!("{name}: {}", missing(base_missing.as_deref(), new_missing.as_deref()))
        }
    }
}

/// Why a cell is missing on either side.
pub(super) fn missing(baseline: Option<&str>, candidate: Option<&str>) -> String {
    // What a build printed stands in `comparison.json`.
    let first = |reason: Option<&str>| reason.map(|text| text.lines().next().unwrap_or_default().to_owned());
    let (baseline, candidate) = (first(baseline), first(candidate));
    match (baseline, candidate) {
        (Some(baseline), Some(candidate)) if baseline == candidate => format!("both: {baseline}"),
        (Some(baseline), Some(candidate)) => format!("baseline: {baseline}; candidate: {candidate}"),
        (Some(baseline), None) => format!("baseline only: {baseline}"),
        (None, Some(candidate)) => format!("candidate only: {candidate}"),
        (None, None) => "missing".to_owned(),
    }
}
