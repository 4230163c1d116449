//! The findings of all rules, the largest excess first.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Further runs, which show all that was found, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again_in: Vec<String>,
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
    /// How many of those do so in the further runs, too; absent without such runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<usize>,
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

    /// Of a run, and of the releases of its stacks; only those that all of the other runs show, too.
    #[must_use]
    pub fn of(run: &str, observations: &Observations, releases: &[Releases], others: &[Self]) -> Self {
        let elsewhere: Vec<BTreeSet<Key<'_>>> = others.iter().map(Self::keys).collect();
        let (mut rules, mut found) = (Vec::new(), Vec::new());
        for looked in look(observations, releases) {
            let Looked { rule, compared, anomalies } = looked;
            if rule == Rule::Release && !others.is_empty() {
                // Releases are of the history and not of a run: all runs would show the same ones.
                continue;
            }
            let all = anomalies.len();
            let comes_again =
                |one: &Anomaly| elsewhere.iter().all(|keys| keys.contains(&key(one, &one.cell)));
            let again: Vec<Anomaly> = anomalies.into_iter().filter(comes_again).collect();
            let count = (!others.is_empty()).then_some(again.len());
            rules.push(RuleCount { rule, compared, found: all, again: count });
            found.extend(again);
        }
        Self {
            format: Self::FORMAT,
            run: run.to_owned(),
            again_in: others.iter().map(|other| other.run.clone()).collect(),
            stacks: observations.stacks_with_values(),
            values: observations.len(),
            rules,
            emulator: observations.emulator().map(str::to_owned),
            found: ranked(found),
        }
    }

    /// What was found, without its figures.
    fn keys(&self) -> BTreeSet<Key<'_>> {
        let mut keys = BTreeSet::new();
        for Found { worst, also } in &self.found {
            keys.extend(std::iter::once(&worst.cell).chain(also).map(|cell| key(worst, cell)));
        }
        keys
    }

    /// How many cells and releases break an expectation, each as often as it breaks one.
    #[must_use]
    pub fn total(&self) -> usize {
        self.rules.iter().map(|rule| rule.found).sum()
    }
}

/// What is the same in two runs, if an anomaly is.
type Key<'a> = (Rule, &'a str, &'a CellName);

fn key<'a>(kind: &'a Anomaly, cell: &'a CellName) -> Key<'a> {
    (kind.rule, &kind.subject, cell)
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
        let all = Anomalies::of("r", &model.observations, &[], &[]);
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

    #[test]
    fn what_another_run_does_not_show_is_counted_and_not_listed() {
        let psk = Scenario { resumption: Resumption::ExternalPsk, ..Scenario::plain(Work::Handshake) };
        let run = |name: &str, servers: [f64; 2], others: &[Anomalies]| {
            let mut model = Model::default();
            for (scenario, server) in ["one", "two"].into_iter().zip(servers) {
                let at = model.scenario(scenario, psk.clone());
                model.time("far", at, Whose::Client, 100.0, 0.01);
                model.time("far", at, Whose::Server, server, 0.01);
            }
            Anomalies::of(name, &model.observations, &[], others)
        };
        // The worst cell of the first run is not found again, but a cell of its kind is.
        let other = run("other", [300.0, 100.0], &[]);
        let all = run("r", [300.0, 400.0], &[other]);
        let found: Vec<(&str, usize)> =
            all.found.iter().map(|one| (&*one.worst.cell.scenario, one.also.len())).collect();
        assert_eq!(found, [("one", 0)]);
        let equal_work = all.rules.iter().find(|one| one.rule == Rule::EqualWork).unwrap();
        assert_eq!((equal_work.found, equal_work.again), (2, Some(1)));
        assert_eq!(all.again_in, ["other"]);
        assert!(all.rules.iter().all(|one| one.rule != Rule::Release), "it is not said to lack data");
    }
}
