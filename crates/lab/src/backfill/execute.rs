//! Release by release: what is known, what is measured together, what failed.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_estimate::{Outcome, Report, StackState};
use tlslab_figures::is_of_work;
use tlslab_protocol::{Metric, Scenario, Work};
use tlslab_recipe::{Spec, compare};
use tlslab_record::Seconds;
use tlslab_store::Store;

use super::releases::wanted;
use crate::compare::execute::scenarios;
use crate::error::Error;
use crate::event::{Event, Stage, Step};
use crate::problem::Problem;
use crate::request::{BackfillRequest, RunRequest};
use crate::run::run_named;
use crate::session::Session;

/// What a backfill has measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Backfilled {
    /// The releases that were wanted, oldest first.
    pub releases: Vec<Release>,
    /// The runs that were made.
    pub runs: Vec<String>,
}

/// A release and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Release {
    /// Its version.
    pub version: String,
    /// The outcome.
    pub outcome: ReleaseOutcome,
}

/// What became of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseOutcome {
    /// It was measured now.
    Measured,
    /// The history had it.
    Known,
    /// It was built or measured without success: why.
    Failed(String),
}

/// Measures the releases of a stack that the history does not have yet.
///
/// # Errors
/// A request that asks for what there is not, and anything that keeps a run from its end. A release that cannot be built or measured
/// is no error.
pub fn backfill(session: &Session<'_>, request: &BackfillRequest) -> Result<Backfilled, Error> {
    let spec = stack(&request.stack)?;
    let index = session.environment.recipe_index()?;
    let versions = wanted(&index, &spec, request)?;
    let (scenarios, _) = scenarios(session, &request.suite, &request.scenarios)?;
    let known = match request.again {
        true => BTreeSet::new(),
        false => known(&*session.store()?, &spec.series_name(), &scenarios, &request.metrics)?,
    };
    let versions = if request.only_newer { newer(versions, &known) } else { versions };
    let mut releases: Vec<Release> = versions
        .iter()
        .map(|version| {
            let outcome = match (known.contains(version), index.named(&spec.at(version))) {
                (true, _) => ReleaseOutcome::Known,
                (false, Ok(_)) => ReleaseOutcome::Measured,
                (false, Err(error)) => ReleaseOutcome::Failed(error.to_string()),
            };
            Release { version: version.clone(), outcome }
        })
        .collect();
    let due: Vec<usize> =
        (0..releases.len()).filter(|&at| releases[at].outcome == ReleaseOutcome::Measured).collect();
    let (mut runs, began) = (Vec::new(), Instant::now());
    for (number, chunk) in due.chunks(request.at_once.get().max(1) as usize).enumerate() {
        let done = number * request.at_once.get().max(1) as usize;
        announce(session, &releases, chunk, (done, due.len()), began);
        let wanted = run_of(session, request, &spec, &versions, chunk, &scenarios)?;
        let outcome = run_named(session, &wanted, &session.conditions.part_run(&wanted.stacks))?;
        for &at in chunk {
            if let Some(reason) = failure(&outcome.report, &spec.at(&versions[at])) {
                releases[at].outcome = ReleaseOutcome::Failed(reason);
            }
        }
        runs.push(outcome.report.run.id.clone());
    }
    Ok(Backfilled { releases, runs })
}

/// The releases after the newest one that is known; the newest one of all where none is.
fn newer(versions: Vec<String>, known: &BTreeSet<String>) -> Vec<String> {
    let newest = known.iter().max_by(|a, b| compare(a, b));
    match newest {
        Some(newest) => versions.into_iter().filter(|version| compare(version, newest).is_gt()).collect(),
        None => versions.into_iter().next_back().into_iter().collect(),
    }
}

fn stack(text: &str) -> anyhow::Result<Spec> {
    let spec = Spec::parse(text)?;
    let is_plain = spec.version.is_none() && spec.source.is_none() && spec.dependencies.is_empty();
    ensure!(
        is_plain,
        Problem::invalid(
            "stack",
            text,
            "backfill takes a stack without a version or source",
            format!("name {}", spec.name)
        )
    );
    Ok(spec)
}

/// The releases that have a value or a reason in every one of these scenarios, for every metric, on runners like this one.
fn known(
    store: &dyn Store,
    stack: &str,
    scenarios: &[Scenario],
    metrics: &[Metric],
) -> anyhow::Result<BTreeSet<String>> {
    let all = store.series()?;
    let class = tlslab_figures::runner_class(&crate::host::fingerprint());
    let mut known: Option<BTreeSet<String>> = None;
    for scenario in scenarios {
        // Nothing but memory is measured of idle connections.
        let is_idle = matches!(scenario.work, Work::Idle { .. });
        for metric in metrics.iter().filter(|metric| !is_idle || **metric == Metric::Heap) {
            let is_it = |name: &str| name.split('.').next() == Some(metric.name());
            let of_cell = all.iter().map(|one| &one.series);
            let of_cell = of_cell
                .filter(|one| one.stack == stack && one.scenario == scenario.name && is_it(&one.metric))
                .filter(|one| one.class == class);
            // A cell has series of both sides: it is known where one of them has the release.
            let mut labels = BTreeSet::new();
            for series in of_cell {
                let points = store.points(series)?.into_iter();
                // Figures of other work are another series.
                let of_this_work = points.filter(|point| is_of_work(&point.epoch, scenario));
                labels.extend(of_this_work.map(|point| point.label));
            }
            known = Some(match known {
                Some(sofar) => sofar.intersection(&labels).cloned().collect(),
                None => labels,
            });
        }
    }
    Ok(known.unwrap_or_default())
}

/// The run that measures some of the releases together; of times with the canary and the release before them.
fn run_of(
    session: &Session<'_>,
    request: &BackfillRequest,
    spec: &Spec,
    versions: &[String],
    chunk: &[usize],
    scenarios: &[Scenario],
) -> anyhow::Result<RunRequest> {
    let mut stacks: Vec<String> = chunk.iter().map(|&at| spec.at(&versions[at])).collect();
    let is_timed = request.metrics.contains(&Metric::Time);
    let mut canaries = None;
    if is_timed {
        let canary = request.canary.clone().or_else(|| session.environment.run.canary.clone());
        let canary = canary.context(
            "times of releases are ratios to a canary; name a stack that stays the same as the canary, in the request or in [run] of \
             tlslab.toml",
        )?;
        if let Some(before) = chunk.first().and_then(|first| first.checked_sub(1)) {
            stacks.insert(0, spec.at(&versions[before]));
        }
        canaries = Some(canary);
    }
    let cells: usize = scenarios.iter().map(|scenario| scenario.work.sides().len()).sum();
    Ok(RunRequest {
        budget_s: is_timed
            .then(|| Seconds::nearest(request.point_s.get() * (cells * (stacks.len() + 1)) as f64)),
        stacks,
        canary: canaries,
        suite: request.scenarios.is_empty().then(|| request.suite.clone()),
        scenarios: request.scenarios.clone(),
        metrics: request.metrics.clone(),
        seeds: request.metrics.contains(&Metric::Count).then_some(request.seeds),
        ..RunRequest::default()
    })
}

/// Why a release has no value at all, if that is so.
fn failure(report: &Report, stack: &str) -> Option<String> {
    if let Some(StackState::Failed { failed }) =
        report.stacks.iter().find(|known| known.name == stack).map(|known| &known.state)
    {
        return Some(tlslab_figures::first_error(failed));
    }
    let timed = report.cells.iter().filter(|cell| cell.stack == stack);
    let timed: Vec<Option<String>> =
        timed.map(|cell| hole(matches!(cell.outcome, Outcome::Measured(_)), cell.outcome.hole())).collect();
    let exact = report.exact.iter().filter(|cell| cell.stack == stack);
    let exact = exact.map(|cell| hole(cell.outcome.value().is_some(), cell.outcome.hole()));
    let holes: Vec<Option<String>> = timed.into_iter().chain(exact).collect();
    holes.iter().all(Option::is_some).then(|| reasons(holes.into_iter().flatten()))
}

/// Each reason once, in their order.
fn reasons(all: impl Iterator<Item = String>) -> String {
    let mut different: Vec<String> = Vec::new();
    for reason in all {
        if !different.contains(&reason) {
            different.push(reason);
        }
    }
    if different.is_empty() { "it has no cell".to_owned() } else { different.join("; ") }
}

fn hole(is_measured: bool, why: Option<(&str, &str)>) -> Option<String> {
    let described =
        || why.map_or_else(|| "no value".to_owned(), |(kind, reason)| format!("{kind}: {reason}"));
    (!is_measured).then(described)
}

fn announce(
    session: &Session<'_>,
    releases: &[Release],
    chunk: &[usize],
    (done, total): (usize, usize),
    began: Instant,
) {
    let left_s = (done > 0).then(|| began.elapsed().as_secs_f64() / done as f64 * (total - done) as f64);
    let versions: Vec<&str> = chunk.iter().map(|&at| &*releases[at].version).collect();
    session.emit(&Event::Step(Step {
        stage: Stage::Releases,
        done,
        total,
        left_s,
        what: versions.join(", "),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_not_named_twice() {
        assert!(stack("library+lto").is_ok());
        let error = stack("library@1.2.3").unwrap_err().to_string();
        assert!(error.contains("without a version"), "{error}");
        assert!(stack("library@path:x").is_err());
    }

    #[test]
    fn what_is_newer_is_found_by_the_order_of_versions() {
        let versions = || ["1.9.0", "1.10.0", "1.11.0"].map(str::to_owned).to_vec();
        assert_eq!(newer(versions(), &BTreeSet::from(["1.9.0".to_owned()])), ["1.10.0", "1.11.0"]);
        assert_eq!(newer(versions(), &BTreeSet::new()), ["1.11.0"]);
    }

    #[test]
    fn only_what_has_no_value_at_all_is_a_failure() {
        assert_eq!(hole(true, None), None);
        assert_eq!(
            hole(false, Some(("unsupported", "no such group"))).as_deref(),
            Some("unsupported: no such group")
        );
        let all = ["a", "b", "a"].map(str::to_owned);
        assert_eq!(reasons(all.into_iter()), "a; b");
        assert_eq!(reasons(std::iter::empty()), "it has no cell");
    }
}
