//! A stack's time per instruction is about the same in all its cells, as far as the work allows: the effect
//! of a scenario on other libraries is subtracted if there are enough of them.

use std::collections::BTreeMap;

use tlslab_estimate::Family;

use tlslab_stats::{median, median_deviation};

use super::looked::{Comparison, Looked, evidence, noise_of, times};
use crate::anomaly::Rule;
use crate::cluster::others;
use crate::observations::{Measure, Observations, Place};

/// With fewer cells a stack has no level.
const FEWEST: usize = 6;
/// The allowed excess of a cell over the stack's level if other libraries give an expectation.
const ALLOWED: f64 = 1.5;
/// The same where none do: arithmetic of long numbers and ciphers in hardware differ by more.
const ALLOWED_ALONE: f64 = 3.0;
const DEVIATIONS: f64 = 3.0;

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::TimePerInstruction);
    let levels = levels(observations);
    for (place, above) in above_level(observations, &levels) {
        let beside: Vec<(usize, f64)> = observations
            .of_all_stacks(place)
            .filter_map(|(of, _)| {
                Some((of.stack, ln_time_per_instruction(observations, of)? - levels.get(&of.stack)?.0))
            })
            .collect();
        let others = others(observations, place.stack, &beside);
        let (expected, least, deviation) = match others {
            Some(others) => (others.middle, ALLOWED, others.spread),
            None => (0.0, ALLOWED_ALONE, levels[&place.stack].1),
        };
        judge(
            &mut looked,
            observations,
            place,
            Level {
                distance: above - expected,
                allowed: f64::ln(least).max(DEVIATIONS * deviation),
                expected: match others {
                    Some(others) => format!(
                        "{} the stack's median, as in {} other libraries",
                        times(expected),
                        others.libraries
                    ),
                    None => "about the stack's median".to_owned(),
                },
                found: format!("{} the median", times(above)),
            },
        );
    }
    looked
}

struct Level {
    distance: f64,
    allowed: f64,
    expected: String,
    found: String,
}

/// Time over count, as a logarithm.
fn ln_time_per_instruction(observations: &Observations, time: Place) -> Option<f64> {
    let count = observations.get(Place { measure: Measure::Instructions, ..time })?;
    Some(observations.get(Place { measure: Measure::Time, ..time })?.ln() - count.ln())
}

/// Each stack's median over its cells, and their spread.
fn levels(observations: &Observations) -> BTreeMap<usize, (f64, f64)> {
    let mut all: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (place, _) in observations.all().filter(|(place, _)| place.measure == Measure::Time) {
        all.entry(place.stack).or_default().extend(ln_time_per_instruction(observations, place));
    }
    let level = |values: &[f64]| Some((median(values).ok()?, median_deviation(values).ok()?));
    all.into_iter()
        .filter(|(_, values)| values.len() >= FEWEST)
        .filter_map(|(stack, values)| Some((stack, level(&values)?)))
        .collect()
}

fn above_level<'o>(
    observations: &'o Observations,
    levels: &'o BTreeMap<usize, (f64, f64)>,
) -> impl Iterator<Item = (Place, f64)> + 'o {
    let timed = observations.all().filter(|(place, _)| place.measure == Measure::Time);
    timed.filter_map(|(place, _)| {
        Some((place, ln_time_per_instruction(observations, place)? - levels.get(&place.stack)?.0))
    })
}

fn judge(looked: &mut Looked, observations: &Observations, place: Place, level: Level) {
    let counted = Place { measure: Measure::Instructions, ..place };
    let (Some(time), Some(count)) = (observations.get(place), observations.get(counted)) else { return };
    let emulated = if observations.emulator().is_some() { ", emulated" } else { "" };
    looked.judge(Comparison {
        cell: observations.cell(place),
        subject: format!("time per instruction, {}", Family::of(observations.scenario(place)).name()),
        expected: level.expected,
        found: format!(
            "{} for {}{emulated}: {}",
            observations.text(place),
            observations.text(counted),
            level.found
        ),
        distance: level.distance,
        allowed: level.allowed,
        noise: noise_of(time, count),
        evidence: evidence(observations, &[place, counted]),
    });
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Whose;
    use tlslab_protocol::{Scenario, Work};

    use super::*;
    use crate::rules::testing::Model;

    /// Eight cells of each stack at its own level; the last scenario's code is slow everywhere.
    fn model(stacks: &[&str]) -> (Model, usize) {
        let mut model = Model::default();
        let scenarios: Vec<usize> =
            (0..8).map(|at| model.scenario(&at.to_string(), Scenario::plain(Work::Handshake))).collect();
        for (level, stack) in stacks.iter().enumerate() {
            for (at, scenario) in scenarios.iter().enumerate() {
                let slow = if at == 7 { 4.0 } else { 1.0 };
                model.count(stack, *scenario, Whose::Server, 1e6);
                model.time(stack, *scenario, Whose::Server, 100.0 * slow * (1.0 + level as f64), 0.01);
            }
        }
        (model, scenarios[0])
    }

    #[test]
    fn a_cell_far_above_its_stack_is_found_and_what_is_slow_everywhere_is_not() {
        let (mut model, first) = model(&["a", "b", "c", "d"]);
        assert!(look(&model.observations).anomalies.is_empty());
        model.time("a", first, Whose::Server, 250.0, 0.01);
        let looked = look(&model.observations);
        assert_eq!(looked.compared, 32);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!((found.cell.stack.as_str(), found.cell.scenario.as_str()), ("a", "0"));
        assert!((found.score - 2.5 / ALLOWED / 1.01).abs() < 1e-9, "{}", found.score);
    }

    #[test]
    fn without_peers_more_is_allowed() {
        let (model, _) = model(&["a"]);
        let looked = look(&model.observations);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!(found.cell.scenario, "7");
        assert!((found.beyond - 4.0 / ALLOWED_ALONE).abs() < 1e-9);
    }
}
