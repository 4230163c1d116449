//! The cells that are farthest beyond an expectation.

use tlslab_anomaly::{Anomalies, Found, Observations};
use tlslab_estimate::Report;
use tlslab_text::{clean, shell_word};

/// How many are shown; the command shows all.
const MOST: usize = 5;

/// A list of anomalies, the largest first.
pub(super) struct AnomalyList {
    /// Those that are shown.
    pub lines: Vec<AnomalyLine>,
    /// How many there are.
    pub all: usize,
    /// The command that shows all, with their evidence.
    pub command: String,
}

/// One kind of anomaly.
pub(super) struct AnomalyLine {
    /// The rule.
    pub rule: &'static str,
    /// The cell.
    pub cell: String,
    /// The expectation.
    pub expected: String,
    /// The finding.
    pub found: String,
    /// The factor by which it exceeds the expectation.
    pub score: String,
    /// How many more cells are like it.
    pub also: usize,
}

impl AnomalyList {
    /// Of this run alone, without the releases of its stacks.
    pub(super) fn of(report: &Report) -> Self {
        let all = Anomalies::of(&report.run.id, &Observations::of(report), &[], &[]);
        Self {
            lines: all.found.iter().take(MOST).map(line).collect(),
            all: all.found.len(),
            command: format!("tlslab anomalies {}", shell_word(&clean(&report.run.id))),
        }
    }
}

fn line(found: &Found) -> AnomalyLine {
    let worst = &found.worst;
    AnomalyLine {
        rule: worst.rule.name(),
        cell: clean(&worst.cell.to_string()),
        expected: clean(&worst.expected),
        found: clean(&worst.found),
        score: format!("{:.2}", worst.score),
        also: found.also.len(),
    }
}
