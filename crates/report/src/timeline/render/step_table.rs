//! Tables of regressions, improvements and releases to skip, for every text.

use std::fmt::Write;

use tlslab_comparison::Reason;
use tlslab_history::advice::{Advice, Excess};
use tlslab_text::markdown as safe;
use tlslab_text::number::{counted, figure, signed};

use super::words::{metric_words, write_change};
use crate::timeline::release_steps::ReleaseStep;

/// The number of functions that are named.
const FUNCTIONS: usize = 2;
/// How many letters of a function's name are shown.
const LETTERS: usize = 48;

/// Columns with their rows. A column that is empty in all rows is omitted.
pub(super) struct StepTable {
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// The columns with numbers.
const NUMBERS: [&str; 2] = ["change", "series"];

impl StepTable {
    /// The table of steps of several stacks, or of one whose name is known.
    pub(super) fn of(steps: &[ReleaseStep], is_of_one_stack: bool) -> Self {
        let row = |step: &ReleaseStep| {
            let series = &step.series;
            let release = match is_of_one_stack {
                true => step.label.clone(),
                false => format!("{} {}", series.stack, step.label),
            };
            vec![
                release,
                metric_words(&series.metric).to_owned(),
                write_change(step.ratio),
                format!("{} → {}", figure(step.before), figure(step.after)),
                format!("{} {}", series.scenario, series.side).trim_end().to_owned(),
                step.cells.to_string(),
                if step.is_other_driver { "another".to_owned() } else { String::new() },
                functions(&step.functions),
                note(step),
            ]
        };
        let columns = [
            "release",
            "metric",
            "change",
            "from → to",
            "largest in",
            "series",
            "driver",
            "functions",
            "noted",
        ];
        Self { columns: columns.to_vec(), rows: steps.iter().map(row).collect() }.without_empty()
    }

    /// The releases to skip, each with its worst series of each metric.
    pub(super) fn skipped(advice: &Advice) -> Self {
        let columns = ["release", "metric", "best before", "here", "back by", "best after", "in"];
        let of_release = |because: &[Excess]| {
            let mut metrics: Vec<&str> = Vec::new();
            let mut rows = Vec::new();
            for excess in because {
                if !metrics.contains(&excess.series.metric.as_str()) {
                    metrics.push(&excess.series.metric);
                    rows.push(excess_row(excess));
                }
            }
            rows
        };
        let rows = advice.skip.iter().flat_map(|one| of_release(&one.because)).collect();
        Self { columns: columns.to_vec(), rows }
    }

    fn without_empty(mut self) -> Self {
        let is_full = |at: &usize| self.rows.iter().any(|row| !row[*at].is_empty());
        let kept: Vec<usize> = (0..self.columns.len()).filter(is_full).collect();
        self.columns = kept.iter().map(|&at| self.columns[at]).collect();
        let rows = self.rows.iter();
        self.rows = rows.map(|row| kept.iter().map(|&at| row[at].clone()).collect()).collect();
        self
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = format!("| {} |\n", self.columns.join(" | "));
        let align = |column: &&str| if NUMBERS.contains(column) { "--:" } else { "---" };
        let _ = writeln!(text, "|{}|", self.columns.iter().map(align).collect::<Vec<_>>().join("|"));
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| safe(cell)).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }

    /// Aligned for a terminal. Notes are omitted: they are sentences.
    pub(super) fn terminal(&self) -> String {
        let last = self.columns.iter().position(|column| *column == "noted").unwrap_or(self.columns.len());
        let header: Vec<String> = self.columns.iter().map(|column| (*column).to_owned()).collect();
        let width = |at: usize| {
            let cells = self.rows.iter().chain([&header]);
            cells.map(|row| row[at].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..last).map(width).collect();
        let mut text = String::new();
        for row in [&header].into_iter().chain(&self.rows) {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        text
    }
}

fn excess_row(excess: &Excess) -> Vec<String> {
    let release =
        |value: &tlslab_history::advice::ReleaseValue| format!("{} ({})", figure(value.value), value.label);
    vec![
        excess.here.label.clone(),
        metric_words(&excess.series.metric).to_owned(),
        release(&excess.before),
        figure(excess.here.value),
        excess.back.as_ref().map_or_else(|| "never".to_owned(), |back| back.label.clone()),
        excess.later.as_ref().map(release).unwrap_or_default(),
        format!("{} {}", excess.series.scenario, excess.series.side).trim_end().to_owned(),
    ]
}

fn functions(all: &[Reason]) -> String {
    let function = |reason: &Reason| {
        let name: String = reason.function.chars().take(LETTERS).collect();
        let cut = if name.len() < reason.function.len() { "…" } else { "" };
        format!("{name}{cut} {}", signed(reason.change.round()))
    };
    all.iter().take(FUNCTIONS).map(function).collect::<Vec<_>>().join("; ")
}

fn note(step: &ReleaseStep) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !step.between.is_empty() {
        parts.push(format!("{} between not measured", counted(step.between.len(), "release")));
    }
    parts.extend(step.note.clone());
    parts.join("; ")
}
