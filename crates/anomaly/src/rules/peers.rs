//! The ratio of two scenarios that differ in one thing is about the same in all libraries.

use std::collections::BTreeMap;

use tlslab_protocol::Scenario;

use super::looked::{Comparison, Looked, evidence, times};
use crate::anomaly::Rule;
use crate::axes::{Axes, axes, families};
use crate::cluster::others;
use crate::observations::{Observations, Place};

/// The allowed distance of a ratio from the median of the other libraries, at least; three of their standard
/// deviations if that is more.
const ALLOWED: f64 = 1.5;
const DEVIATIONS: f64 = 3.0;

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::Peers);
    let scenarios = observations.scenarios();
    for (axis, groups) in families(scenarios) {
        let value = |at: usize| axes(&scenarios[at]).get(axis).cloned().unwrap_or_default();
        let common = frequencies(scenarios, axis);
        for group in groups {
            let often = |at: &&usize| common.get(&value(**at)).copied().unwrap_or_default();
            // Of several values that are as frequent, the first scenario's.
            let Some(base) = group.iter().rev().max_by_key(often).copied() else { continue };
            for one in group.iter().copied().filter(|one| *one != base) {
                let axis = axis.replace('_', " ");
                let pair = Pair { axis, scenarios: [one, base], values: [value(one), value(base)] };
                judge_pair(&mut looked, observations, &pair);
            }
        }
    }
    looked
}

/// How often each value of an axis is in the run.
fn frequencies(scenarios: &[Scenario], axis: &str) -> BTreeMap<String, usize> {
    let mut frequencies = BTreeMap::new();
    for value in scenarios.iter().map(axes).filter_map(|axes: Axes| axes.get(axis).cloned()) {
        *frequencies.entry(value).or_default() += 1;
    }
    frequencies
}

/// Two scenarios that differ in one axis.
struct Pair {
    axis: String,
    scenarios: [usize; 2],
    values: [String; 2],
}

impl Pair {
    /// The value of a place's scenario on the axis.
    fn value(&self, place: Place) -> String {
        let at = usize::from(place.scenario != self.scenarios[0]);
        format!("{} {}", self.axis, self.values[at])
    }
}

fn judge_pair(looked: &mut Looked, observations: &Observations, pair: &Pair) {
    let [one, base] = pair.scenarios;
    let mut ratios: BTreeMap<_, Vec<(usize, f64)>> = BTreeMap::new();
    for (place, of) in observations.of_scenario(one) {
        if let Some(over) = observations.get(Place { scenario: base, ..place }) {
            ratios.entry((place.side, place.measure)).or_default().push((place.stack, of.ln() - over.ln()));
        }
    }
    for ((side, measure), ratios) in &ratios {
        for (stack, ratio) in ratios {
            let Some(others) = others(observations, *stack, ratios) else { continue };
            let place = Place { stack: *stack, scenario: one, side: *side, measure: *measure };
            let under = Place { scenario: base, ..place };
            let noises = [place, under].map(|place| observations.noise_beside_others(place));
            // A ratio that is too large is above the line.
            let is_above = *ratio >= others.middle;
            let (long, short, sign) = if is_above { (place, under, 1.0) } else { (under, place, -1.0) };
            looked.judge(Comparison {
                cell: observations.cell(long),
                subject: format!("scenarios that differ in {}", pair.axis),
                expected: format!(
                    "{} takes {} what {} does, the median of {} other libraries",
                    pair.value(long),
                    times(sign * others.middle),
                    pair.value(short),
                    others.libraries
                ),
                found: format!(
                    "{} against {}: {}",
                    observations.text(long),
                    observations.text(short),
                    times(sign * ratio)
                ),
                distance: (ratio - others.middle).abs(),
                allowed: ALLOWED.ln().max(DEVIATIONS * others.spread),
                noise: noises[0].zip(noises[1]).map(|(of, over)| of + over),
                evidence: evidence(observations, &[long, short]),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Whose;
    use tlslab_protocol::{Group, Work};

    use super::*;
    use crate::rules::testing::Model;

    fn model(finite_fields: &[(&str, f64)]) -> Model {
        let mut model = Model::default();
        let of = |group| Scenario { group, ..Scenario::plain(Work::Handshake) };
        let curve = model.scenario("curve", of(Group::X25519));
        let field = model.scenario("field", of(Group::FFDHE2048));
        // The curve is the more frequent one.
        let verified = Scenario { verification: tlslab_protocol::Verification::Chain, ..of(Group::X25519) };
        model.scenario("verified", verified);
        for (stack, times) in finite_fields {
            model.count(stack, curve, Whose::Server, 1000.0);
            model.count(stack, field, Whose::Server, 1000.0 * times);
        }
        model
    }

    #[test]
    fn a_stack_whose_finite_field_costs_several_times_that_of_others_is_found() {
        let looked =
            look(&model(&[("long", 20.0), ("b", 4.0), ("c", 5.0), ("d", 6.0), ("e", 5.0)]).observations);
        assert_eq!(looked.compared, 5);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!((found.cell.stack.as_str(), found.cell.scenario.as_str()), ("long", "field"));
        assert_eq!(found.subject, "scenarios that differ in group");
        let expected =
            "group ffdhe2048 takes 5.00 times what group x25519 does, the median of 4 other libraries";
        assert_eq!(found.expected, expected);
        // The others: 4, 5, 5, 6; the median of the distances from ln 5 is half of ln(6/5), or of ln(5/4).
        assert!(found.score > 2.0 && found.score < 4.0 / 1.5 + 1e-9, "{}", found.score);
    }

    #[test]
    fn a_ratio_that_is_too_small_is_of_the_scenario_below_the_line() {
        let looked = look(&model(&[("a", 0.5), ("b", 4.0), ("c", 5.0), ("d", 6.0), ("e", 5.0)]).observations);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!((found.cell.stack.as_str(), found.cell.scenario.as_str()), ("a", "curve"));
        assert!(found.found.ends_with(": 2.00 times"), "{}", found.found);
        assert!(found.expected.starts_with("group x25519 takes 0.200 times"), "{}", found.expected);
    }

    #[test]
    fn what_slows_all_stacks_down_for_a_while_hides_nothing() {
        let found = |ratios_share: Option<f64>| {
            let mut model = Model::default();
            let of = |group| Scenario { group, ..Scenario::plain(Work::Handshake) };
            let scenarios = [("curve", Group::X25519), ("field", Group::FFDHE2048)]
                .map(|(name, group)| model.scenario(name, of(group)));
            for (stack, times) in [("long", 20.0), ("b", 4.0), ("c", 5.0), ("d", 6.0), ("e", 5.0)] {
                for (scenario, time) in scenarios.into_iter().zip([100.0, 100.0 * times]) {
                    // A host whose speed halves now and then.
                    model.time(stack, scenario, Whose::Server, time, 1.0);
                    if let Some(share) = ratios_share {
                        model.ratio(stack, scenario, Whose::Server, time / 100.0, share);
                    }
                }
            }
            look(&model.observations).anomalies.len()
        };
        assert_eq!((found(None), found(Some(0.02)), found(Some(2.0))), (0, 1, 0));
    }

    #[test]
    fn a_stack_without_enough_peers_or_among_wide_ones_is_none() {
        assert_eq!(look(&model(&[("long", 20.0), ("b", 4.0), ("c", 5.0)]).observations).compared, 0);
        let wide = model(&[("b", 1.0), ("c", 3.0), ("long", 9.0), ("d", 27.0), ("e", 81.0)]);
        assert!(look(&wide.observations).anomalies.is_empty());
    }
}
