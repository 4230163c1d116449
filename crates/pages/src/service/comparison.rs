//! A comparison as the page of its job has it.

use askama::Template;

use crate::embed::Html;

/// A comparison for a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonView {
    /// The class of the verdict: its sign and its colour.
    pub class: &'static str,
    /// The next step.
    pub advice: String,
    /// How many cells have which verdict.
    pub title: String,
    /// The outcome in a sentence.
    pub sentence: String,
    /// Regressions, the largest first.
    pub regressions: Table,
    /// Improvements, in the same form.
    pub improvements: Table,
    /// Folded tables: title and rows.
    pub folded: Vec<(String, Table)>,
    /// The compared pairs.
    pub pairs: Vec<PairView>,
    /// Disturbances.
    pub warnings: Vec<String>,
    /// How it was measured and decided.
    pub facts: Vec<(&'static str, String)>,
}

/// Two stacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairView {
    /// The baseline, with its version.
    pub baseline: String,
    /// The candidate, in the same form.
    pub candidate: String,
    /// Notes on the pair.
    pub notes: Vec<String>,
}

/// Rows, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
    /// How many are not shown.
    pub more: usize,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The class of its verdict.
    pub class: &'static str,
    /// The scenario, with its pair if there are several.
    pub scenario: String,
    /// The side.
    pub side: String,
    /// The metric.
    pub metric: &'static str,
    /// `+1.20 %`; empty without figures.
    pub change: String,
    /// `[+0.90 %, +1.50 %]`, or `exact`.
    pub interval: String,
    /// From the baseline's figure to the candidate's.
    pub figures: String,
    /// The verdict with its evidence.
    pub verdict: String,
    /// Whether a second measurement agreed.
    pub confirmed: &'static str,
    /// The functions that did it.
    pub functions: String,
}

#[derive(Template)]
#[template(path = "service/cells.html")]
struct Cells<'m> {
    table: &'m Table,
}

impl Table {
    /// As markup.
    pub(crate) fn html(&self) -> Html {
        Html::of(&Cells { table: self })
    }
}
