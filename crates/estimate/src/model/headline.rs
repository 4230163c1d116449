//! The main result: per family and side, the fastest stack and by how much it leads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cell, Estimated, Family, Metric, Whose};

/// One family and side, summed up over the scenarios that every stack in it can do.
///
/// A stack's figure is the geometric mean over these scenarios of its time over the reference's. Each
/// scenario weighs the same; in every round the logarithms of all scenarios are averaged, and the rounds are
/// the observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headline {
    /// The family.
    pub family: Family,
    /// The side.
    pub side: Whose,
    /// The scenarios that it is made from.
    pub scenarios: Vec<String>,
    /// How many scenarios of the family the run has.
    pub of: usize,
    /// The stack that the figures refer to: the baseline, or the first one measured if the baseline was not.
    pub reference: Option<String>,
    /// The stacks, the fastest first.
    pub standings: Vec<Standing>,
    /// The first against the second.
    pub lead: Option<Lead>,
    /// Stacks without a measurement in this family.
    pub left_out: Vec<String>,
    /// Stacks that lack so many of its scenarios that comparing them would take more from the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with_gaps: Vec<String>,
}

impl Headline {
    /// Whether processes at two speeds, in these cells, can change the fastest stack: if all of the leader's
    /// ran at the slower speed and all of the next one's at the faster, or the other way round, the answer
    /// would differ.
    pub fn rests_on_two_speeds<'c>(&self, cells: impl Iterator<Item = &'c Cell>) -> bool {
        let Some(lead) = &self.lead else { return false };
        let (mut farthest, mut nearest, mut found) = (0.0, 0.0, false);
        for cell in cells.filter(|cell| cell.metric == Metric::Time && cell.side == self.side) {
            let Some(measured) = cell.outcome.measured() else { continue };
            let (Some(modes), true) = (measured.modes, self.scenarios.contains(&cell.scenario)) else {
                continue;
            };
            let Some(ratio) = measured.ratio.as_ref().map(|ratio| ratio.estimated.value) else { continue };
            let (up, down) = ((modes.upper / ratio).ln(), (modes.lower / ratio).ln());
            let (slower, faster) = match &cell.stack {
                stack if *stack == lead.fastest => (up, down),
                stack if *stack == lead.next => (-down, -up),
                _ => continue,
            };
            (farthest, nearest, found) = (farthest + slower, nearest + faster, true);
        }
        let shifted = |sum: f64| {
            let by = (sum / self.scenarios.len().max(1) as f64).exp();
            by * lead.ratio.interval.map_or(lead.ratio.value, |interval| interval.upper)
        };
        found && if lead.clear { shifted(farthest) >= 1.0 } else { shifted(nearest) < 1.0 }
    }
}

/// One stack's time over the reference's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The stack's name.
    pub stack: String,
    /// Its time over the reference's.
    pub ratio: Estimated,
}

/// The fastest stack's time over the next one's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lead {
    /// The stack that took the least time.
    pub fastest: String,
    /// The one that came next.
    pub next: String,
    /// The former's time over the latter's.
    pub ratio: Estimated,
    /// Whether the whole interval lies below 1 by more than code layout can explain.
    pub clear: bool,
}
