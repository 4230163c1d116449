//! Verdicts on times: a sequential test of a change above the floor, false discoveries held down over all cells, and a
//! second measurement of what was flagged.

use std::collections::HashMap;

use tlslab_protocol::Side;
use tlslab_record::{ComparisonPlan, RunRecord, StackPair};
use tlslab_stats::{
    EffectTest, Sequential, benjamini_hochberg, effect_test, hodges_lehmann, median,
    minimum_detectable_effect, ratio_estimate,
};

use super::observed::Observed;
use super::{cells, holes};
use crate::model::{Confirmation, Effect, Interval, Outcome, Verdict};

type Key = (usize, usize, Side);

/// What was decided of every timed cell.
pub(super) struct Times {
    cells: HashMap<Key, Cell>,
}

struct Cell {
    /// The log ratio of each round, those of confirmation apart.
    first: Vec<f64>,
    confirming: Vec<f64>,
    confirming_is_complete: bool,
    base_ns: f64,
    state: State,
    q_value: f64,
    plan: Terms,
}

/// What a cell's verdict needs of the plan.
#[derive(Clone, Copy)]
struct Terms {
    floor: f64,
    negligible: f64,
    alpha: f64,
    rate: f64,
    is_identical: bool,
    confidence: f64,
    confirmation_alpha: f64,
}

enum State {
    /// It is not decided; more rounds are to come.
    Open,
    /// It was decided after so many rounds.
    Decided { test: EffectTest, p_value: f64 },
    /// Nothing can be said.
    Refused(String),
}

/// Decides what can be decided.
pub(super) fn judged(record: &RunRecord, plan: &ComparisonPlan, observed: &Observed<'_>) -> Times {
    let looks: Vec<usize> = plan.looks.iter().map(|look| *look as usize).collect();
    let design = Sequential::obrien_fleming(&looks, plan.alpha);
    let mut judged = HashMap::new();
    for key @ (pair, scenario, side) in cells(&record.plan, plan) {
        let stacks = &plan.pairs[pair];
        if holes(record, scenario, stacks).is_some() {
            continue;
        }
        let cell = cell(record, plan, observed, (scenario, side), stacks, design.as_ref());
        judged.insert(key, cell);
    }
    control(&mut judged);
    Times { cells: judged }
}

fn cell(
    record: &RunRecord,
    plan: &ComparisonPlan,
    observed: &Observed<'_>,
    (scenario, side): (usize, Side),
    stacks: &StackPair,
    design: Result<&Sequential, &tlslab_stats::Refused>,
) -> Cell {
    let all = observed.log_ratios(scenario, stacks.base, stacks.new, side);
    let of = |wanted: &dyn Fn(u32) -> bool| -> Vec<f64> {
        all.iter().filter(|(round, _)| wanted(*round)).map(|(_, value)| *value).collect()
    };
    let is_measured = |rounds: u32| {
        record.complete
            || record
                .visits
                .iter()
                .any(|visit| visit.complete && visit.scenario == scenario && visit.round + 1 == rounds)
    };
    let terms = Terms {
        floor: plan.time_floor,
        negligible: plan.negligible,
        alpha: plan.alpha,
        rate: plan.false_discovery_rate,
        is_identical: stacks.identical,
        confidence: record.plan.policy.confidence,
        confirmation_alpha: record.plan.policy.comparison.confirmation_alpha,
    };
    let (state, first) = match design {
        Ok(design) => {
            let first = |look: u32| of(&|round| round < look);
            decide(plan, design, terms, &first, &is_measured)
        }
        Err(refused) => (State::Refused(refused.to_string()), Vec::new()),
    };
    let confirming = plan.confirming();
    let is_complete = plan.confirmation > 0 && is_measured(confirming.end);
    Cell {
        first,
        confirming: of(&|round| confirming.contains(&round)),
        confirming_is_complete: is_complete,
        base_ns: median(&observed.times(scenario, stacks.base, side)).unwrap_or(0.0),
        state,
        q_value: 1.0,
        plan: terms,
    }
}

/// Looks after look, until a boundary is crossed, nothing of note can come any more, or all rounds are there.
fn decide(
    plan: &ComparisonPlan,
    design: &Sequential,
    terms: Terms,
    first: &dyn Fn(u32) -> Vec<f64>,
    is_measured: &dyn Fn(u32) -> bool,
) -> (State, Vec<f64>) {
    for (at, look) in plan.looks.iter().enumerate() {
        let values = first(*look);
        if !is_measured(*look) {
            return (State::Open, values);
        }
        let test = match effect_test(&values, terms.floor) {
            Ok(test) => test,
            Err(refused) => return (State::Refused(refused.to_string()), values),
        };
        let is_last = at + 1 == plan.looks.len();
        if is_last || test.z.abs() >= design.boundary(at) || is_negligible(&values, terms) {
            let p_value = design.p_value(at, test.z);
            return (State::Decided { test, p_value }, values);
        }
    }
    (State::Refused("no round is planned".to_owned()), Vec::new())
}

fn is_negligible(values: &[f64], terms: Terms) -> bool {
    let most = terms.negligible.max(terms.floor).exp();
    ratio_estimate(values, terms.confidence).is_ok_and(|ratio| ratio.lower > 1.0 / most && ratio.upper < most)
}

/// False discoveries over all cells that are decided.
fn control(cells: &mut HashMap<Key, Cell>) {
    let mut decided: Vec<(&Key, f64)> = cells
        .iter()
        .filter_map(|(key, cell)| match cell.state {
            State::Decided { p_value, .. } => Some((key, p_value)),
            _ => None,
        })
        .collect();
    decided.sort_unstable_by_key(|(key, _)| (key.0, key.1, key.2 as usize));
    let p_values: Vec<f64> = decided.iter().map(|(_, p_value)| *p_value).collect();
    let keys: Vec<Key> = decided.into_iter().map(|(key, _)| *key).collect();
    if let Ok(adjusted) = benjamini_hochberg(&p_values) {
        for (key, q_value) in keys.iter().zip(adjusted) {
            cells.get_mut(key).expect("the keys are its own").q_value = q_value;
        }
    }
}

impl Times {
    /// Whether more rounds are needed.
    pub fn is_open(&self, pair: usize, scenario: usize, side: Side) -> bool {
        self.cells.get(&(pair, scenario, side)).is_some_and(|cell| matches!(cell.state, State::Open))
    }

    /// Whether the first measurement found a change.
    pub fn is_flagged(&self, pair: usize, scenario: usize, side: Side) -> bool {
        self.cells.get(&(pair, scenario, side)).is_some_and(Cell::is_flagged)
    }

    /// What is said of a cell that both stacks can do.
    pub fn outcome(&self, pair: usize, scenario: usize, side: Side) -> Outcome {
        let missing = |reason: String| Outcome::Missing {
            base_missing: Some(format!("failed: {reason}")),
            new_missing: Some(format!("failed: {reason}")),
        };
        let Some(cell) = self.cells.get(&(pair, scenario, side)) else {
            return missing("it was not measured".to_owned());
        };
        match cell.effect() {
            Ok(effect) => Outcome::Compared(Box::new(effect)),
            Err(reason) => missing(reason),
        }
    }
}

impl Cell {
    fn is_flagged(&self) -> bool {
        matches!(self.state, State::Decided { .. }) && self.q_value <= self.plan.rate
    }

    fn effect(&self) -> Result<Effect, String> {
        let all: Vec<f64> = self.first.iter().chain(&self.confirming).copied().collect();
        let centre = hodges_lehmann(&all).map_err(|refused| match &self.state {
            State::Open => "the run ended before it was measured; resume the run".to_owned(),
            _ => refused.to_string(),
        })?;
        let interval = interval(&all, self.plan.confidence);
        let (p_value, test) = match &self.state {
            State::Decided { p_value, test } => (Some(*p_value), Some(test)),
            _ => (None, None),
        };
        let confirmation = self.confirmation(test);
        let (verdict, note) = self.verdict(&all, test, confirmation.as_ref());
        Ok(Effect {
            verdict,
            note,
            base: self.base_ns,
            new: self.base_ns * centre.exp(),
            ratio: centre.exp(),
            interval,
            n: all.len(),
            p_value,
            q_value: p_value.map(|_| self.q_value),
            threshold: self.plan.floor,
            // A change must exceed the floor to be found at all.
            detectable: minimum_detectable_effect(&all, self.plan.alpha)
                .ok()
                .map(|effect| (self.plan.floor + effect).exp_m1()),
            confirmation,
            exact: false,
            tiny: false,
            ratios: all.iter().map(|value| value.exp()).collect(),
            tracked: None,
            points: Vec::new(),
            acknowledged: None,
            reasons: Vec::new(),
        })
    }

    fn confirmation(&self, first: Option<&EffectTest>) -> Option<Confirmation> {
        let first = first.filter(|_| self.is_flagged() && self.confirming_is_complete)?;
        let again = effect_test(&self.confirming, self.plan.floor).ok()?;
        Some(Confirmation {
            ratio: hodges_lehmann(&self.confirming).ok()?.exp(),
            interval: interval(&self.confirming, self.plan.confidence),
            n: self.confirming.len(),
            agrees: again.p_value / 2.0 <= self.plan.confirmation_alpha && (again.z > 0.0) == (first.z > 0.0),
        })
    }

    fn verdict(
        &self,
        all: &[f64],
        test: Option<&EffectTest>,
        confirmation: Option<&Confirmation>,
    ) -> (Verdict, Option<String>) {
        let said = |text: &str| Some(text.to_owned());
        if self.plan.is_identical {
            let note = self.is_flagged().then(|| "its times nevertheless differed: noise".to_owned());
            return (Verdict::Identical, note);
        }
        let Some(test) = test else {
            let note = match &self.state {
                State::Refused(reason) => Some(reason.clone()),
                _ => said("the run ended before it was decided; resume the run"),
            };
            return (Verdict::Inconclusive, note);
        };
        if self.is_flagged() {
            return match confirmation {
                Some(confirmation) if confirmation.agrees && test.z > 0.0 => (Verdict::Regression, None),
                Some(confirmation) if confirmation.agrees => (Verdict::Improvement, None),
                Some(_) => {
                    (Verdict::Inconclusive, said("flagged at first, but not confirmed with new processes"))
                }
                None => (Verdict::Inconclusive, said("flagged, but not confirmed yet; resume the run")),
            };
        }
        if is_negligible(all, self.plan) {
            (Verdict::NotSignificant, None)
        } else {
            (Verdict::Inconclusive, None)
        }
    }
}

/// Where the ratio lies whose logarithms are these.
pub(super) fn interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let estimate = ratio_estimate(values, confidence).ok()?;
    Some(Interval { lower: estimate.lower, upper: estimate.upper, confidence: estimate.confidence })
}
