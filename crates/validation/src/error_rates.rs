//! The lab's error rates as data, for pages and sentences about them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::Verdict;
use tlslab_record::Fingerprint;
use tlslab_stats::{fence, median};

use crate::ledger::{CellEntry, Entry};
use crate::replay::Replayed;

/// The results of validations on one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRates {
    /// The lab's version.
    pub lab_version: String,
    /// The host when this was written.
    pub host: Fingerprint,
    /// The confidence of bounds.
    pub confidence: f64,
    /// Live jobs without a change.
    pub same: Vec<SameJobs>,
    /// Live jobs in which a cell was slowed down.
    pub slowed: Vec<SlowedCells>,
    /// Jobs of recorded or made-up rounds.
    pub replayed: Vec<Replayed>,
}

/// Live jobs of one kind without a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SameJobs {
    /// The difference between both sides of a pair without a change.
    pub kind: String,
    /// The metric.
    pub metric: String,
    /// The stack.
    pub stack: String,
    /// How long each scenario was measured, s.
    pub per_scenario_s: f64,
    /// How many jobs, and how many cells all of them have.
    pub jobs: u64,
    /// See `jobs`.
    pub cells: u64,
    /// Jobs in which any cell was flagged at first, and after confirmation.
    pub flagged_at_first: u64,
    /// See `flagged_at_first`.
    pub confirmed: u64,
}

/// A cell that was slowed down in live jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowedCells {
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: String,
    /// The metric.
    pub metric: String,
    /// The stack.
    pub stack: String,
    /// How long the scenario was measured, s.
    pub per_scenario_s: f64,
    /// By how much, as a share.
    pub slowed: f64,
    /// By how much according to the calibration, as a share: the median of the jobs.
    #[serde(default)]
    pub as_set: f64,
    /// How many jobs, and in how many it was found.
    pub jobs: u64,
    /// See `jobs`.
    pub found: u64,
    /// In how many jobs the fence rule finds it. None if too few jobs were measured for a history.
    #[serde(default)]
    pub found_by_fence: Option<u64>,
    /// The estimated ratio of both programs' figures: the median of the jobs.
    #[serde(default)]
    pub ratio: f64,
}

impl ErrorRates {
    /// From all trials on a host.
    pub fn of(
        entries: &[Entry],
        replayed: &[Replayed],
        (lab_version, host): (&str, Fingerprint),
        confidence: f64,
    ) -> Self {
        Self {
            lab_version: lab_version.to_owned(),
            host,
            confidence,
            same: same(entries),
            slowed: slowed(entries),
            replayed: replayed.to_vec(),
        }
    }
}

fn same(entries: &[Entry]) -> Vec<SameJobs> {
    // Jobs of other suites have other numbers of cells.
    let mut groups: BTreeMap<(&str, &str, &str, u64, usize), SameJobs> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.is_null()) {
        let (length, cells) = (millis(entry.per_scenario_s), entry.cells.len());
        let key: (&str, &str, &str, u64, usize) = (&entry.metric, &entry.kind, &entry.stack, length, cells);
        let group = groups.entry(key).or_insert_with(|| SameJobs {
            kind: entry.kind.clone(),
            metric: entry.metric.clone(),
            stack: entry.stack.clone(),
            per_scenario_s: entry.per_scenario_s,
            jobs: 0,
            cells: 0,
            flagged_at_first: 0,
            confirmed: 0,
        });
        group.jobs += 1;
        group.cells += entry.cells.len() as u64;
        group.flagged_at_first += u64::from(entry.cells.iter().any(|cell| cell.flagged_at_first));
        group.confirmed += u64::from(entry.cells.iter().any(CellEntry::is_confirmed));
    }
    groups.into_values().collect()
}

/// A cell that was slowed down; the share in millionths, so that it has an order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Slowed<'e> {
    metric: &'e str,
    stack: &'e str,
    scenario: &'e str,
    side: &'e str,
    millis: u64,
    millionths: u64,
}

fn slowed(entries: &[Entry]) -> Vec<SlowedCells> {
    let mut groups: BTreeMap<Slowed<'_>, Vec<&CellEntry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.slowed > 0.0) {
        for cell in &entry.cells {
            let key = Slowed {
                metric: &entry.metric,
                stack: &entry.stack,
                scenario: &cell.scenario,
                side: &cell.side,
                millis: millis(entry.per_scenario_s),
                millionths: (entry.slowed * 1e6).round() as u64,
            };
            groups.entry(key).or_default().push(cell);
        }
    }
    let slowed = |(key, cells): (Slowed<'_>, Vec<&CellEntry>)| {
        let median_of = |of: fn(&CellEntry) -> f64| {
            median(&cells.iter().map(|cell| of(cell)).collect::<Vec<f64>>()).unwrap_or(f64::NAN)
        };
        let count = |is: &dyn Fn(&CellEntry) -> bool| cells.iter().filter(|cell| is(cell)).count() as u64;
        let by_fence = |threshold: f64| count(&|cell| cell.candidate / cell.baseline - 1.0 > threshold);
        SlowedCells {
            as_set: median_of(|cell| cell.slowed),
            jobs: cells.len() as u64,
            found: count(&|cell| cell.verdict == Verdict::Regression),
            found_by_fence: fence_of(entries, &key).map(by_fence),
            ratio: median_of(|cell| cell.ratio),
            scenario: key.scenario.to_owned(),
            side: key.side.to_owned(),
            metric: key.metric.to_owned(),
            stack: key.stack.to_owned(),
            per_scenario_s: key.millis as f64 / 1e3,
            slowed: key.millionths as f64 / 1e6,
        }
    };
    groups.into_iter().map(slowed).collect()
}

/// The fence rule's threshold, from the history of the same cell measured as long: the baseline's figures of
/// all jobs, one after the other. The baseline is never slowed down.
fn fence_of(entries: &[Entry], key: &Slowed<'_>) -> Option<f64> {
    let is_alike = |entry: &&Entry| {
        (entry.metric.as_str(), entry.stack.as_str()) == (key.metric, key.stack)
            && millis(entry.per_scenario_s) == key.millis
    };
    let history: Vec<f64> = entries
        .iter()
        .filter(is_alike)
        .flat_map(|entry| &entry.cells)
        .filter(|cell| cell.scenario == key.scenario && cell.side == key.side)
        .map(|cell| cell.baseline)
        .collect();
    (history.len() >= LEAST_HISTORY).then(|| fence(&history).ok()).flatten()
}

/// Figures that the fence rule needs.
const LEAST_HISTORY: usize = 8;

fn millis(seconds: f64) -> u64 {
    (seconds * 1e3).round() as u64
}
