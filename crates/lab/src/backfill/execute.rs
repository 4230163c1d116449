//! Backfilling release by release: known releases, releases measured together, failures.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use anyhow::{Context, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_estimate::{Outcome, Report, StackState};
use tlslab_protocol::{Measure, Scenario};
use tlslab_recipe::{Spec, compare};
use tlslab_record::Seconds;

use super::known::{Known, known};
use super::neighbours::{is_of_another_epoch, neighbours};
use super::releases::{Available, wanted};
use crate::compare::execute::scenarios;
use crate::error::Error;
use crate::problem::Problem;
use crate::progress::event::{Event, Stage, Step};
use crate::request::{BackfillRequest, RunRequest};
use crate::run::plan::new_plan;
use crate::run::run_named;
use crate::session::Session;
use crate::session::reporter::Reporter;

/// The result of a backfill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Backfilled {
    /// The wanted releases, and those measured again in the same runs, oldest first.
    pub releases: Vec<Release>,
    /// The identifiers of the runs that were made.
    pub runs: Vec<String>,
}

/// A release and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Release {
    /// Its version.
    pub version: String,
    /// The outcome.
    pub outcome: ReleaseOutcome,
}

/// The outcome of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseOutcome {
    /// It was measured now.
    Measured,
    /// It was measured again, together with a new release: the history had it in another epoch.
    MeasuredAgain,
    /// The history had it.
    Known,
    /// It could not be built or measured: why.
    Failed(String),
}

/// Measures the releases of a stack that the history does not have yet.
///
/// # Errors
/// Fails if the request has unknown names, or if the run stops early. A release that cannot be built or
/// measured is not an error.
pub fn backfill(session: &Session<'_>, request: &BackfillRequest) -> Result<Backfilled, Error> {
    let spec = stack(&request.stack)?;
    let index = session.environment().recipe_index()?;
    let available = Available::of(&index, &spec.name)?;
    let versions = wanted(&available, &spec, request)?;
    let (scenarios, _) = scenarios(session.environment(), &request.suite, &request.scenarios)?;
    let known = known(&*session.store()?, &spec.series_name(), &scenarios, &request.metrics)?;
    let complete = if request.again { &BTreeSet::new() } else { &known.complete };
    let versions = if request.only_newer { newer(versions, complete) } else { versions };
    let mut releases: Vec<Release> = versions
        .iter()
        .map(|version| {
            let outcome = match (complete.contains(version), index.named(&spec.at(version))) {
                (true, _) => ReleaseOutcome::Known,
                (false, Ok(_)) => ReleaseOutcome::Measured,
                (false, Err(error)) => ReleaseOutcome::Failed(error.to_string()),
            };
            Release { version: version.clone(), outcome }
        })
        .collect();
    let due: Vec<usize> =
        (0..releases.len()).filter(|&at| releases[at].outcome == ReleaseOutcome::Measured).collect();
    let asked = Asked { session, request, spec: &spec, scenarios: &scenarios };
    let again = asked.again(&available.versions(), due.iter().map(|&at| &*versions[at]).collect(), &known)?;
    let (mut runs, began) = (Vec::new(), Instant::now());
    for (number, chunk) in due.chunks(request.at_once.get().max(1) as usize).enumerate() {
        let done = number * request.at_once.get().max(1) as usize;
        announce(session.reporter(), &releases, chunk, (done, due.len()), began);
        let of_chunk = chunk.iter().map(|&at| versions[at].as_str());
        let before = chunk.first().and_then(|first| first.checked_sub(1)).map(|at| versions[at].as_str());
        let wanted = asked.run_of(&add_neighbours(of_chunk, &again), before)?;
        let outcome = run_named(session, &wanted, &session.conditions().part_run(&wanted.stacks))?;
        for &at in chunk {
            if let Some(reason) = failure(&outcome.report, &spec.at(&versions[at])) {
                releases[at].outcome = ReleaseOutcome::Failed(reason);
            }
        }
        runs.push(outcome.report.run.id.clone());
    }
    note_again(&mut releases, again.values().flatten());
    Ok(Backfilled { releases, runs })
}

/// Releases of one run in the order of versions, each once: due ones and those measured again with them.
fn add_neighbours<'r>(
    due: impl Iterator<Item = &'r str>,
    again: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let of = |release: &'r str| again.get(release).into_iter().flatten().cloned().chain([release.to_owned()]);
    let mut all: Vec<String> = due.flat_map(of).collect();
    all.sort_by(|a, b| compare(a, b));
    all.dedup();
    all
}

/// Adds the releases that were measured again to the list, each once.
fn note_again<'r>(releases: &mut Vec<Release>, again: impl Iterator<Item = &'r String>) {
    for version in again {
        match releases.iter_mut().find(|known| known.version == *version) {
            Some(known) => known.outcome = ReleaseOutcome::MeasuredAgain,
            None => {
                releases.push(Release { version: version.clone(), outcome: ReleaseOutcome::MeasuredAgain })
            }
        }
    }
    releases.sort_by(|a, b| compare(&a.version, &b.version));
}

/// The releases after the newest known one; if none is known, the newest of all.
fn newer(versions: Vec<String>, known: &BTreeSet<String>) -> Vec<String> {
    let of_releases = known.iter().filter(|label| tlslab_recipe::prefix(label).is_some());
    let newest = of_releases.max_by(|a, b| compare(a, b));
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

/// The request that all runs share.
struct Asked<'a> {
    session: &'a Session<'a>,
    request: &'a BackfillRequest,
    spec: &'a Spec,
    scenarios: &'a [Scenario],
}

impl Asked<'_> {
    /// For each due release the neighbours that are measured again with it: they have values in the history,
    /// in another epoch than a run would have now.
    fn again(
        &self,
        releases: &[String],
        due: BTreeSet<&str>,
        known: &Known,
    ) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
        let neighbours = neighbours(releases, &due, |release| known.measured.contains_key(release));
        let mut again: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (release, beside) in neighbours {
            for neighbour in beside {
                let latest = &known.measured[neighbour];
                let plan =
                    new_plan(self.session, &self.common(vec![self.spec.at(neighbour)]), "a neighbour")?;
                match is_of_another_epoch(&plan, latest) {
                    Ok(true) => again.entry(release.to_owned()).or_default().push(neighbour.to_owned()),
                    Ok(false) => {}
                    Err(reason) => self.session.reporter().warn(format!(
                        "the step between {} and {release} will be unknown: the history has {neighbour} in another environment, in \
                         this one it fails: {reason}",
                        self.spec.at(neighbour)
                    )),
                }
            }
        }
        Ok(again)
    }

    /// The run that measures some of the releases together; for times, with the canary and the release before
    /// them.
    fn run_of(&self, releases: &[String], before: Option<&str>) -> anyhow::Result<RunRequest> {
        let mut stacks: Vec<String> = releases.iter().map(|release| self.spec.at(release)).collect();
        if !self.request.metrics.contains(&Measure::Time) {
            return Ok(self.common(stacks));
        }
        let canary = self.request.canary.clone().or_else(|| self.session.environment().run.canary.clone());
        let canary = canary.context(
            "times of releases are ratios to a canary; name a stack that stays the same as the canary, in the request or in [run] of \
             tlslab.toml",
        )?;
        let before = before.filter(|before| releases.iter().all(|release| release != before));
        stacks.splice(0..0, before.map(|one| self.spec.at(one)));
        Ok(RunRequest { canary: Some(canary), ..self.common(stacks) })
    }

    /// A run of these stacks.
    fn common(&self, stacks: Vec<String>) -> RunRequest {
        let Self { request, scenarios, .. } = self;
        let is_timed = request.metrics.contains(&Measure::Time);
        let cells: usize = scenarios.iter().map(|scenario| scenario.work.sides().len()).sum();
        RunRequest {
            budget_s: is_timed
                .then(|| Seconds::nearest(request.point_s.get() * (cells * (stacks.len() + 1)) as f64)),
            stacks,
            suite: request.scenarios.is_empty().then(|| request.suite.clone()),
            scenarios: request.scenarios.clone(),
            metrics: request.metrics.clone(),
            seeds: request.metrics.contains(&Measure::Count).then_some(request.seeds),
            ..RunRequest::default()
        }
    }
}

/// Why a release has no value at all, if so.
fn failure(report: &Report, stack: &str) -> Option<String> {
    if let Some(StackState::Failed { failed }) =
        report.stacks.iter().find(|known| known.name == stack).map(|known| &known.state)
    {
        return Some(tlslab_history::figures::first_error(failed));
    }
    let timed = report.cells.iter().filter(|cell| cell.stack == stack);
    let timed: Vec<Option<String>> =
        timed.map(|cell| hole(matches!(cell.outcome, Outcome::Measured(_)), cell.outcome.hole())).collect();
    let exact = report.exact.iter().filter(|cell| cell.stack == stack);
    let exact = exact.map(|cell| hole(cell.outcome.value().is_some(), cell.outcome.hole()));
    // A release has one kind of size or the other.
    let sizes = report.sizes.iter().filter(|size| size.stack == stack);
    let sizes = sizes.map(|size| hole(size.total().is_some(), size.text.hole()));
    let holes: Vec<Option<String>> = timed.into_iter().chain(exact).chain(sizes).collect();
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
    reporter: &Reporter<'_>,
    releases: &[Release],
    chunk: &[usize],
    (done, total): (usize, usize),
    began: Instant,
) {
    let left_s = (done > 0).then(|| began.elapsed().as_secs_f64() / done as f64 * (total - done) as f64);
    let versions: Vec<&str> = chunk.iter().map(|&at| &*releases[at].version).collect();
    reporter.emit(&Event::Step(Step {
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
        let with_commit = BTreeSet::from(["1.10.0".to_owned(), "fbd8a0e5ff78".to_owned()]);
        assert_eq!(newer(versions(), &with_commit), ["1.11.0"], "a commit is not the newest release");
    }

    #[test]
    fn a_run_has_what_is_due_and_what_is_measured_again_beside_it() {
        let text = |all: &[&str]| -> Vec<String> { all.iter().map(|one| (*one).to_owned()).collect() };
        let again = BTreeMap::from([
            ("1.9.1".to_owned(), text(&["1.9.0"])),
            ("1.12.0".to_owned(), text(&["1.11.0", "2.0.0"])),
        ]);
        let stacks = add_neighbours(["1.9.1", "1.10.0", "1.12.0"].into_iter(), &again);
        assert_eq!(stacks, ["1.9.0", "1.9.1", "1.10.0", "1.11.0", "1.12.0", "2.0.0"]);
        assert_eq!(add_neighbours(["1.10.0"].into_iter(), &again), ["1.10.0"]);
        let release = |version: &str, outcome| Release { version: version.to_owned(), outcome };
        let mut releases =
            vec![release("1.9.1", ReleaseOutcome::Measured), release("1.11.0", ReleaseOutcome::Known)];
        note_again(&mut releases, ["1.9.0", "1.11.0", "1.11.0"].map(str::to_owned).iter());
        let expected = [
            release("1.9.0", ReleaseOutcome::MeasuredAgain),
            release("1.9.1", ReleaseOutcome::Measured),
            release("1.11.0", ReleaseOutcome::MeasuredAgain),
        ];
        assert_eq!(releases, expected);
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
