//! Scenarios that are measured in one visit.

use anyhow::ensure;
use tlslab_protocol::{Measure, Pairing, Scenario, Start, Work};
use tlslab_scenario::selected_of;

use crate::problem::Problem;

/// How the rest of the run is measured.
pub struct Otherwise<'r> {
    /// The metrics.
    pub metrics: &'r [Measure],
    /// Which server each client is paired with.
    pub pairing: Pairing,
    /// Whether another program uses the processor between turns.
    pub evicts: bool,
}

/// The group of each pattern, by the names of its scenarios.
///
/// # Errors
/// Fails if a pattern selects fewer than two scenarios, or if the scenarios or the run do not allow groups.
pub fn groups(
    patterns: &[String],
    scenarios: &[Scenario],
    otherwise: &Otherwise<'_>,
) -> anyhow::Result<Vec<Vec<String>>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    for pattern in patterns {
        check_run(pattern, otherwise)?;
        let group = selected_of(pattern, scenarios)?;
        let invalid = |cause: String, next: &str| Problem::invalid("together", pattern, cause, next);
        ensure!(
            group.len() > 1,
            invalid(
                match group.len() {
                    0 => "it selects none of the run's scenarios".to_owned(),
                    _ => "it selects one of the run's scenarios".to_owned(),
                },
                "a group has two or more: write {A,B}"
            )
        );
        for at in group.iter().copied() {
            let scenario = &scenarios[at];
            if let Some(why) = alone(scenario) {
                return Err(invalid(format!("{} {why}", scenario.name), "remove it from the group").into());
            }
            ensure!(
                !groups.iter().flatten().any(|known| *known == scenario.name),
                invalid(
                    format!("{} is in two groups", scenario.name),
                    "a scenario is measured once a round; make one group of the two"
                )
            );
        }
        let mut names: Vec<String> = group.into_iter().map(|at| scenarios[at].name.clone()).collect();
        // `{A,B}` is B over A, whichever comes first in the run.
        let listed: Vec<&str> = pattern.trim_matches(['{', '}']).split(',').collect();
        names.sort_by_key(|name| listed.iter().position(|one| one == name));
        groups.push(names);
    }
    Ok(groups)
}

/// The groups as places of the measured scenarios; a group with fewer than two of these is dropped.
pub fn places(groups: &[Vec<String>], scenarios: &[Scenario]) -> Vec<Vec<usize>> {
    let place = |name: &String| scenarios.iter().position(|scenario| scenario.name == *name);
    let groups = groups.iter().map(|group| group.iter().filter_map(place).collect::<Vec<_>>());
    groups.filter(|group| group.len() > 1).collect()
}

fn check_run(pattern: &str, otherwise: &Otherwise<'_>) -> anyhow::Result<()> {
    let invalid = |cause: &str, next: &str| Problem::invalid("together", pattern, cause, next);
    ensure!(
        otherwise.metrics.contains(&Measure::Time),
        invalid("only times are measured together, and this run has none", "add time to the metrics")
    );
    ensure!(
        otherwise.pairing == Pairing::Own,
        invalid("with cross pairing each scenario has visits of its own", "measure the group in another run")
    );
    ensure!(
        !otherwise.evicts,
        invalid(
            "for cold figures another program uses the processor before each turn",
            "measure the group in another run, without cold figures"
        )
    );
    Ok(())
}

/// Why a scenario is measured alone, after its name.
fn alone(scenario: &Scenario) -> Option<&'static str> {
    match (&scenario.work, scenario.start) {
        (Work::Idle { .. }, _) => Some("takes no time"),
        (_, Start::Cold) => Some("has a new process for each slice"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHERWISE: Otherwise<'_> =
        Otherwise { metrics: &[Measure::Time], pairing: Pairing::Own, evicts: false };

    fn scenarios() -> Vec<Scenario> {
        let named = |name: &str| Scenario { name: name.to_owned(), ..Scenario::plain(Work::Handshake) };
        let mut all: Vec<Scenario> = ["a/1", "a/2", "a/3", "b/1", "b/cold"].map(named).into();
        all[4].start = Start::Cold;
        all
    }

    fn refused(patterns: &[&str], otherwise: &Otherwise<'_>) -> String {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        groups(&patterns, &scenarios(), otherwise).unwrap_err().to_string()
    }

    #[test]
    fn each_pattern_is_a_group_of_the_runs_scenarios() {
        let patterns = ["a/{1,3}", "{b/1,a/2}"].map(str::to_owned);
        let found = groups(&patterns, &scenarios(), &OTHERWISE).unwrap();
        assert_eq!(found, [["a/1", "a/3"], ["b/1", "a/2"]].map(|group| group.map(str::to_owned)));
        assert_eq!(places(&found, &scenarios()), [[0, 2], [3, 1]]);
        // A scenario that is left alone has a visit of its own.
        assert_eq!(places(&found, &scenarios()[..3]), [[0, 2]]);
    }

    #[test]
    fn what_cannot_be_measured_together_is_refused_with_its_reason() {
        for (patterns, why) in [
            (&["c/*"][..], "selects none"),
            (&["a/1"], "selects one"),
            (&["a/*", "{a/2,b/1}"], "a/2 is in two groups"),
            (&["b/*"], "b/cold has a new process for each slice"),
            (&["a/{"], "not a pattern"),
        ] {
            let text = refused(patterns, &OTHERWISE);
            assert!(text.contains(why), "{text}");
        }
        let crossed = Otherwise { pairing: Pairing::Cross, ..OTHERWISE };
        assert!(refused(&["a/*"], &crossed).contains("cross pairing"));
        assert!(refused(&["a/*"], &Otherwise { evicts: true, ..OTHERWISE }).contains("cold figures"));
        assert!(refused(&["a/*"], &Otherwise { metrics: &[Measure::Count], ..OTHERWISE }).contains("times"));
    }
}
