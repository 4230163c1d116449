//! Places from a run's report.

use tlslab_estimate::{Metric, Outcome, PairRatio, Report};

use crate::definition::{Definition, ResultOf};
use crate::model::{Contender, Entry, FORMAT, GroupOf, Ranked, Standings};

/// The time of a stack over that of another in a scenario and side, from turns of one run: places of the
/// stacks in the definition.
type Ratio<'r> = dyn Fn(&ResultOf, [&str; 2]) -> Option<PairRatio> + 'r;

impl Standings {
    /// Ranks a definition's stacks by a run's report. `ratio` is the time of the first named stack over that
    /// of the second.
    pub fn of(definition: &Definition, report: &Report, ratio: &Ratio<'_>) -> Self {
        let contender = |listed: &crate::Listed| {
            let found = report.stacks.iter().find(|stack| stack.name == listed.stack);
            let library = found.and_then(|stack| stack.library());
            Contender {
                name: listed.name.clone(),
                stack: listed.stack.clone(),
                version: library.map(|library| format!("{} {}", library.name, library.version)),
            }
        };
        let groups = definition.groups.iter().map(|group| GroupOf {
            title: group.title.clone(),
            results: group.results.iter().map(|result| ranked(definition, result, report, ratio)).collect(),
        });
        Self {
            format: FORMAT,
            title: definition.title.clone(),
            run: report.run.id.clone(),
            started: report.run.started.clone(),
            host: report.host.summary(),
            lab_version: report.run.lab_version.clone(),
            warnings: report.warnings.clone(),
            stacks: definition.stacks.iter().map(contender).collect(),
            groups: groups.collect(),
            published: definition.published.clone(),
            since: None,
        }
    }
}

fn ranked(definition: &Definition, result: &ResultOf, report: &Report, ratio: &Ratio<'_>) -> Ranked {
    let stacks: Vec<&str> = definition.stacks.iter().map(|listed| listed.stack.as_str()).collect();
    let family = report.scenarios.iter().find(|one| one.name() == result.scenario).map(|one| one.family);
    let metric = family.map_or(Metric::Rate, |family| family.speed());
    let unit = family.map_or("", |family| metric.unit(family).symbol()).to_owned();
    let mut entries: Vec<Entry> = stacks.iter().map(|stack| entry(report, result, metric, stack)).collect();
    let is_measured: Vec<bool> = entries.iter().map(|entry| entry.value.is_some()).collect();
    let over = |one: usize, other: usize| ratio(result, [stacks[one], stacks[other]]);
    for at in (0..stacks.len()).filter(|at| is_measured[*at]) {
        let others = (0..stacks.len()).filter(|other| *other != at && is_measured[*other]);
        let faster = others.filter(|other| over(*other, at).is_some_and(|ratio| ratio.is_less()));
        entries[at].place = Some(1 + faster.count());
    }
    let value = |at: &usize| entries[*at].value.unwrap_or_default();
    let first = (0..stacks.len()).filter(|at| is_measured[*at]).max_by(|a, b| value(a).total_cmp(&value(b)));
    for at in (0..stacks.len()).filter(|at| is_measured[*at] && first != Some(*at)) {
        entries[at].over_first = first.and_then(|first| over(at, first));
    }
    Ranked { name: result.name.clone(), scenario: result.scenario.clone(), side: result.side, unit, entries }
}

fn entry(report: &Report, result: &ResultOf, metric: Metric, stack: &str) -> Entry {
    let cell = report.cell(&result.scenario, stack, result.side, metric);
    let missing = |why: String| Entry {
        value: None,
        lower: None,
        upper: None,
        place: None,
        over_first: None,
        missing: Some(why),
    };
    match cell.map(|cell| &cell.outcome) {
        Some(Outcome::Measured(measured)) => {
            let interval = measured.estimated.interval;
            Entry {
                value: Some(measured.estimated.value),
                lower: interval.map(|interval| interval.lower),
                upper: interval.map(|interval| interval.upper),
                place: None,
                over_first: None,
                missing: None,
            }
        }
        Some(other) => {
            let (kind, why) = other.hole().unwrap_or(("failed", "without a reason"));
            missing(format!("{kind}: {why}"))
        }
        None => {
            let failed = report.stacks.iter().find(|one| one.name == stack).and_then(|one| one.failure());
            missing(
                failed
                    .map_or_else(|| "the run did not measure it".to_owned(), |why| format!("failed: {why}")),
            )
        }
    }
}
