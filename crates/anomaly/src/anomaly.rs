//! The findings of rules.

use std::fmt;

use serde::{Deserialize, Serialize};
use tlslab_estimate::{Quantity, Whose};

/// An expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Two sides, or two operations, that do the same work cost the same.
    EqualWork,
    /// A stack's time per instruction is about the same in all its cells.
    TimePerInstruction,
    /// More bytes do not cost less.
    Size,
    /// A record of TLS 1.3 costs little more than one of TLS 1.2.
    RecordVersion,
    /// A resumed handshake costs less than a full one.
    Resumption,
    /// All processes of a cell run at one speed.
    OneSpeed,
    /// A release costs about what the releases before and after it do.
    Release,
    /// The ratio of two scenarios is about the same in all libraries.
    Peers,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 8] = [
        Self::EqualWork,
        Self::TimePerInstruction,
        Self::Size,
        Self::RecordVersion,
        Self::Resumption,
        Self::OneSpeed,
        Self::Release,
        Self::Peers,
    ];

    /// Its name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EqualWork => "equal-work",
            Self::TimePerInstruction => "time-per-instruction",
            Self::Size => "size",
            Self::RecordVersion => "record-version",
            Self::Resumption => "resumption",
            Self::OneSpeed => "one-speed",
            Self::Release => "release",
            Self::Peers => "peers",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A cell by its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellName {
    /// The scenario.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The side.
    pub side: Whose,
    /// The metric.
    pub metric: String,
}

impl fmt::Display for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, {}, {}", self.stack, self.scenario, self.side, self.metric)
    }
}

/// A figure that a rule used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Its cell or release.
    pub what: String,
    /// The figure.
    pub figure: Quantity,
}

/// A cell that breaks an expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anomaly {
    /// The rule.
    pub rule: Rule,
    /// The cell.
    pub cell: CellName,
    /// The comparison, in the words that all anomalies of one kind share.
    pub subject: String,
    /// The expectation.
    pub expected: String,
    /// The finding.
    pub found: String,
    /// The factor by which it exceeds the expectation; above 1.
    pub beyond: f64,
    /// Half the width of the finding's interval, as a factor: 1.02 is ±2 %. `null` if a figure has no
    /// interval.
    pub noise: Option<f64>,
    /// The factor that is left if the noise is taken off, by which anomalies are ranked.
    pub score: f64,
    /// The figures.
    pub evidence: Vec<Evidence>,
}
