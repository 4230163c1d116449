//! All processes of a cell run at one speed. The groups themselves are found when the run is estimated.

use super::looked::{Comparison, Looked, evidence};
use crate::anomaly::Rule;
use crate::observations::{Measure, Observations};

/// Groups that are less than 1 % apart are not reported.
const ALLOWED: f64 = 1.01;
/// The means of two groups are at least this many standard deviations within the groups apart; one of these
/// is the noise.
const SEPARATION: f64 = 6.5;

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::OneSpeed);
    let timed = observations.all().filter(|(place, _)| place.measure == Measure::Time).count();
    for speeds in observations.speeds() {
        let distance = (speeds.modes.upper / speeds.modes.lower).ln();
        looked.judge(Comparison {
            cell: observations.cell(speeds.place),
            subject: "processes at two speeds".to_owned(),
            expected: "one group of processes".to_owned(),
            found: format!(
                "two groups: {:.0} % of the processes take {:.2} times what the others do",
                100.0 * speeds.modes.upper_share,
                distance.exp()
            ),
            distance,
            allowed: ALLOWED.ln(),
            noise: Some(distance / SEPARATION),
            evidence: evidence(observations, &[speeds.place]),
        });
    }
    looked.compared = timed;
    looked
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::{Modes, Whose};
    use tlslab_protocol::{Scenario, Work};

    use super::*;
    use crate::observations::Speeds;
    use crate::rules::testing::Model;

    /// Ratios of the two groups of processes that docs/recorded/ratios.md has of a receiver of 1 MiB.
    #[test]
    fn published_groups_are_found() {
        let mut model = Model::default();
        let scenario = model.scenario("receives", Scenario::plain(Work::Handshake));
        model.time("a", scenario, Whose::Server, 200.0, 0.4);
        let place = model.place("a", scenario, Whose::Server, Measure::Time);
        let modes = Modes { lower: 1.23, upper: 3.39, upper_share: 0.33 };
        model.observations.put_speeds(Speeds { place, modes });
        assert!(look(&model.observations).anomalies[0].score > 2.0);
    }

    #[test]
    fn two_speeds_are_found_by_how_far_they_are_apart() {
        let mut model = Model::default();
        let scenario = model.scenario("one", Scenario::plain(Work::Handshake));
        model.time("a", scenario, Whose::Client, 5.0, 0.4);
        model.time("a", scenario, Whose::Server, 5.0, 0.4);
        let place = model.place("a", scenario, Whose::Server, Measure::Time);
        let modes = Modes { lower: 0.33, upper: 0.99, upper_share: 0.25 };
        model.observations.put_speeds(Speeds { place, modes });
        let looked = look(&model.observations);
        assert_eq!(looked.compared, 2);
        let found = &looked.anomalies[0];
        let score = 3.0_f64.powf(1.0 - 1.0 / SEPARATION) / ALLOWED;
        assert!((found.score - score).abs() < 1e-9, "{}", found.score);
        assert!(found.found.contains("25 % of the processes take 3.00 times"), "{}", found.found);
    }
}
