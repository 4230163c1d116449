//! How reliable the measurements of a document are: the first line of its page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a document was measured, and its deficiencies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The first and the last day, UTC, as `2026-11-26`; none if no run is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<[String; 2]>,
    /// Its deficiencies, compared with today's program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Lack>,
    /// How many cells of tables and claims failed.
    #[serde(default)]
    pub failed: usize,
}

/// Deficiencies of an earlier program's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// Memory, or at least the program, lay at the same places in every process that was timed.
    RandomPlacement,
    /// Intervals exclude differences between runs.
    BetweenRuns,
    /// Another rule than today's estimated and judged, see [`tlslab_record::RULE_VERSION`].
    TodaysRule,
    /// Other processes or the hypervisor took time from the host while times were measured.
    QuietHost,
    /// The lab had changes that were not committed, so that its commit does not say what measured.
    CommittedLab,
}

impl Lack {
    /// All, in the order in which they are reported.
    pub const ALL: [Self; 5] =
        [Self::RandomPlacement, Self::BetweenRuns, Self::TodaysRule, Self::QuietHost, Self::CommittedLab];

    /// As a clause.
    pub fn words(self) -> &'static str {
        match self {
            Self::RandomPlacement => "placement in memory was not always random",
            Self::BetweenRuns => "intervals exclude the variance between runs",
            Self::TodaysRule => "intervals and verdicts follow an earlier rule",
            Self::QuietHost => "the host was busy with other work",
            Self::CommittedLab => "the lab had changes that were not committed",
        }
    }
}
