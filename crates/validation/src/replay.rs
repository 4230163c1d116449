//! Recorded rounds, judged again as new jobs: error rates of the shipped rule on this host's own noise, by
//! the thousand.
//!
//! A recording is a job without a change in which every round was measured, none stopped early. A new job
//! gives each cell the series of a recording: drawn at random, begun at a random round, and with baseline and
//! candidate exchanged at random. The order within a series does not change, so effects that last for a
//! recording, or from one round to the next, last in the new job, too.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::{CellJudged, CellRounds, TimeRule, Verdict};
use tlslab_record::Rounds;

use crate::ledger::{Entry, RECORDING};

/// The results of replays or simulations of one kind of job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replayed {
    /// Where the rounds are from: recordings of a stack, or a simulation.
    pub source: String,
    /// How many recordings there are, and how many cells each has.
    pub recordings: usize,
    /// See `recordings`.
    pub cells: usize,
    /// The slow-down of one cell, another in each job, as a share; 0 without one.
    pub slowed: f64,
    /// How many jobs.
    pub jobs: u64,
    /// Jobs in which a cell that was not slowed down was flagged at first.
    pub flagged_at_first: u64,
    /// Jobs in which one was confirmed.
    pub confirmed: u64,
    /// Of each scenario, how often one of its cells was slowed down and how often that was found.
    pub found: BTreeMap<String, (u64, u64)>,
}

/// The recorded series of one stack, by cell.
pub(crate) struct Recordings<'e> {
    stack: &'e str,
    recordings: usize,
    /// Scenario, side, and of each recording the logarithms.
    cells: BTreeMap<(&'e str, &'e str), Vec<Vec<f64>>>,
}

impl<'e> Recordings<'e> {
    /// Of every stack that has been recorded alike: on this kind of host, with these visits, slices and
    /// placement.
    pub(crate) fn of(entries: &'e [Entry], is_alike: impl Fn(&Entry) -> bool) -> Vec<Self> {
        let mut stacks: BTreeMap<&str, Self> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.kind == RECORDING && is_alike(entry)) {
            let own = stacks.entry(&entry.stack).or_insert_with(|| Self {
                stack: &entry.stack,
                recordings: 0,
                cells: BTreeMap::new(),
            });
            own.recordings += 1;
            for cell in &entry.cells {
                let series = cell.ratios.iter().map(|ratio| ratio.ln()).collect();
                own.cells.entry((&cell.scenario, &cell.side)).or_default().push(series);
            }
        }
        stacks.into_values().collect()
    }

    /// Judges so many jobs by a rule with these rounds. None if no cell has as many.
    pub(crate) fn replay(
        &self,
        (rule, rounds): (&TimeRule, &Rounds),
        jobs: u64,
        slowed: f64,
        seed: u64,
    ) -> Option<Replayed> {
        let needed = (rounds.looks.last()? + rounds.confirmation) as usize;
        let is_long =
            |series: &&Vec<f64>| series.len() >= needed && series.iter().all(|value| value.is_finite());
        let cells: Vec<(&str, Vec<&Vec<f64>>)> = self
            .cells
            .iter()
            .map(|((scenario, _), series)| (*scenario, series.iter().filter(is_long).collect::<Vec<_>>()))
            .filter(|(_, series)| !series.is_empty())
            .collect();
        if cells.is_empty() {
            return None;
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut done = Replayed {
            source: format!("replayed: {}", self.stack),
            recordings: self.recordings,
            cells: cells.len(),
            slowed,
            jobs,
            flagged_at_first: 0,
            confirmed: 0,
            found: BTreeMap::new(),
        };
        for _ in 0..jobs {
            let at = random.random_range(0..cells.len());
            let planted = (slowed > 0.0).then_some(at);
            let job: Vec<CellRounds> = cells
                .iter()
                .enumerate()
                .map(|(cell, (_, series))| {
                    let by = if planted == Some(cell) { slowed.ln_1p() } else { 0.0 };
                    drawn(series, by, rounds, &mut random)
                })
                .collect();
            let judged = rule.judge(&job);
            done.add(&judged, planted.map(|at| (at, cells[at].0)));
        }
        Some(done)
    }
}

impl Replayed {
    /// Counts the decisions of a job; `planted` is the cell that was slowed down, and its scenario.
    pub(super) fn add(&mut self, judged: &[CellJudged], planted: Option<(usize, &str)>) {
        let others = || judged.iter().enumerate().filter(|(at, _)| planted.is_none_or(|(own, _)| own != *at));
        self.flagged_at_first += u64::from(others().any(|(_, cell)| cell.is_flagged));
        let is_confirmed =
            |cell: &CellJudged| matches!(cell.verdict, Verdict::Regression | Verdict::Improvement);
        self.confirmed += u64::from(others().any(|(_, cell)| is_confirmed(cell)));
        if let Some((at, scenario)) = planted {
            let (jobs, found) = self.found.entry(scenario.to_owned()).or_default();
            *jobs += 1;
            *found += u64::from(judged[at].verdict == Verdict::Regression);
        }
    }
}

/// A series for a cell.
fn drawn(series: &[&Vec<f64>], by: f64, rounds: &Rounds, random: &mut ChaCha8Rng) -> CellRounds {
    let series = series[random.random_range(0..series.len())];
    let (from, sign) =
        (random.random_range(0..series.len()), if random.random_bool(0.5) { 1.0 } else { -1.0 });
    let value = |at: usize| sign * series[(from + at) % series.len()] + by;
    let first = rounds.looks.last().copied().unwrap_or(0);
    CellRounds {
        first: (0..first).map(|round| (round, value(round as usize))).collect(),
        ended: vec![true; rounds.looks.len()],
        confirming: (first..first + rounds.confirmation).map(|round| value(round as usize)).collect(),
        confirmed: true,
    }
}

#[cfg(test)]
mod tests {
    use tlslab_record::{ComparisonPlan, Policy};

    use super::*;
    use crate::ledger::CellEntry;

    /// Recordings in which rounds scatter by `deviation`, and all of a recording's lie to one side by `bias`.
    fn recordings(deviation: f64, bias: f64) -> Vec<Entry> {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut cell = |scenario: &str, side: &str| {
            let mut value = || {
                let sum: f64 = (0..12).map(|_| random.random_range(-0.5..0.5)).sum();
                (bias + deviation * sum).exp()
            };
            CellEntry {
                scenario: scenario.to_owned(),
                side: side.to_owned(),
                slowed: 0.0,
                baseline: 1.0,
                candidate: 1.0,
                ratio: 1.0,
                detectable: None,
                flagged_at_first: false,
                verdict: Verdict::NotSignificant,
                ratios: (0..128).map(|_| value()).collect(),
            }
        };
        let mut entry = |job: u32| Entry {
            kind: RECORDING.to_owned(),
            job,
            stack: "s".to_owned(),
            driver_digest: "d".to_owned(),
            metric: "time".to_owned(),
            scenarios: Vec::new(),
            per_scenario_s: 1.0,
            slicing: String::new(),
            placement: Default::default(),
            rule: String::new(),
            host: String::new(),
            slowed: 0.0,
            measuring_s: 1.0,
            cells: ["a", "b"]
                .iter()
                .flat_map(|scenario| ["client", "server"].map(|side| cell(scenario, side)))
                .collect(),
        };
        (0..4).map(&mut entry).collect()
    }

    fn rule() -> (TimeRule, Rounds) {
        let policy = Policy::default();
        let rounds = policy.comparison.rounds[1].clone();
        (TimeRule::of(&ComparisonPlan::by(&policy, &rounds), &policy).unwrap(), rounds)
    }

    #[test]
    fn noise_confirms_nothing_and_what_is_planted_is_found() {
        let entries = recordings(0.003, 0.0);
        let all = Recordings::of(&entries, |_| true);
        let (rule, rounds) = rule();
        let replay = |slowed| all[0].replay((&rule, &rounds), 300, slowed, 1).unwrap();
        let same = replay(0.0);
        assert_eq!((same.recordings, same.cells, same.jobs, same.confirmed), (4, 4, 300, 0));
        let found = |done: &Replayed| done.found.values().map(|(_, found)| found).sum::<u64>();
        let (little, much) = (replay(0.001), replay(0.01));
        assert_eq!(much.found.values().map(|(jobs, _)| jobs).sum::<u64>(), 300);
        assert!(found(&much) >= 298 && found(&little) < 30, "{little:?} {much:?}");
        assert_eq!(replay(0.0), same, "the seed decides");
    }

    #[test]
    fn what_lasts_for_a_recording_is_not_averaged_away() {
        let entries = recordings(0.001, 0.005);
        let (rule, rounds) = rule();
        let done = Recordings::of(&entries, |_| true)[0].replay((&rule, &rounds), 50, 0.0, 1).unwrap();
        assert_eq!(done.confirmed, 50, "half a percent to either side in every cell");
    }

    #[test]
    fn recordings_that_are_too_short_are_not_used() {
        let mut entries = recordings(0.001, 0.0);
        entries.iter_mut().flat_map(|entry| &mut entry.cells).for_each(|cell| cell.ratios.truncate(127));
        let (rule, rounds) = rule();
        assert_eq!(Recordings::of(&entries, |_| true)[0].replay((&rule, &rounds), 1, 0.0, 1), None);
    }
}
