//! Releases that are measured again with new ones: a step between two releases is known only within one
//! epoch.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_history::figures::epoch;
use tlslab_record::{Plan, Series, StackState};

/// For each due release, its nearest neighbours before and after among those with values in the history.
///
/// `releases` are all known ones, in the order of versions.
pub(super) fn neighbours<'r>(
    releases: &'r [String],
    due: &BTreeSet<&str>,
    is_measured: impl Fn(&str) -> bool,
) -> BTreeMap<&'r str, Vec<&'r str>> {
    let there: Vec<&str> = releases
        .iter()
        .map(String::as_str)
        .filter(|release| due.contains(release) || is_measured(release))
        .collect();
    let mut neighbours: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for pair in there.windows(2) {
        match (due.contains(pair[0]), due.contains(pair[1])) {
            (true, false) => neighbours.entry(pair[0]).or_default().push(pair[1]),
            (false, true) => neighbours.entry(pair[1]).or_default().push(pair[0]),
            _ => {}
        }
    }
    neighbours
}

/// Whether a plan's only stack would be measured in another epoch than the history's; or why it cannot be
/// measured.
pub(super) fn is_of_another_epoch(plan: &Plan, latest: &BTreeMap<Series, String>) -> Result<bool, String> {
    let Some(stack) = plan.stacks.first() else { return Ok(false) };
    if let StackState::Failed(reason) = &stack.state {
        return Err(tlslab_history::figures::first_error(reason));
    }
    Ok(latest.iter().any(|(series, known)| epoch(plan, &series.scenario, stack, &series.metric) != *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(measured: &[&str], due: &[&str]) -> Vec<(String, Vec<String>)> {
        let releases = ["1.9", "1.10", "1.11", "1.12", "2.0"].map(str::to_owned);
        let due = due.iter().copied().collect();
        let found = neighbours(&releases, &due, |release| measured.contains(&release));
        let owned = |(release, all): (&str, Vec<&str>)| {
            (release.to_owned(), all.into_iter().map(str::to_owned).collect())
        };
        found.into_iter().map(owned).collect()
    }

    fn one(release: &str, neighbours: &[&str]) -> (String, Vec<String>) {
        (release.to_owned(), neighbours.iter().map(|one| (*one).to_owned()).collect())
    }

    #[test]
    fn a_new_release_has_the_newest_known_one_before_it() {
        assert_eq!(found(&["1.9", "1.10"], &["1.11", "1.12"]), [one("1.11", &["1.10"])]);
        assert_eq!(found(&[], &["1.11", "1.12"]), []);
        assert_eq!(found(&["1.9", "2.0"], &[]), []);
    }

    #[test]
    fn a_release_between_known_ones_has_both() {
        assert_eq!(found(&["1.9", "1.10", "2.0"], &["1.12"]), [one("1.12", &["1.10", "2.0"])]);
        let both = [one("1.10", &["1.9", "1.11"]), one("1.12", &["1.11", "2.0"])];
        assert_eq!(found(&["1.9", "1.11", "2.0"], &["1.10", "1.12"]), both);
    }

    #[test]
    fn what_is_no_release_is_no_neighbour() {
        assert_eq!(found(&["1.9", "main (0123456789ab)"], &["1.10"]), [one("1.10", &["1.9"])]);
    }
}
