//! The lab's error rates as data, for pages and sentences about them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::Verdict;
use tlslab_record::Fingerprint;

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
    /// How many jobs, and in how many it was found.
    pub jobs: u64,
    /// See `jobs`.
    pub found: u64,
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
    let mut groups: BTreeMap<(&str, &str, &str, u64), SameJobs> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.is_null()) {
        let key: (&str, &str, &str, u64) =
            (&entry.metric, &entry.kind, &entry.stack, millis(entry.per_scenario_s));
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

fn slowed(entries: &[Entry]) -> Vec<SlowedCells> {
    let mut groups: BTreeMap<(&str, &str, &str, &str, u64, u64), SlowedCells> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.slowed > 0.0) {
        for cell in &entry.cells {
            let length = millis(entry.per_scenario_s);
            let millionths = (entry.slowed * 1e6).round() as u64;
            let key: (&str, &str, &str, &str, u64, u64) =
                (&entry.metric, &entry.stack, &cell.scenario, &cell.side, length, millionths);
            let group = groups.entry(key).or_insert_with(|| SlowedCells {
                scenario: cell.scenario.clone(),
                side: cell.side.clone(),
                metric: entry.metric.clone(),
                stack: entry.stack.clone(),
                per_scenario_s: entry.per_scenario_s,
                slowed: entry.slowed,
                jobs: 0,
                found: 0,
            });
            group.jobs += 1;
            group.found += u64::from(cell.verdict == Verdict::Regression);
        }
    }
    groups.into_values().collect()
}

fn millis(seconds: f64) -> u64 {
    (seconds * 1e3).round() as u64
}
