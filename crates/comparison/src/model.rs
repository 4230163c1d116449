//! The result of a comparison. Every ratio is the candidate's figure over the baseline's: above 1 the
//! candidate takes more, which is worse.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;
use tlslab_record::{Fingerprint, Placement, tolerant};

use crate::compared::Compared;
use crate::spread::Spread;
use crate::verdict::Verdict;

/// The version of `comparison.json`.
pub(crate) const FORMAT: u32 = 1;

/// A comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The version of this format.
    pub format: u32,
    /// The run that it was computed from, or both runs.
    pub runs: Vec<String>,
    /// The lab's version.
    pub lab_version: String,
    /// When the newer run began, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Whether everything that was planned has been measured.
    pub complete: bool,
    /// Time spent measuring, s.
    pub measuring_s: f64,
    /// The host's fingerprint.
    #[serde(default, deserialize_with = "tolerant")]
    pub host: Fingerprint,
    /// How it was measured and decided.
    pub design: Design,
    /// The compared pairs.
    pub pairs: Vec<Pair>,
    /// The command that makes such a comparison again, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Every cell, in the plan's order.
    pub changes: Vec<Change>,
    /// Disturbances and other warnings, one sentence each.
    pub warnings: Vec<String>,
    /// Costs of the functions of changed counts, as files next to this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ProfilePair>,
}

/// The profiles of one side of a scenario whose count changed: files in callgrind's format, compressed by
/// gzip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfilePair {
    /// The pair, as an index.
    pub pair: usize,
    /// The scenario's name.
    pub scenario: String,
    /// The side.
    pub side: Side,
    /// The baseline's file, from the comparison's folder on.
    pub baseline: String,
    /// The candidate's.
    pub candidate: String,
    /// How many iterations each is of.
    pub iterations: u64,
}

/// How a comparison was measured and decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Design {
    /// `interleaved`, `turns` or `duet` for stacks measured together; `apart` for two runs.
    pub arrangement: String,
    /// The reason for that arrangement, if the host was examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// The counter of instructions and the processor that it showed, if instructions were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// The canary that was timed for the history, and its cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<String>,
    /// With how many seeds instructions were counted before any confirmation; 0 if unrecorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seeds: usize,
    /// Whether all rounds had the linker's code layout.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed_layout: bool,
    /// Where memory lay in timed processes; fixed in comparisons of earlier versions.
    #[serde(default, skip_serializing_if = "Placement::is_fixed")]
    pub placement: Placement,
    /// After how many rounds of fresh processes times could be decided.
    pub looks: Vec<u32>,
    /// Rounds of the confirmation of flagged cells.
    pub confirmation: u32,
    /// The share of false discoveries that is allowed among the flagged cells of a metric.
    pub false_discovery_rate: f64,
    /// Smaller changes of time do not count, %.
    pub time_floor_percent: f64,
    /// Smaller changes of exact figures do not count, %.
    pub exact_floor_percent: f64,
    /// Cells whose interval lies within ± this were not measured further, %.
    pub negligible_percent: f64,
}

/// Two stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// The baseline.
    #[serde(rename = "base")]
    pub baseline: String,
    /// Its version as the library itself reports it.
    #[serde(rename = "base_version")]
    pub baseline_version: String,
    /// The candidate.
    #[serde(rename = "new")]
    pub candidate: String,
    /// The candidate's version.
    #[serde(rename = "new_version")]
    pub candidate_version: String,
    /// Whether both run the same code.
    pub identical: bool,
    /// Why code layout was not randomised, one sentence each; then code layout alone may cause a difference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_layout: Vec<String>,
    /// The candidate's name in histories, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The baseline's name in histories.
    #[serde(default, rename = "base_in_history", skip_serializing_if = "Option::is_none")]
    pub baseline_in_history: Option<Version>,
    /// Of each scenario, the digests of the work and of the harness that points of a history must have to be
    /// comparable with the new one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, String>,
    /// The digest of the processor that an emulator showed to the candidate while it was counted, if one did:
    /// counts are comparable wherever that is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
}

/// A version as histories have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Version {
    /// The stack's name in series.
    pub stack: String,
    /// Its version or revision.
    pub label: String,
}

/// A cell of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Its pair, as an index.
    pub pair: usize,
    /// The scenario's name.
    pub scenario: String,
    /// The side; a size has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The metric.
    pub metric: Compared,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcome of a cell: a verdict, or the reason for its absence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// Both were measured.
    Compared(Box<Effect>),
    /// One of the two, or both, have no value.
    Missing {
        /// Why the baseline has none, after `unsupported: ` or `failed: `.
        #[serde(rename = "base_missing", skip_serializing_if = "Option::is_none")]
        baseline_missing: Option<String>,
        /// Why the candidate has none.
        #[serde(rename = "new_missing", skip_serializing_if = "Option::is_none")]
        candidate_missing: Option<String>,
    },
}

/// A change and its certainty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The verdict.
    pub verdict: Verdict,
    /// The evidence of the verdict, if the figures do not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The baseline's figure, in the metric's unit.
    #[serde(rename = "base")]
    pub baseline: f64,
    /// The candidate's: the baseline's times the ratio, so that all three agree.
    #[serde(rename = "new")]
    pub candidate: f64,
    /// The candidate's over the baseline's.
    pub ratio: f64,
    /// Where the ratio lies; `null` with too few observations.
    pub interval: Option<Interval>,
    /// Observations: rounds of fresh processes, or seeds.
    pub n: usize,
    /// The probability of such a ratio or a larger one without a change above the floor; for times.
    pub p_value: Option<f64>,
    /// The same after control of false discoveries among all cells of its metric.
    pub q_value: Option<f64>,
    /// The threshold of a change, as a share: 0.001 is 0.1 %.
    pub threshold: f64,
    /// The smallest change that would have been found four times in five, as a share.
    pub detectable: Option<f64>,
    /// The confirmation, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Whether every observation is the same: then any difference is a change.
    #[serde(default)]
    pub exact: bool,
    /// Whether it is a regression or an improvement of a count or of memory that is smaller than the
    /// negligible effect size: reports fold it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tiny: bool,
    /// The ratio of each observation, in the order in which they were made.
    pub ratios: Vec<f64>,
    /// The sources of scatter between rounds; of times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Whether consecutive rounds are correlated; of times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependence: Option<Dependence>,
    /// The groups into which the observations fall, if they do: the ratio is then that of a mixture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<RoundGroups>,
    /// The cell's own threshold from its history; none if that is too short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracked: Option<Tracked>,
    /// How many points its history has, by runner class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<ClassPoints>,
    /// A maintainer's acknowledgement of its regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<Acknowledgement>,
    /// The functions that caused it, if they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

fn is_zero(value: &usize) -> bool {
    *value == 0
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Two groups of observations, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundGroups {
    /// The lower group's ratio.
    pub lower: f64,
    /// The upper group's.
    pub upper: f64,
    /// The share of observations in the upper group, 0 to 1.
    pub upper_share: f64,
}

/// Points of a cell's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClassPoints {
    /// The runner class that measured them.
    pub class: String,
    /// How many.
    pub points: usize,
    /// Whether the cell's threshold rests on them: they are comparable with this comparison.
    pub comparable: bool,
}

/// How far a cell varies from one version to the next, as its history shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tracked {
    /// A change is significant above this, as |ln ratio|.
    pub threshold: f64,
    /// How many points of the history it rests on.
    pub points: usize,
}

/// A maintainer's acknowledgement of a regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Acknowledgement {
    /// Why it is accepted.
    pub text: String,
    /// Up to which ratio.
    pub up_to: f64,
}

/// A second measurement, with fresh processes, of a flagged cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    /// The ratio.
    pub ratio: f64,
    /// Where it lies.
    pub interval: Option<Interval>,
    /// Observations.
    pub n: usize,
    /// Whether it agrees.
    pub agrees: bool,
}

/// A function that takes more or less than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Its name.
    pub function: String,
    /// The change of its cost, in the metric's unit per iteration.
    pub change: f64,
}

/// Whether consecutive rounds are correlated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dependence {
    /// The correlation of a round's log ratio with the next one's.
    pub lag_one: f64,
    /// How many consecutive rounds were taken as one observation: 1 if they are uncorrelated.
    pub block: u32,
}

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
}

fn is_lost(change: &Change) -> bool {
    matches!(&change.outcome, Outcome::Missing { baseline_missing: None, candidate_missing: Some(_) })
}

fn has_failed(change: &Change) -> bool {
    let failed = |reason: &Option<String>| reason.as_ref().is_some_and(|text| text.starts_with("failed"));
    match &change.outcome {
        Outcome::Missing { baseline_missing, candidate_missing } => {
            failed(baseline_missing) || failed(candidate_missing)
        }
        Outcome::Compared(_) => false,
    }
}

impl Change {
    /// The side's name; empty of a size.
    pub fn side_name(&self) -> &'static str {
        self.side.map_or("", Side::name)
    }

    /// The scenario and the side.
    pub fn place(&self) -> String {
        match self.side {
            Some(side) => format!("{}, {side}", self.scenario),
            None => self.scenario.clone(),
        }
    }

    /// The effect, if both were measured.
    pub fn effect(&self) -> Option<&Effect> {
        match &self.outcome {
            Outcome::Compared(effect) => Some(effect),
            Outcome::Missing { .. } => None,
        }
    }

    /// The verdict, if both were measured.
    pub fn verdict(&self) -> Option<Verdict> {
        self.effect().map(|effect| effect.verdict)
    }
}

impl Comparison {
    /// Improvements and regressions, the largest change first.
    pub fn flagged(&self) -> Vec<&Change> {
        let size = |change: &Change| change.effect().map_or(0.0, |effect| effect.ratio.ln().abs());
        let mut flagged: Vec<&Change> =
            self.changes.iter().filter(|change| change.verdict().is_some_and(Verdict::is_flagged)).collect();
        flagged.sort_by(|one, other| size(other).total_cmp(&size(one)));
        flagged
    }

    /// Suspected changes, the largest first.
    pub fn suspects(&self) -> Vec<&Change> {
        let size = |change: &Change| change.effect().map_or(0.0, |effect| effect.ratio.ln().abs());
        let mut found: Vec<&Change> =
            self.changes.iter().filter(|change| change.verdict() == Some(Verdict::Suspect)).collect();
        found.sort_by(|one, other| size(other).total_cmp(&size(one)));
        found
    }

    /// The changes that a report marks, the largest first: see [`Change::is_highlighted`].
    pub fn highlighted(&self) -> Vec<&Change> {
        self.flagged().into_iter().filter(|change| change.is_highlighted()).collect()
    }

    /// All cells that did not change significantly, in the plan's order.
    pub fn others(&self) -> Vec<&Change> {
        self.changes.iter().filter(|change| !change.is_significant()).collect()
    }

    /// How many regressions and improvements lie below their cell's own threshold, and are not tiny.
    pub fn below_own_threshold(&self) -> usize {
        self.flagged().iter().filter(|change| !change.is_significant()).count() - self.tiny()
    }

    /// How many regressions and improvements are tiny.
    pub fn tiny(&self) -> usize {
        self.flagged().into_iter().filter(|change| change.effect().is_some_and(|effect| effect.tiny)).count()
    }

    /// How many cells have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.changes.iter().filter(|change| change.verdict() == Some(verdict)).count()
    }

    /// Cells without a verdict.
    pub fn missing(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.effect().is_none())
    }

    /// How many cells both have a figure of.
    pub fn compared(&self) -> usize {
        self.changes.iter().filter(|change| change.effect().is_some()).count()
    }

    /// Whether the candidate has no result in a cell in which the baseline has one.
    pub fn has_lost_cells(&self) -> bool {
        self.changes.iter().any(is_lost)
    }

    /// Whether a cell failed on either side.
    pub fn has_failures(&self) -> bool {
        self.changes.iter().any(has_failed)
    }

    /// Cells that failed on either side, and cells that only the candidate lacks.
    pub fn failed(&self) -> Vec<&Change> {
        self.changes.iter().filter(|change| has_failed(change) || is_lost(change)).collect()
    }
}
