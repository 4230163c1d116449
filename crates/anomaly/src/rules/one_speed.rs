//! All processes of a cell run at one speed. The groups themselves are found when the run is estimated, in
//! ratios to a baseline: groups that several libraries share are the baseline's.

use std::collections::BTreeSet;

use super::looked::{Comparison, Looked, evidence};
use crate::anomaly::Rule;
use crate::observations::{Measure, Observations, Place, Speeds};

/// Groups that are less than 1 % apart are not reported.
const ALLOWED: f64 = 1.01;
/// The means of two groups are at least this many standard deviations within the groups apart; one of these
/// is the noise.
const SEPARATION: f64 = 6.5;

/// Groups of the ratios to one baseline that have the same share in this many libraries are the baseline's.
const LIBRARIES: usize = 3;
/// Shares that differ by less than one process of sixteen are the same.
const SAME_SHARE: f64 = 1.0 / 16.0;

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::OneSpeed);
    let timed = observations.all().filter(|(place, _)| place.measure == Measure::Time).count();
    let mut reported = BTreeSet::new();
    for speeds in observations.speeds() {
        let shared = shared(observations, speeds);
        let ratio = |speeds: &Speeds| speeds.modes.upper / speeds.modes.lower;
        let (place, share, ratio, rest) = match observations.baseline() {
            Some(stack) if !shared.is_empty() => {
                let least = shared.iter().map(|speeds| ratio(speeds)).fold(f64::INFINITY, f64::min);
                let rest = format!("; the same in the ratios of {} stacks to it", shared.len());
                let share = 1.0 - speeds.modes.upper_share;
                (Place { stack, ..speeds.place }, share, least, rest)
            }
            _ => (speeds.place, speeds.modes.upper_share, ratio(speeds), String::new()),
        };
        // The ratios of several stacks show the same groups of the baseline.
        if !reported.insert(place) {
            continue;
        }
        let places: Vec<Place> =
            [place].into_iter().chain(shared.iter().map(|speeds| speeds.place)).collect();
        looked.judge(Comparison {
            cell: observations.cell(place),
            subject: "processes at two speeds".to_owned(),
            expected: "one group of processes".to_owned(),
            found: format!(
                "two groups: {:.0} % of the processes take {ratio:.2} times what the others do{rest}",
                100.0 * share
            ),
            distance: ratio.ln(),
            allowed: ALLOWED.ln(),
            noise: Some(ratio.ln() / SEPARATION),
            evidence: evidence(observations, &places),
        });
    }
    looked.compared = timed;
    looked
}

/// The groups of this cell and those with the same share in other stacks, if enough libraries have such.
fn shared<'a>(observations: &'a Observations, speeds: &Speeds) -> Vec<&'a Speeds> {
    let is_alike = |other: &&Speeds| {
        Place { stack: 0, ..other.place } == Place { stack: 0, ..speeds.place }
            && (other.modes.upper_share - speeds.modes.upper_share).abs() < SAME_SHARE
    };
    let alike: Vec<&Speeds> = observations.speeds().iter().filter(is_alike).collect();
    let libraries: BTreeSet<&str> =
        alike.iter().map(|speeds| observations.library(speeds.place.stack)).collect();
    let is_shared = observations.baseline().is_some() && libraries.len() >= LIBRARIES;
    if is_shared { alike } else { Vec::new() }
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

    #[test]
    fn groups_that_three_libraries_share_are_the_baselines() {
        let mut model = Model::default();
        let scenario = model.scenario("one", Scenario::plain(Work::Handshake));
        let baseline = model.place("baseline", scenario, Whose::Client, Measure::Time);
        model.time("baseline", scenario, Whose::Client, 5.0, 0.4);
        model.observations.set_baseline(baseline.stack);
        for (stack, upper, upper_share) in
            [("a", 2.6, 0.8125), ("b", 1.4, 0.8125), ("c", 4.0, 0.8), ("of itself", 3.0, 0.25)]
        {
            let place = model.place(stack, scenario, Whose::Client, Measure::Time);
            model.time(stack, scenario, Whose::Client, 7.0, 0.4);
            model.observations.put_speeds(Speeds { place, modes: Modes { lower: 1.0, upper, upper_share } });
        }
        let found = look(&model.observations).anomalies;
        let of: Vec<&str> = found.iter().map(|one| &*one.cell.stack).collect();
        assert_eq!(of, ["baseline", "of itself"]);
        let (what, share) = (&found[0].found, "two groups: 19 % of the processes take 1.40 times");
        assert!(what.starts_with(share) && what.ends_with("the ratios of 3 stacks to it"), "{what}");
        assert_eq!(found[0].evidence.len(), 4);
    }
}
