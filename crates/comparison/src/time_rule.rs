//! The rule that decides times, from log ratios alone: live comparisons, simulations and replays of recorded
//! rounds share it.

use tlslab_record::{ComparisonPlan, DependenceRule, Policy};
use tlslab_stats::{
    EffectTest, Refused, Sequential, WholeRule, WholeRuleTerms, benjamini_hochberg, effect_test,
    hodges_lehmann, lag_one_autocorrelation, ratio_estimate, standard_deviation,
};

use crate::model::{Confirmation, Dependence, Interval};
use crate::verdict::Verdict;

/// How times are decided.
#[derive(Clone, Debug)]
pub struct TimeRule {
    looks: Vec<u32>,
    alpha: f64,
    design: Sequential,
    /// The floor of changes of time, and the negligible effect size, as log ratios.
    floor: f64,
    negligible: f64,
    rate: f64,
    confidence: f64,
    confirmation: u32,
    confirmation_alpha: f64,
    dependence: Option<DependenceRule>,
}

/// The rounds of a cell: the log ratio of each in which both were measured, in the order in which they were.
#[derive(Clone, Debug, Default)]
pub struct CellRounds {
    /// The number of a round, counted from 0, and its log ratio.
    pub first: Vec<(u32, f64)>,
    /// For each look whether its rounds came to their end.
    pub ended: Vec<bool>,
    /// The log ratios of the confirmation.
    pub confirming: Vec<f64>,
    /// Whether its rounds came to their end.
    pub confirmed: bool,
}

/// The decision on a cell.
#[derive(Clone, Debug)]
pub struct CellJudged {
    /// The verdict.
    pub verdict: Verdict,
    /// The evidence of the verdict, if the figures do not show it.
    pub note: Option<String>,
    /// Whether more rounds are needed.
    pub is_open: bool,
    /// Whether the first measurement found a change.
    pub is_flagged: bool,
    /// After how many rounds it was decided.
    pub rounds: Option<u32>,
    /// The centre of all log ratios, or the reason for its absence.
    pub centre: Result<f64, String>,
    /// Where the ratio lies.
    pub interval: Option<Interval>,
    /// The log ratios that both rest on, those of the confirmation included.
    pub values: Vec<f64>,
    /// See [`EffectTest::p_value`]; that of all looks together.
    pub p_value: Option<f64>,
    /// After control of false discoveries among all cells.
    pub q_value: Option<f64>,
    /// The standard deviation of an observation: of a round's log ratio, or of the mean of a block of rounds.
    pub deviation: Option<f64>,
    /// The result of the confirmation.
    pub confirmation: Option<Confirmation>,
    /// Whether consecutive rounds are correlated.
    pub dependence: Option<Dependence>,
}

enum State {
    Open,
    Decided { test: EffectTest, p_value: f64, rounds: u32 },
    Refused(String),
}

impl TimeRule {
    /// That of a plan.
    ///
    /// # Errors
    /// Fails if the plan's looks or the policy's levels are invalid.
    pub fn of(plan: &ComparisonPlan, policy: &Policy) -> Result<Self, Refused> {
        let looks: Vec<usize> = plan.looks.iter().map(|look| *look as usize).collect();
        Ok(Self {
            design: Sequential::obrien_fleming(&looks, plan.alpha)?,
            looks: plan.looks.clone(),
            alpha: plan.alpha,
            floor: plan.time_floor,
            negligible: plan.negligible.max(plan.time_floor),
            rate: plan.false_discovery_rate,
            confidence: policy.confidence,
            confirmation: plan.confirmation,
            confirmation_alpha: policy.comparison.confirmation_alpha,
            dependence: plan.dependence,
        })
    }

    /// Decides every cell of a comparison. Cells without any round take no part in the control of false
    /// discoveries.
    pub fn judge(&self, cells: &[CellRounds]) -> Vec<CellJudged> {
        let states: Vec<State> = cells.iter().map(|cell| self.decide(cell)).collect();
        let q_values = q_values(&states);
        let all = cells.iter().zip(&states).zip(q_values);
        all.map(|((cell, state), q_value)| self.judged(cell, state, q_value)).collect()
    }

    /// The rule's power for one changed cell among so many, with so many rounds per observation. None if it
    /// can find nothing at all.
    pub fn whole(&self, cells: usize, block: u32) -> Option<WholeRule> {
        let block = block.max(1) as usize;
        let looks: Vec<usize> = self.looks.iter().map(|look| *look as usize / block).collect();
        let design = Sequential::obrien_fleming(&looks, self.alpha).ok()?;
        let terms = WholeRuleTerms {
            floor: self.floor,
            negligible: self.negligible,
            confidence: self.confidence,
            false_discovery_rate: self.rate,
            cells,
            confirmation: self.confirmation as usize / block,
            confirmation_alpha: self.confirmation_alpha,
        };
        // Without a confirmation no change is reported.
        if terms.confirmation == 0 { None } else { WholeRule::of(&design, terms).ok() }
    }

    /// Looks in order, until a boundary is crossed, no relevant change is possible any more, or all rounds
    /// are done.
    fn decide(&self, cell: &CellRounds) -> State {
        for (at, look) in self.looks.iter().enumerate() {
            if !cell.ended.get(at).is_some_and(|ended| *ended) {
                return State::Open;
            }
            let is_last = at + 1 == self.looks.len();
            let values = match self.independent(&cell.until(*look)) {
                Ok(independent) => independent.values,
                Err(dependent) if is_last => return State::Refused(dependent),
                Err(_) => continue,
            };
            let test = match effect_test(&values, self.floor) {
                Ok(test) => test,
                Err(refused) => return State::Refused(refused.to_string()),
            };
            if is_last || test.z.abs() >= self.design.boundary(at) || self.is_negligible(&values) {
                let p_value = self.design.p_value(at, test.z);
                return State::Decided { test, p_value, rounds: *look };
            }
        }
        State::Refused("no round is planned".to_owned())
    }

    fn judged(&self, cell: &CellRounds, state: &State, q_value: Option<f64>) -> CellJudged {
        let (test, p_value, rounds) = match state {
            State::Decided { test, p_value, rounds } => (Some(test), Some(*p_value), Some(*rounds)),
            _ => (None, None, None),
        };
        let is_flagged = q_value.is_some_and(|q_value| q_value <= self.rate);
        let confirmation = match test.filter(|_| is_flagged && cell.confirmed) {
            Some(test) => self.confirmation(cell, test).map(Some),
            None => Ok(None),
        };
        let mut all = cell.until(rounds.unwrap_or_else(|| self.looks.last().copied().unwrap_or(0)));
        all.extend(&cell.confirming);
        let found = self.independent(&all);
        let dependence = found.as_ref().map_or_else(|_| dependence(&all, 1), |found| found.dependence);
        let (verdict, note) = match (&found, &confirmation) {
            (Err(dependent), _) | (_, Err(dependent)) if test.is_some() => {
                (Verdict::Inconclusive, Some(dependent.clone()))
            }
            (found, confirmation) => {
                let values = found.as_ref().map_or(&[][..], |found| &found.values);
                let confirmation = confirmation.as_ref().ok().and_then(Option::as_ref);
                self.verdict(values, (state, test), is_flagged, confirmation)
            }
        };
        let independent = found.map_or(Vec::new(), |found| found.values);
        let centre = hodges_lehmann(if independent.is_empty() { &all } else { &independent });
        CellJudged {
            verdict,
            note,
            is_open: matches!(state, State::Open),
            is_flagged,
            rounds,
            centre: centre.map_err(|refused| match state {
                State::Open => "the run ended before it was measured; resume the run".to_owned(),
                _ => refused.to_string(),
            }),
            interval: interval(&independent, self.confidence),
            p_value,
            q_value,
            deviation: standard_deviation(&independent).ok(),
            values: all,
            confirmation: confirmation.unwrap_or(None),
            dependence,
        }
    }

    /// The result of the confirmation.
    ///
    /// # Errors
    /// Fails if the confirmation is invalid, with the reason.
    fn confirmation(&self, cell: &CellRounds, first: &EffectTest) -> Result<Confirmation, String> {
        let refused = |reason: String| format!("flagged at first; the confirmation is invalid: {reason}");
        let values = self.independent(&cell.confirming).map_err(refused)?.values;
        let again = effect_test(&values, self.floor).map_err(|cause| refused(cause.to_string()))?;
        let is_same_way = (again.z > 0.0) == (first.z > 0.0);
        Ok(Confirmation {
            ratio: hodges_lehmann(&values).map_err(|cause| refused(cause.to_string()))?.exp(),
            interval: interval(&values, self.confidence),
            n: cell.confirming.len(),
            // One-sided, as the direction is known by then.
            agrees: again.p_value / 2.0 <= self.confirmation_alpha && is_same_way,
        })
    }

    fn verdict(
        &self,
        values: &[f64],
        (state, test): (&State, Option<&EffectTest>),
        is_flagged: bool,
        confirmation: Option<&Confirmation>,
    ) -> (Verdict, Option<String>) {
        let unsure = |text: &str| (Verdict::Inconclusive, Some(text.to_owned()));
        match (state, test) {
            (State::Refused(reason), _) => unsure(reason),
            (_, None) => unsure("the run ended before it was decided; resume the run"),
            (_, Some(test)) if is_flagged => match confirmation {
                Some(confirmation) if confirmation.agrees && test.z > 0.0 => (Verdict::Regression, None),
                Some(confirmation) if confirmation.agrees => (Verdict::Improvement, None),
                Some(_) => unsure("flagged at first, but not confirmed with new processes"),
                None => unsure("flagged, but not confirmed yet; resume the run"),
            },
            _ if self.is_negligible(values) => (Verdict::NotSignificant, None),
            _ => (Verdict::Inconclusive, None),
        }
    }

    fn is_negligible(&self, values: &[f64]) -> bool {
        let most = self.negligible.exp();
        ratio_estimate(values, self.confidence)
            .is_ok_and(|ratio| ratio.lower > 1.0 / most && ratio.upper < most)
    }

    /// Values that tests may take as independent: the values themselves, or means of blocks if neighbours are
    /// correlated.
    ///
    /// # Errors
    /// Fails if the values are too strongly correlated for either.
    fn independent(&self, values: &[f64]) -> Result<Independent, String> {
        let Some(found) = dependence(values, 1) else {
            return Ok(Independent { values: values.to_vec(), dependence: None });
        };
        // By chance a correlation is this large once in a hundred times.
        let by_chance = BY_CHANCE / (values.len() as f64).sqrt();
        let Some(rule) = self.dependence else {
            return Ok(Independent { values: values.to_vec(), dependence: Some(found) });
        };
        if found.lag_one >= rule.refused_from.max(by_chance) {
            return Err(format!(
                "consecutive rounds are correlated ({:.2}): something on this host changes slowly, so no interval is \
                 valid",
                found.lag_one
            ));
        }
        if found.lag_one < rule.blocks_from.max(by_chance) {
            return Ok(Independent { values: values.to_vec(), dependence: Some(found) });
        }
        let block = rule.block.max(1);
        Ok(Independent {
            values: block_means(values, block as usize),
            dependence: Some(Dependence { block, ..found }),
        })
    }
}

impl CellRounds {
    fn until(&self, look: u32) -> Vec<f64> {
        self.first.iter().filter(|(round, _)| *round < look).map(|(_, value)| *value).collect()
    }
}

struct Independent {
    values: Vec<f64>,
    dependence: Option<Dependence>,
}

/// None with too few values to know.
fn dependence(values: &[f64], block: u32) -> Option<Dependence> {
    if values.len() < FEWEST {
        return None;
    }
    Some(Dependence { lag_one: lag_one_autocorrelation(values).ok()?, block })
}

/// The means of `block` consecutive values each; remaining values join the last.
fn block_means(values: &[f64], block: usize) -> Vec<f64> {
    let blocks = (values.len() / block).max(1);
    let mean = |at: usize| {
        let end = if at + 1 == blocks { values.len() } else { (at + 1) * block };
        let of_block = &values[at * block..end];
        of_block.iter().sum::<f64>() / of_block.len() as f64
    };
    (0..blocks).map(mean).collect()
}

/// False discoveries over all cells that are decided.
fn q_values(states: &[State]) -> Vec<Option<f64>> {
    let p_value = |state: &State| match state {
        State::Decided { p_value, .. } => Some(*p_value),
        _ => None,
    };
    let p_values: Vec<f64> = states.iter().filter_map(p_value).collect();
    let mut adjusted = benjamini_hochberg(&p_values).unwrap_or_default().into_iter();
    states.iter().map(|state| p_value(state).map(|_| adjusted.next().unwrap_or(1.0))).collect()
}

/// The interval of the ratio from these logarithms.
pub(crate) fn interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let estimate = ratio_estimate(values, confidence).ok()?;
    Some(Interval { lower: estimate.lower, upper: estimate.upper, confidence: estimate.confidence })
}

/// Φ⁻¹(0.99): √n times the correlation of neighbours among n independent values is about a standard normal
/// deviate.
const BY_CHANCE: f64 = 2.326;

/// With fewer values a correlation of neighbours is meaningless.
const FEWEST: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_every_value_once() {
        assert_eq!(block_means(&[1.0, 3.0, 2.0, 4.0, 9.0], 2), [2.0, 5.0]);
        assert_eq!(block_means(&[1.0, 3.0], 4), [2.0]);
        assert_eq!(block_means(&[1.0, 3.0], 1), [1.0, 3.0]);
    }

    #[test]
    fn cells_that_are_not_decided_take_no_part_in_the_control() {
        let test = EffectTest { n: 32, p_value: 0.01, z: 2.0 };
        let decided = |p_value| State::Decided { test, p_value, rounds: 32 };
        let states = [decided(0.01), State::Open, decided(0.04), State::Refused(String::new())];
        assert_eq!(q_values(&states), [Some(0.02), None, Some(0.04), None]);
    }
}
