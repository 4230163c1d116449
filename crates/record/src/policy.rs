//! Every number that a decision of the lab depends on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::WarmUpRule;
use tlslab_text::number::percent;

use crate::{Placement, Slicing};

/// The version of the rules by which figures are measured, estimated and judged. It grows with every change
/// that gives the same request other samples, or the same samples another interval or verdict. Figures of an
/// earlier version are marked as such.
pub const RULE_VERSION: u32 = 3;

/// Every number that a decision of the lab depends on. It is part of a plan and recorded with the run, so
/// that a report names its policy. Shares are fractions of 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The confidence of every interval.
    pub confidence: f64,
    /// How often a failure that may be random is retried before it counts as the stack's own.
    pub tries: u32,
    /// How stacks take turns, unless a request overrides it.
    pub slicing: Slicing,
    /// The memory placement of timed processes. Comparisons with a fixed code layout have a fixed placement,
    /// too.
    pub placement: Placement,
    /// How comparisons are decided.
    pub comparison: ComparisonPolicy,
    /// How two recorded runs are compared.
    pub apart: RecordedRunsPolicy,
    /// How the lab examines itself and its host.
    pub examination: ExaminationPolicy,
    /// How changes are found in a history.
    pub history: HistoryPolicy,
    /// How ratios of different programs are read.
    pub ratios: RatioPolicy,
    /// The variation between runs that intervals contain.
    pub between_runs: BetweenRunsPolicy,
}

/// How far runs of the same request differ at least, unless the kind of host showed more: standard
/// deviations, shares. Intervals contain it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BetweenRunsPolicy {
    /// Of times.
    pub time: f64,
    /// Of ratios of two stacks that are measured together.
    pub ratio: f64,
}

impl BetweenRunsPolicy {
    /// Zero, as in runs of earlier versions of the lab.
    pub const NONE: Self = Self { time: 0.0, ratio: 0.0 };
}

impl Default for BetweenRunsPolicy {
    fn default() -> Self {
        Self { time: 0.025, ratio: 0.005 }
    }
}

/// How ratios of the times of different programs are read. They contain effects of code layout that no number
/// of samples removes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RatioPolicy {
    /// How far from 1 code layout alone may move a ratio of handshakes, a share.
    pub handshake_floor: f64,
    /// The same for transfers and primitives.
    pub transfer_floor: f64,
}

/// How comparisons are decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ComparisonPolicy {
    /// The level of each cell's sequential test, before false discoveries are controlled over all cells.
    pub alpha: f64,
    /// The level at which a confirmation must find the same change on its own: one-sided, as its direction is
    /// known by then.
    pub confirmation_alpha: f64,
    /// The share of false discoveries among the flagged cells of a metric.
    pub false_discovery_rate: f64,
    /// The floor for changes of time, a share, with a randomised code layout.
    pub time_floor: f64,
    /// The same with a fixed one.
    pub fixed_layout_time_floor: f64,
    /// The floor for changes of counts, a share.
    pub exact_floor: f64,
    /// The negligible effect size, a share: cells that cannot have changed by more are not measured further.
    pub negligible: f64,
    /// Rounds before each look, and rounds of confirmation: the first of these for which a visit is long
    /// enough. More rounds are better, as processes differ by more than slices of one do.
    pub rounds: Vec<Rounds>,
    /// The shortest visit, s: it needs some slices of both.
    #[serde(deserialize_with = "crate::seconds::read")]
    pub shortest_visit_s: f64,
    /// The largest factor by which the variance of a shorter visit may exceed that of a planned one, after
    /// the first look: visits are shortened if processes differ more than slices of one do.
    pub allotted_variance: f64,
    /// How long a timed cell is measured if no budget is given, s.
    #[serde(deserialize_with = "crate::seconds::read")]
    pub cell_s: f64,
    /// Seeds of counts, and further ones that confirm.
    pub seeds: (u64, u64),
    /// The same for a counter that cannot seed the random number generators.
    pub unseeded_counts: (u64, u64),
    /// Rounds and seconds of each visit of the trial that chooses an arrangement of slices.
    pub trial: (u32, f64),
    /// The largest share of the time for canaries.
    pub canary_share: f64,
    /// An arrangement replaces the default if its spread is at most this share of the default's, and surely
    /// smaller.
    pub trial_gain: f64,
    /// The handling of correlated rounds.
    pub dependence: DependenceRule,
    /// How often an arrangement that is no better may replace the default.
    pub trial_alpha: f64,
}

/// The handling of correlated rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DependenceRule {
    /// The correlation of consecutive rounds from which rounds are combined in blocks, unless random
    /// variation exceeds it once in a hundred times.
    pub blocks_from: f64,
    /// The correlation from which nothing is decided, likewise.
    pub refused_from: f64,
    /// Rounds of a block.
    pub block: u32,
}

/// Rounds of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// The rounds after which a decision may be made: ascending, the last one is all.
    pub looks: Vec<u32>,
    /// Rounds in which flagged cells are measured again.
    pub confirmation: u32,
    /// The shortest visit for which these are chosen, ms, if it is not the policy's. Each round links a
    /// layout of both programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortest_visit_ms: Option<u32>,
}

impl Rounds {
    /// These, if visits are as long as the policy wants them.
    pub fn new(looks: &[u32], confirmation: u32) -> Self {
        Self { looks: looks.to_vec(), confirmation, shortest_visit_ms: None }
    }
}

/// How two recorded runs are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordedRunsPolicy {
    /// How far times of two runs minutes apart differ without a change, a share.
    pub drift: f64,
    /// The same for times relative to those of a program that took part in both.
    pub drift_by_reference: f64,
    /// The floor for changes of counts, a share.
    pub exact_floor: f64,
    /// Rows of two folders that differ by less than this share are collapsed.
    pub folded_floor: f64,
}

/// How the lab examines itself and its host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExaminationPolicy {
    /// Rounds of fresh processes in which a host's noise is measured.
    pub doctor_rounds: u32,
    /// How often each neighbour comes before a stack in one round of fresh processes.
    pub neighbour_cycles: u32,
    /// Rounds of a step of a bisection, for each of which every revision is linked again.
    pub bisect_rounds: Rounds,
    /// The number of layouts of one program that validations use.
    pub layouts: u32,
    /// The confidence of bounds of error rates.
    pub confidence: f64,
    /// The share of the time, and the most rounds, that a quick reproduction of a document takes.
    pub quick: (f64, u32),
}

/// How changes are found in a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryPolicy {
    /// How often an unchanged series may show a change at one look.
    pub alpha: f64,
    /// The share of false discoveries among the changes of all noisy series that are shown together.
    pub false_discovery_rate: f64,
    /// The number of last points without which a change of a noisy series must be found, too.
    pub persistence: usize,
    /// How often a new run on the last level may lie beyond the significance threshold.
    pub new_run_alpha: f64,
    /// The number of permutations of a series' points.
    pub permutations: usize,
    /// The least number of points on either side of a change of a noisy series.
    pub shortest_segment: usize,
    /// The floor for steps of counts, a share.
    pub step_floor: f64,
    /// The width of the band of a series of counts, in standard errors of a point.
    pub step_band: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            // A table of a hundred ratios has one interval on average that excludes the truth.
            confidence: 0.99,
            tries: 3,
            slicing: Slicing {
                slice_ns: 500_000,
                slices: 8,
                warm_up: Some(WarmUpRule { least_ns: 2_000_000, least_iterations: 16, most_ns: 20_000_000 }),
            },
            placement: Placement::RandomisedWithProgram,
            comparison: ComparisonPolicy::default(),
            apart: RecordedRunsPolicy::default(),
            examination: ExaminationPolicy::default(),
            history: HistoryPolicy::default(),
            ratios: RatioPolicy::default(),
            between_runs: BetweenRunsPolicy::default(),
        }
    }
}

impl Default for RatioPolicy {
    fn default() -> Self {
        Self { handshake_floor: 0.0025, transfer_floor: 0.02 }
    }
}

impl Default for HistoryPolicy {
    fn default() -> Self {
        Self {
            alpha: 0.0001,
            false_discovery_rate: 0.05,
            persistence: 1,
            new_run_alpha: 0.01,
            permutations: 1999,
            shortest_segment: 3,
            step_floor: 0.0002,
            step_band: 5.0,
        }
    }
}

impl Default for ComparisonPolicy {
    fn default() -> Self {
        Self {
            alpha: 0.005,
            confirmation_alpha: 0.05,
            false_discovery_rate: 0.02,
            time_floor: 0.001,
            fixed_layout_time_floor: 0.015,
            exact_floor: 0.0001,
            negligible: 0.005,
            rounds: vec![
                Rounds { shortest_visit_ms: Some(200), ..Rounds::new(&[16, 32, 64, 96, 160, 256], 96) },
                Rounds::new(&[16, 32, 64, 96], 32),
                Rounds::new(&[16, 32, 64], 32),
                Rounds::new(&[16, 32], 16),
                Rounds::new(&[16], 16),
            ],
            shortest_visit_s: 0.06,
            allotted_variance: 1.2,
            cell_s: 10.0,
            seeds: (5, 3),
            unseeded_counts: (3, 3),
            trial: (16, 0.1),
            canary_share: 0.2,
            trial_gain: 0.7,
            dependence: DependenceRule { blocks_from: 0.2, refused_from: 0.5, block: 4 },
            trial_alpha: 0.01,
        }
    }
}

impl Default for RecordedRunsPolicy {
    fn default() -> Self {
        Self { drift: 0.05, drift_by_reference: 0.02, exact_floor: 0.0002, folded_floor: 0.002 }
    }
}

impl Default for ExaminationPolicy {
    fn default() -> Self {
        Self {
            doctor_rounds: 12,
            neighbour_cycles: 16,
            bisect_rounds: Rounds::new(&[16, 32], 16),
            layouts: 128,
            confidence: 0.95,
            quick: (0.1, 8),
        }
    }
}

impl Policy {
    /// A sentence for reports, with every level that decides something.
    pub fn sentence(&self) -> String {
        let Self { confidence, tries, comparison, apart, history, ratios, between_runs, .. } = self;
        format!(
            "Policy: {} intervals; {tries} tries; comparisons: {}; recorded runs: {} of time ({} with a reference), {} of counts; \
             histories: α {}, {} false discoveries, new runs {}, counts {}; code layout: {} of handshakes, {} of transfers; \
             between runs: {} of times, {} of ratios",
            percent(*confidence),
            comparison.described(),
            percent(apart.drift),
            percent(apart.drift_by_reference),
            percent(apart.exact_floor),
            history.alpha,
            percent(history.false_discovery_rate),
            percent(history.new_run_alpha),
            percent(history.step_floor),
            percent(ratios.handshake_floor),
            percent(ratios.transfer_floor),
            percent(between_runs.time),
            percent(between_runs.ratio),
        )
    }
}

impl ComparisonPolicy {
    fn described(&self) -> String {
        let rounds = self.rounds.iter().map(|rounds| {
            let looks: Vec<String> = rounds.looks.iter().map(u32::to_string).collect();
            let from = rounds.shortest_visit_ms.map_or(String::new(), |ms| format!(" from {ms} ms each"));
            format!("{} + {}{from}", looks.join(", "), rounds.confirmation)
        });
        format!(
            "α {}, confirmed at {}, {} false discoveries, floors {} of time ({} with a fixed code layout) and {} of counts, \
             negligible below {}, rounds {}, in blocks of {} from a correlation of {} and inconclusive from {}",
            self.alpha,
            self.confirmation_alpha,
            percent(self.false_discovery_rate),
            percent(self.time_floor),
            percent(self.fixed_layout_time_floor),
            percent(self.exact_floor),
            percent(self.negligible),
            rounds.collect::<Vec<_>>().join(" or "),
            self.dependence.block,
            self.dependence.blocks_from,
            self.dependence.refused_from,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_given_is_the_default_and_what_is_unknown_is_refused() {
        let policy: Policy = serde_json::from_str(r#"{"comparison": {"alpha": 0.01}}"#).unwrap();
        let comparison = ComparisonPolicy { alpha: 0.01, ..ComparisonPolicy::default() };
        assert_eq!(policy, Policy { comparison, ..Policy::default() });
        assert!(serde_json::from_str::<Policy>(r#"{"alpha": 0.01}"#).is_err());
    }

    /// Other numbers are another rule: both sides of this change together.
    #[test]
    fn a_reader_sees_every_level() {
        assert_eq!(RULE_VERSION, 3);
        assert_eq!(
            Policy::default().sentence(),
            "Policy: 99 % intervals; 3 tries; comparisons: α 0.005, confirmed at 0.05, 2 % false discoveries, floors 0.1 % of \
             time (1.5 % with a fixed code layout) and 0.01 % of counts, negligible below 0.5 %, rounds 16, 32, 64, 96, 160, 256 + 96 from 200 ms each \
             or 16, 32, 64, 96 + 32 or 16, 32, 64 + 32 or 16, 32 + 16 or 16 + 16, in blocks of 4 from a correlation of 0.2 and inconclusive from 0.5; recorded runs: 5 % of time (2 % with a reference), 0.02 % of counts; histories: \
             α 0.0001, 5 % false discoveries, new runs 1 %, counts 0.02 %; code layout: 0.25 % of handshakes, 2 % of transfers; \
             between runs: 2.5 % of times, 0.5 % of ratios"
        );
    }
}
