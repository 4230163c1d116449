//! The findings of all rules, the largest excess first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::anomaly::{Anomaly, CellName, Rule};
use crate::observations::Observations;
use crate::releases::Releases;
use crate::rules::{Looked, look};

/// The anomalies of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anomalies {
    /// The version of this format.
    pub format: u32,
    /// The run.
    pub run: String,
    /// How many stacks have values.
    pub stacks: usize,
    /// The number of values: times and counts of whole iterations.
    pub values: usize,
    /// The comparisons of each rule.
    pub rules: Vec<RuleCount>,
    /// The counter of instructions, if it counts other code than runs on the host.
    pub emulator: Option<String>,
    /// The findings, ranked.
    pub found: Vec<Found>,
}

/// The number of a rule's comparisons and findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleCount {
    /// The rule.
    pub rule: Rule,
    /// How many comparisons it could make: 0 if the run has no such data.
    pub compared: usize,
    /// How many of them break the expectation.
    pub found: usize,
}

/// Anomalies of one rule, stack and subject: most likely of one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The one that is farthest beyond its expectation.
    #[serde(flatten)]
    pub worst: Anomaly,
    /// The cells of the others, the farthest first.
    pub also: Vec<CellName>,
}

impl Anomalies {
    /// The version of the format.
    pub const FORMAT: u32 = 1;

    /// Of a run, and of the releases of its stacks.
    #[must_use]
    pub fn of(run: &str, observations: &Observations, releases: &[Releases]) -> Self {
        let looked = look(observations, releases);
        let count = |looked: &Looked| RuleCount {
            rule: looked.rule,
            compared: looked.compared,
            found: looked.anomalies.len(),
        };
        Self {
            format: Self::FORMAT,
            run: run.to_owned(),
            stacks: observations.stacks_with_values(),
            values: observations.len(),
            rules: looked.iter().map(count).collect(),
            emulator: observations.emulator().map(str::to_owned),
            found: ranked(looked.into_iter().flat_map(|looked| looked.anomalies).collect()),
        }
    }

    /// How many cells and releases break an expectation, each as often as it breaks one.
    #[must_use]
    pub fn total(&self) -> usize {
        self.rules.iter().map(|rule| rule.found).sum()
    }
}

fn ranked(mut all: Vec<Anomaly>) -> Vec<Found> {
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.cell.cmp(&b.cell)));
    let mut places: BTreeMap<(Rule, String, String), usize> = BTreeMap::new();
    let mut found: Vec<Found> = Vec::new();
    for anomaly in all {
        let key = (anomaly.rule, anomaly.cell.stack.clone(), anomaly.subject.clone());
        match places.get(&key) {
            Some(at) => found[*at].also.push(anomaly.cell),
            None => {
                places.insert(key, found.len());
                found.push(Found { worst: anomaly, also: Vec::new() });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Whose;
    use tlslab_protocol::{Resumption, Scenario, Work};

    use super::*;
    use crate::rules::testing::Model;

    #[test]
    fn the_farthest_beyond_its_noise_comes_first_and_stands_for_its_kind() {
        let mut model = Model::default();
        let psk = Scenario { resumption: Resumption::ExternalPsk, ..Scenario::plain(Work::Handshake) };
        let [one, two] = ["one", "two"].map(|name| model.scenario(name, psk.clone()));
        for (stack, scenario, server, share) in
            [("far", one, 300.0, 0.01), ("far", two, 400.0, 0.01), ("noisy", one, 500.0, 0.5)]
        {
            model.time(stack, scenario, Whose::Client, 100.0, share);
            model.time(stack, scenario, Whose::Server, server, share);
        }
        let all = Anomalies::of("r", &model.observations, &[]);
        let order: Vec<(&str, &str)> =
            all.found.iter().map(|one| (&*one.worst.cell.stack, &*one.worst.cell.scenario)).collect();
        // Five times, known to ±50 % on both sides, is less than four times, known to ±1 %.
        assert_eq!(order, [("far", "two"), ("noisy", "one")]);
        assert_eq!(all.found[0].also[0].scenario, "one");
        assert_eq!(all.total(), 3);
        let silent: Vec<Rule> =
            all.rules.iter().filter(|one| one.compared == 0).map(|one| one.rule).collect();
        assert!(silent.contains(&Rule::Release) && !silent.contains(&Rule::EqualWork));
    }
}
