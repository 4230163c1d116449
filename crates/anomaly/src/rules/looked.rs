//! How a comparison becomes an anomaly.

use tlslab_text::number::significant;

use crate::anomaly::{Anomaly, CellName, Evidence, Rule};
use crate::observations::{Observations, Observed, Place};

/// The comparisons of a rule, and its findings.
pub(crate) struct Looked {
    /// The rule.
    pub rule: Rule,
    /// How many comparisons it could make.
    pub compared: usize,
    /// The findings.
    pub anomalies: Vec<Anomaly>,
}

/// A comparison, before it is known whether it breaks the expectation. Distances are natural logarithms.
pub(crate) struct Comparison {
    pub cell: CellName,
    pub subject: String,
    pub expected: String,
    pub found: String,
    /// The distance of the finding from the expectation, in the direction that breaks it.
    pub distance: f64,
    /// The allowed distance.
    pub allowed: f64,
    /// Half the width of its interval, if it has one.
    pub noise: Option<f64>,
    pub evidence: Vec<Evidence>,
}

impl Looked {
    pub(crate) fn new(rule: Rule) -> Self {
        Self { rule, compared: 0, anomalies: Vec::new() }
    }

    /// Keeps a comparison that exceeds the allowed distance by more than its noise.
    pub(crate) fn judge(&mut self, comparison: Comparison) {
        self.compared += 1;
        let beyond = comparison.distance - comparison.allowed;
        let score = beyond - comparison.noise.unwrap_or(0.0);
        if !score.is_finite() || score <= 0.0 {
            return;
        }
        self.anomalies.push(Anomaly {
            rule: self.rule,
            cell: comparison.cell,
            subject: comparison.subject,
            expected: comparison.expected,
            found: comparison.found,
            beyond: beyond.exp(),
            noise: comparison.noise.map(f64::exp),
            score: score.exp(),
            evidence: comparison.evidence,
        });
    }
}

/// The noise of a quotient: that of both, added up. Noise that both share makes it too large, never too
/// small.
pub(super) fn noise_of(of: Observed, over: Observed) -> Option<f64> {
    Some(of.noise()? + over.noise()?)
}

/// Two values as evidence.
pub(super) fn evidence(observations: &Observations, places: &[Place]) -> Vec<Evidence> {
    places.iter().filter_map(|place| observations.evidence(*place)).collect()
}

/// A logarithm as a factor: `2.03 times`.
pub(super) fn times(ln: f64) -> String {
    format!("{} times", significant(ln.exp(), 3))
}
