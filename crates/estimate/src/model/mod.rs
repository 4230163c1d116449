//! The model of a run, for all renderers and `results.json`.

mod between;
mod cause;
mod cell;
mod cross;
mod defaults;
mod distribution;
mod exact;
mod family;
mod headline;
mod overhead;
mod processor;
mod rows;
mod run;
mod share;
mod size;
mod steady;
mod together;
mod turns;

pub use between::Between;
pub use cause::Cause;
pub use cell::{Cell, Estimated, Interval, Measured, Metric, Modes, Outcome, Ratio, Unit, Whose};
pub use cross::{CrossCheck, CrossOutcome, CrossPair, CrossRefusal, CrossTable, CrossTimes};
pub use defaults::StackDefaults;
pub use distribution::{Distribution, Latency, Spread, VisitValue};
pub use exact::{ExactCell, ExactOutcome, ExactRatio, ExactUnit, ExactValue, FidelityMark};
pub use family::Family;
pub use headline::{Headline, Lead, Standing};
pub use overhead::{CellOverhead, Harness, Overheads, StackOverhead, TransferOverhead};
pub use processor::AsProcessor;
pub use rows::{Row, RowFile, RowOutcome};
pub use run::{Counter, Fault, Proof, Run, Scenario, Stack, StackState};
pub use share::{Part, Share};
pub use size::Size;
pub use steady::SteadyShare;
pub use together::{ScenarioRatio, Together};
pub use turns::{Turns, WarmUpShare};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::{Fingerprint, tolerant};

/// All figures and facts of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The version of this format. It grows when a key changes its meaning or disappears, not when one is
    /// added.
    pub format: u32,
    /// The run.
    pub run: Run,
    /// The host's fingerprint.
    #[serde(deserialize_with = "tolerant")]
    pub host: Fingerprint,
    /// The stacks in the requested order.
    pub stacks: Vec<Stack>,
    /// The scenarios in the catalogue's order.
    pub scenarios: Vec<Scenario>,
    /// Per family and side: which stack took the least time, over the scenarios that all of them can do.
    pub headlines: Vec<Headline>,
    /// Per handshake, stack and side: the share of the time that is cryptography. Empty without primitives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Share>,
    /// Every cell: scenario × stack × side × metric, in this order.
    pub cells: Vec<Cell>,
    /// Each side's memory and instructions, if these were weighed or counted: scenario × stack × side ×
    /// metric, in this order. Such figures have no intervals: each is an exact observation.
    #[serde(default)]
    pub exact: Vec<ExactCell>,
    /// The size of each stack, if it was requested, in the order of the stacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<Size>,
    /// The same figures by the names that the suite gives them, if it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowFile>,
    /// The proofs before the measurement, for every cell that may be measured.
    pub proofs: Vec<Proof>,
    /// What each library offers and picks, in scenarios that leave it at its defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaults: Vec<StackDefaults>,
    /// The overhead of measuring.
    pub overheads: Overheads,
    /// How stacks took turns; none if nothing was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Turns>,
    /// Notes on every figure here, one or two sentences each.
    pub notes: Vec<String>,
    /// Disturbances of the run, with the next step.
    pub warnings: Vec<String>,
    /// The warnings by cause, worst first, as shown to readers. Empty in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Clients by servers, one table per scenario; empty if each client meets only its own stack's server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cross: Vec<CrossTable>,
    /// Ratios of scenarios that were measured in one visit; empty if each had its own visits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Together>,
    /// Stacks that were run as other processors, over themselves: scenario × stack × side, in this order.
    /// Empty if none was, or none was measured with all features too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<AsProcessor>,
    /// How the samples spread, for plots. It is not in `results.json`: the raw samples are kept by the store.
    #[serde(skip)]
    pub distributions: Vec<Distribution>,
}

impl Report {
    /// How far from 1 a ratio of two different binaries may lie through code layout alone.
    pub fn layout_floor(&self, family: Family) -> f64 {
        family.layout_floor(&self.run.layout_floors, &self.run.policy.ratios)
    }

    /// The cells of one scenario and stack, every side and metric.
    pub fn cells_of<'r>(&'r self, scenario: &'r str, stack: &'r str) -> impl Iterator<Item = &'r Cell> {
        self.cells.iter().filter(move |cell| cell.scenario == scenario && cell.stack == stack)
    }

    /// One cell.
    pub fn cell(&self, scenario: &str, stack: &str, side: impl Into<Whose>, metric: Metric) -> Option<&Cell> {
        let side = side.into();
        let wanted = |cell: &&Cell| cell.side == side && cell.metric == metric;
        self.cells.iter().filter(|cell| cell.scenario == scenario && cell.stack == stack).find(wanted)
    }

    /// The stacks that took part. All cells of the others failed for one reason, which renderers print once.
    pub fn participants(&self) -> impl Iterator<Item = &Stack> {
        self.stacks.iter().filter(|stack| stack.failure().is_none())
    }

    /// Whether a stack of this name took part.
    pub fn took_part(&self, stack: &str) -> bool {
        self.participants().any(|participant| participant.name == stack)
    }

    /// The families with times in this run, each with its scenarios.
    pub fn families(&self) -> Vec<(Family, Vec<&Scenario>)> {
        let is_timed = self.run.metrics.contains(&tlslab_protocol::Measure::Time);
        let of =
            |family| self.scenarios.iter().filter(|scenario| is_timed && scenario.family == family).collect();
        let all = Family::TIMED.map(|family| (family, of(family)));
        all.into_iter().filter(|(_, scenarios): &(_, Vec<_>)| !scenarios.is_empty()).collect()
    }

    /// The notes under every table that compares these stacks: (stack, note).
    pub fn table_notes(&self) -> Vec<(&str, &str)> {
        // Of a stack that stands alone only what its figures must never stand without.
        let is_run_as =
            |stack: &Stack| stack.identity.as_ref().is_some_and(|identity| identity.processor.is_some());
        let alone = self.stacks.len() < 2;
        let most = |stack: &Stack| if alone { usize::from(is_run_as(stack)) } else { usize::MAX };
        self.stacks
            .iter()
            .flat_map(|stack| {
                stack.notes.iter().take(most(stack)).map(|note| (stack.name.as_str(), note.as_str()))
            })
            .collect()
    }
}
