//! Comparison of two recorded runs, possibly of two hosts.
//!
//! Drift between them does not cancel, so times have a far higher floor. If both runs measured the same
//! program as their baseline, its times stand in for the machine's.

use std::collections::BTreeMap;

use tlslab_protocol::{Measure, Side};
use tlslab_record::{ComparisonPlan, Fingerprint, Plan, Policy, Rounds, RunRecord, StackRecord};
use tlslab_stats::{benjamini_hochberg, median, shift};

use super::comparison_header::{counter, distinct, version};
use super::distributions::Place;
use super::exact::Replicates;
use super::observed::{Observed, hole};
use super::{counts, kernel, processes, sizes, wire};
use crate::compared::Compared;
use crate::model::{Change, Comparison, Design, Effect, FORMAT, Interval, Outcome, Pair};
use crate::significance::APART;
use crate::verdict::Verdict;

/// Compares stacks of two runs. Each pair is (index in `baseline`, index in `candidate`).
pub fn judge_runs(baseline: &RunRecord, candidate: &RunRecord, pairs: &[(usize, usize)]) -> Comparison {
    let reference = reference(baseline, candidate);
    let both =
        Both { baseline, candidate, reference, times: (Observed::of(baseline), Observed::of(candidate)) };
    let mut changes = Vec::new();
    for (which, pair) in pairs.iter().enumerate() {
        for (scenario, resolved) in candidate.plan.scenarios.iter().enumerate() {
            for side in resolved.work.sides() {
                for (metric, outcome) in both.outcomes(scenario, *side, *pair) {
                    let scenario = resolved.name.clone();
                    changes.push(Change { pair: which, scenario, side: Some(*side), metric, outcome });
                }
            }
        }
        let lost = baseline.plan.scenarios.iter().filter(|old| !both.has_scenario(&old.name));
        for old in lost {
            for (side, metric) in
                old.work.sides().iter().flat_map(|side| both.metrics().map(move |m| (side, m)))
            {
                let candidate_missing =
                    Some(format!("failed: run {} has no such scenario", candidate.plan.id));
                let outcome = Outcome::Missing { baseline_missing: None, candidate_missing };
                changes.push(Change {
                    pair: which,
                    scenario: old.name.clone(),
                    side: Some(*side),
                    metric,
                    outcome,
                });
            }
        }
    }
    if baseline.plan.has(Measure::Size) && candidate.plan.has(Measure::Size) {
        let rule = ComparisonPlan::by(&candidate.plan.policy, &Rounds::new(&[1], 0));
        for (which, (old, new)) in pairs.iter().enumerate() {
            let both = ((&baseline.plan, *old), (&candidate.plan, *new));
            changes.extend(sizes::changes(which, both, &rule, false));
        }
    }
    control(&mut changes, candidate.plan.policy.comparison.false_discovery_rate);
    let named = |(old, new): &(usize, usize)| pair(&baseline.plan.stacks[*old], &candidate.plan.stacks[*new]);
    Comparison {
        format: FORMAT,
        runs: vec![baseline.plan.id.clone(), candidate.plan.id.clone()],
        lab_version: candidate.plan.lab_version.clone(),
        started_unix_ms: candidate.plan.started_unix_ms,
        complete: baseline.complete && candidate.complete,
        measuring_s: baseline.measuring_s + candidate.measuring_s,
        host: candidate.plan.host.clone(),
        design: Design {
            arrangement: APART.to_owned(),
            chosen: None,
            counter: counter(&candidate.plan),
            canary: None,
            seeds: 0,
            fixed_layout: false,
            placement: candidate.plan.placement,
            looks: Vec::new(),
            confirmation: 0,
            false_discovery_rate: candidate.plan.policy.comparison.false_discovery_rate,
            time_floor_percent: 100.0 * both.floor(),
            exact_floor_percent: 100.0 * candidate.plan.policy.apart.exact_floor,
            negligible_percent: 100.0 * both.floor(),
        },
        pairs: pairs.iter().map(named).collect(),
        command: None,
        changes,
        warnings: both.warnings(),
        profiles: Vec::new(),
    }
}

/// Two stacks that were measured apart.
fn pair(old: &StackRecord, candidate: &StackRecord) -> Pair {
    Pair {
        baseline: old.name.clone(),
        baseline_version: version(old),
        candidate: candidate.name.clone(),
        candidate_version: version(candidate),
        identical: !candidate.driver_digest.is_empty() && old.driver_digest == candidate.driver_digest,
        fixed_layout: Vec::new(),
        version: None,
        baseline_in_history: None,
        definitions: BTreeMap::new(),
        processor: None,
    }
}

/// The program that both runs measured as their baseline, as indices.
fn reference(baseline: &RunRecord, candidate: &RunRecord) -> Option<(usize, usize)> {
    let program =
        |record: &RunRecord| record.plan.stacks.iter().position(|stack| stack.name == record.plan.baseline);
    let (of_baseline, of_candidate) = (program(baseline)?, program(candidate)?);
    let digest = &candidate.plan.stacks[of_candidate].driver_digest;
    (!digest.is_empty() && baseline.plan.stacks[of_baseline].driver_digest == *digest)
        .then_some((of_baseline, of_candidate))
}

/// A stack's figures in a scenario of a run, or the reason for their absence.
type Figures<'f> = dyn Fn(&RunRecord, usize, usize) -> Result<Vec<f64>, String> + 'f;

struct Both<'r> {
    baseline: &'r RunRecord,
    candidate: &'r RunRecord,
    reference: Option<(usize, usize)>,
    times: (Observed<'r>, Observed<'r>),
}

impl Both<'_> {
    fn has_scenario(&self, name: &str) -> bool {
        self.candidate.plan.scenarios.iter().any(|scenario| scenario.name == name)
    }

    /// The candidate's policy decides.
    fn policy(&self) -> &Policy {
        &self.candidate.plan.policy
    }

    /// The metrics of both runs.
    fn metrics(&self) -> impl Iterator<Item = Compared> + use<> {
        let of = |measured, metrics: &[Compared]| {
            let has_both = self.baseline.plan.has(measured) && self.candidate.plan.has(measured);
            if has_both { metrics.to_vec() } else { Vec::new() }
        };
        let times = of(Measure::Time, &[Compared::Time]);
        let counts = of(Measure::Count, &[Compared::Instructions]);
        let contention = of(Measure::Contention, &processes::CONTENTION);
        times.into_iter().chain(counts).chain(of(Measure::Heap, &processes::HEAP)).chain(contention)
    }

    fn floor(&self) -> f64 {
        let apart = &self.policy().apart;
        if self.reference.is_some() { apart.drift_by_reference } else { apart.drift }
    }

    fn outcomes(&self, scenario: usize, side: Side, pair: (usize, usize)) -> Vec<(Compared, Outcome)> {
        let resolved = &self.candidate.plan.scenarios[scenario];
        let old = self.baseline.plan.scenarios.iter().position(|old| old.name == resolved.name);
        let reason = match old {
            None => Some(format!("failed: run {} has no such scenario", self.baseline.plan.id)),
            Some(old) if self.baseline.plan.scenarios[old] != *resolved => {
                Some("failed: the scenario of this name specifies different work in that run".to_owned())
            }
            Some(_) => None,
        };
        let place = |metric| match (&reason, old) {
            (None, Some(old)) => self.outcome(metric, (old, scenario), side, pair),
            (reason, _) => Outcome::Missing { baseline_missing: reason.clone(), candidate_missing: None },
        };
        let mut outcomes: Vec<(Compared, Outcome)> =
            self.metrics().map(|metric| (metric, place(metric))).collect();
        if let (None, Some(old)) = (&reason, old) {
            let before = Place { record: self.baseline, scenario: old, stack: pair.0 };
            let after = Place { record: self.candidate, scenario, stack: pair.1 };
            let have = |measured| self.baseline.plan.has(measured) && self.candidate.plan.has(measured);
            for (measure, figures) in [(Measure::Wire, wire::FIGURES), (Measure::Kernel, kernel::FIGURES)] {
                if have(measure) {
                    outcomes.extend(figures.outcomes(before, after, side, false));
                }
            }
        }
        outcomes
    }

    fn outcome(
        &self,
        metric: Compared,
        scenarios: (usize, usize),
        side: Side,
        pair: (usize, usize),
    ) -> Outcome {
        let found = match metric {
            Compared::Time => self.time(scenarios, side, pair),
            Compared::Instructions => self.exact(scenarios, pair, &|record, scenario, stack| {
                let counting = record.plan.counting.as_ref();
                let seeds = counting.map(|counting| counting.seeds.clone()).unwrap_or_default();
                counts::counted(record, scenario, side, stack, &seeds)
            }),
            metric => self.exact(scenarios, pair, &|record, scenario, stack| {
                processes::weighed(record, scenario, side, stack, metric)
            }),
        };
        found.unwrap_or_else(|missing| missing)
    }

    fn holes(&self, scenarios: (usize, usize), pair: (usize, usize)) -> Result<(), Outcome> {
        let baseline_missing = hole(self.baseline, scenarios.0, pair.0);
        let candidate_missing = hole(self.candidate, scenarios.1, pair.1);
        match (&baseline_missing, &candidate_missing) {
            (None, None) => Ok(()),
            _ => Err(Outcome::Missing { baseline_missing, candidate_missing }),
        }
    }

    fn time(&self, scenarios: (usize, usize), side: Side, pair: (usize, usize)) -> Result<Outcome, Outcome> {
        self.holes(scenarios, pair)?;
        if self.baseline.plan.slicing() != self.candidate.plan.slicing() {
            let baseline_missing = Some(format!(
                "failed: turns and warm-ups in run {} have other lengths, so its times are not comparable; measure it again",
                self.baseline.plan.id
            ));
            return Err(Outcome::Missing { baseline_missing, candidate_missing: None });
        }
        if self.baseline.plan.placement != self.candidate.plan.placement {
            let baseline_missing = Some(format!(
                "failed: memory placement in run {} is not that of the other, so its times are not comparable; measure it again",
                self.baseline.plan.id
            ));
            return Err(Outcome::Missing { baseline_missing, candidate_missing: None });
        }
        let (before, after) = (
            logarithms(&self.times.0, scenarios.0, side, pair.0, self.reference.map(|both| both.0)),
            logarithms(&self.times.1, scenarios.1, side, pair.1, self.reference.map(|both| both.1)),
        );
        let test = shift(&before, &after, self.policy().confidence, self.floor()).map_err(|refused| {
            Outcome::Missing {
                baseline_missing: Some(format!("failed: {refused}")),
                candidate_missing: Some(format!("failed: {refused}")),
            }
        })?;
        let baseline_ns = median(&self.times.0.times(scenarios.0, pair.0, side)).unwrap_or(0.0);
        let ratio = test.estimate.value.exp();
        Ok(Outcome::Compared(Box::new(Effect {
            // It is decided when all cells are known.
            verdict: Verdict::Inconclusive,
            note: None,
            baseline: baseline_ns,
            candidate: baseline_ns * ratio,
            ratio,
            interval: Some(Interval {
                lower: test.estimate.lower.exp(),
                upper: test.estimate.upper.exp(),
                confidence: test.estimate.confidence,
            }),
            n: before.len() + after.len(),
            p_value: Some(test.p_value),
            q_value: None,
            threshold: self.floor(),
            detectable: None,
            confirmation: None,
            exact: false,
            tiny: false,
            ratios: Vec::new(),
            spread: None,
            dependence: None,
            tracked: None,
            points: Vec::new(),
            acknowledged: None,
            groups: None,
            reasons: Vec::new(),
        })))
    }

    fn exact(
        &self,
        scenarios: (usize, usize),
        pair: (usize, usize),
        values: &Figures<'_>,
    ) -> Result<Outcome, Outcome> {
        let baseline = values(self.baseline, scenarios.0, pair.0);
        let candidate = values(self.candidate, scenarios.1, pair.1);
        let (baseline, candidate) = match (baseline, candidate) {
            (Ok(baseline), Ok(candidate)) => (baseline, candidate),
            (baseline, candidate) => {
                return Err(Outcome::Missing {
                    baseline_missing: baseline.err(),
                    candidate_missing: candidate.err(),
                });
            }
        };
        let values = baseline.into_iter().zip(candidate).collect();
        let replicates =
            Replicates { values, confidence: self.policy().confidence, of: "seeds or processes" };
        let terms = terms(self.policy());
        let effect = replicates.effect(&terms, false, None).map(|mut effect| {
            // A confirmation is not possible.
            if replicates.is_flagged(&terms) && effect.verdict == Verdict::Inconclusive {
                effect.verdict = if effect.ratio > 1.0 { Verdict::Regression } else { Verdict::Improvement };
                effect.tiny = replicates.is_tiny(&terms);
                effect.note = Some(NOT_CONFIRMED.to_owned());
            }
            effect
        });
        effect.map(|effect| Outcome::Compared(Box::new(effect))).ok_or_else(|| {
            let reason = Some("failed: the runs share no seed or process".to_owned());
            Outcome::Missing { baseline_missing: reason.clone(), candidate_missing: reason }
        })
    }

    fn warnings(&self) -> Vec<String> {
        let (baseline, candidate) = (&self.baseline.plan, &self.candidate.plan);
        let mut warnings = vec![match self.reference {
            Some((_, reference)) => format!(
                "The runs were measured separately. Times are relative to those of {}, which took part in both; changes below {} % are not reported.",
                candidate.stacks[reference].name,
                100.0 * self.policy().apart.drift_by_reference
            ),
            None => format!(
                "The runs were measured separately and have no program in common, so drift between them does not cancel: changes of \
                 time below {} % are not reported. `tlslab compare BASELINE CANDIDATE` measures two stacks together.",
                100.0 * self.policy().apart.drift
            ),
        }];
        let host = |plan: &Plan| Fingerprint { load: None, ..plan.host.clone() };
        if host(baseline) != host(candidate) {
            warnings.push(
                "The runs are from two hosts, or from one that has changed in the meantime.".to_owned(),
            );
        }
        if baseline.pki_digest != candidate.pki_digest {
            warnings.push(
                "The runs used different keys: instructions of RSA and ECDSA depend on them. Give both hosts one set: \
                 copy the folder pki of the lab's cache."
                    .to_owned(),
            );
        }
        let counter = |plan: &tlslab_record::Plan| {
            plan.counting.as_ref().map(|counting| counting.counter.digest.clone())
        };
        if counter(baseline) != counter(candidate) {
            warnings.push("The runs were counted by different counters.".to_owned());
        }
        for record in [self.baseline, self.candidate] {
            let own = distinct(record.warnings.iter().cloned());
            warnings.extend(own.iter().map(|text| format!("{}: {text}", record.plan.id)));
        }
        warnings
    }
}

const NOT_CONFIRMED: &str = "from runs measured separately, not confirmed";
const SUSPECT: &str =
    "from runs measured separately, where the machine may have changed; measure both together";

/// A stack's times, one per visit, as logarithms; divided by the reference's, if there is one.
fn logarithms(
    observed: &Observed<'_>,
    scenario: usize,
    side: Side,
    stack: usize,
    reference: Option<usize>,
) -> Vec<f64> {
    match reference {
        Some(reference) if reference != stack => observed
            .log_ratios(scenario, reference, stack, side)
            .into_iter()
            .map(|(_, value)| value)
            .collect(),
        _ => observed.times(scenario, stack, side).into_iter().map(f64::ln).collect(),
    }
}

/// False discoveries over all times, and the verdicts.
fn control(changes: &mut [Change], false_discovery_rate: f64) {
    let is_time = |change: &&mut Change| change.metric == Compared::Time;
    let mut effects: Vec<&mut Effect> = changes
        .iter_mut()
        .filter(is_time)
        .filter_map(|change| match &mut change.outcome {
            Outcome::Compared(effect) => Some(&mut **effect),
            Outcome::Missing { .. } => None,
        })
        .collect();
    let p_values: Vec<f64> = effects.iter().map(|effect| effect.p_value.unwrap_or(1.0)).collect();
    let Ok(adjusted) = benjamini_hochberg(&p_values) else { return };
    for (effect, q_value) in effects.iter_mut().zip(adjusted) {
        effect.q_value = Some(q_value);
        let within = 1.0 + effect.threshold;
        let is_within =
            effect.interval.is_some_and(|interval| interval.lower > 1.0 / within && interval.upper < within);
        if q_value <= false_discovery_rate {
            effect.verdict = Verdict::Suspect;
            effect.note = Some(SUSPECT.to_owned());
        } else if is_within {
            effect.verdict = Verdict::NotSignificant;
        }
    }
}

/// The terms for counts.
fn terms(policy: &Policy) -> ComparisonPlan {
    let nothing = Rounds::new(&[], 0);
    ComparisonPlan {
        time_floor: policy.apart.drift,
        exact_floor: policy.apart.exact_floor,
        negligible: policy.apart.exact_floor,
        moves: false,
        ..ComparisonPlan::by(policy, &nothing)
    }
}
