//! More bytes do not cost less.

use super::looked::{Comparison, Looked, evidence, noise_of, times};
use crate::anomaly::Rule;
use crate::axes::{SIZES, axes, families};
use crate::observations::{Observations, Place};

/// The end of a message that is no whole block can cost more than the rest of the block would.
const ALLOWED: f64 = 1.05;

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::Size);
    let families = families(observations.scenarios());
    for (axis, groups) in families.iter().filter(|(axis, _)| SIZES.contains(axis)) {
        for group in groups {
            let bytes = |at: usize| -> Option<u64> {
                axes(&observations.scenarios()[at]).get(axis).and_then(|bytes| bytes.parse().ok())
            };
            let mut sized: Vec<(u64, usize)> =
                group.iter().filter_map(|at| Some((bytes(*at)?, *at))).collect();
            sized.sort_unstable();
            for (place, _) in observations.of_scenario(sized[0].1) {
                judge_family(&mut looked, observations, place, &sized);
            }
        }
    }
    looked
}

/// Compares each size with the most expensive of the smaller ones.
fn judge_family(looked: &mut Looked, observations: &Observations, place: Place, sized: &[(u64, usize)]) {
    let mut dearest: Option<(u64, Place)> = None;
    for (bytes, scenario) in sized {
        let larger = Place { scenario: *scenario, ..place };
        let Some(value) = observations.get(larger) else { continue };
        let before = dearest.and_then(|(bytes, place)| Some((bytes, place, observations.get(place)?)));
        if let Some((smaller_bytes, smaller, more)) = before {
            let distance = more.ln() - value.ln();
            looked.judge(Comparison {
                cell: observations.cell(smaller),
                subject: "the cost of a size".to_owned(),
                expected: format!("{smaller_bytes} bytes cost at most {ALLOWED} times what {bytes} do"),
                found: format!(
                    "{} against {}: {}",
                    observations.text(smaller),
                    observations.text(larger),
                    times(distance)
                ),
                distance,
                allowed: ALLOWED.ln(),
                noise: noise_of(more, value),
                evidence: evidence(observations, &[smaller, larger]),
            });
        }
        if before.is_none_or(|(_, _, more)| value.value > more.value) {
            dearest = Some((*bytes, larger));
        }
    }
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Whose;
    use tlslab_protocol::{ConnectionAge, Scenario, Side, Work};

    use super::*;
    use crate::rules::testing::Model;

    fn model(costs: &[(u32, f64)]) -> Model {
        let mut model = Model::default();
        for (write_bytes, us) in costs {
            let work = Work::Transfer {
                sender: Side::Client,
                write_bytes: *write_bytes,
                connection: ConnectionAge::Warm,
                burst: 1,
            };
            let scenario = model.scenario(&write_bytes.to_string(), Scenario::plain(work));
            model.time("a", scenario, Whose::Client, *us, 0.01);
        }
        model
    }

    #[test]
    fn a_size_that_costs_more_than_larger_ones_is_found() {
        // 4 KiB cost more than 16 KiB, whatever is between them in the list of scenarios.
        let looked = look(&model(&[(16384, 5.0), (1024, 1.0), (4096, 9.0)]).observations);
        assert_eq!(looked.compared, 2);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!(found.cell.scenario, "4096");
        assert!((found.score - 1.8 / ALLOWED / 1.01_f64.powi(2)).abs() < 1e-9);
    }

    #[test]
    fn the_end_of_a_block_is_allowed_for() {
        assert!(look(&model(&[(16383, 5.1), (16384, 5.0)]).observations).anomalies.is_empty());
        assert!(look(&model(&[(1, 1.0), (16, 1.0), (64, 1.0)]).observations).anomalies.is_empty());
    }
}
