//! Scenarios that were measured in one visit, over each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Estimated, Interval, Metric, Report, Whose};

/// A group of scenarios that were measured in one visit each round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// Their names.
    pub scenarios: Vec<String>,
    /// Every later one over every earlier one: per pair, stack and side.
    pub ratios: Vec<ScenarioRatio>,
}

/// A stack's time in one scenario over its time in another, from slices of the same block of the same visit.
///
/// Relinking the library can change either time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRatio {
    /// The stack's name.
    pub stack: String,
    /// The scenario.
    pub scenario: String,
    /// The scenario that it is taken over.
    pub over: String,
    /// The side.
    pub side: Whose,
    /// Which time: `time` of a side, `wall` of both.
    pub metric: Metric,
    /// The ratio: below 1 the scenario takes less time than the other one; `null` if it is missing.
    pub ratio: Option<Estimated>,
    /// The reason for its absence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_ratio: Option<String>,
}

impl Together {
    /// The ratios over the group's first scenario, as tables show them.
    pub fn over_first(&self) -> impl Iterator<Item = &ScenarioRatio> {
        self.ratios.iter().filter(|one| self.scenarios.first() == Some(&one.over))
    }
}

impl Report {
    /// A stack's time in one scenario over its time in another, where both were measured in the same visits.
    pub fn scenario_ratio(
        &self,
        stack: &str,
        [of, over]: [&str; 2],
        side: Whose,
        metric: Metric,
    ) -> Option<Estimated> {
        let all = self.together.iter().flat_map(|group| &group.ratios);
        let mut here = all.filter(|one| one.stack == stack && one.side == side && one.metric == metric);
        here.find_map(|one| {
            let ratio = one.ratio.as_ref()?;
            match [one.scenario.as_str(), one.over.as_str()] {
                names if names == [of, over] => Some(ratio.clone()),
                names if names == [over, of] => Some(ratio.inverse()),
                _ => None,
            }
        })
    }
}

impl Estimated {
    /// One over it.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let interval = self.interval.map(|interval| Interval {
            lower: 1.0 / interval.upper,
            upper: 1.0 / interval.lower,
            ..interval
        });
        Self { value: 1.0 / self.value, interval, ..self.clone() }
    }
}
