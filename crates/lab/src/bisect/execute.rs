//! The search for the revision or release that changed a cell.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::{Change, Compared, Comparison, Outcome, Verdict};
use tlslab_protocol::{Measure, Scenario, Side};
use tlslab_record::CountPlan;

use super::revisions::Revisions;
use super::search::{Known, Next, next, steps_left};
use super::steps::{Found, Measured, Steps};
use crate::compare::{
    ComparisonDesign, DecisionRule, judge_unrecorded, planned, reasons, requested_pairs, scenarios,
};
use crate::counting;
use crate::error::Error;
use crate::problem::Problem;
use crate::progress::event::Stage;
use crate::progress::steps::RunEvents;
use crate::request::BisectRequest;
use crate::session::Session;
use crate::session::job_id::JobId;

/// The result of a bisection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bisection {
    /// The cell, and its ratio between the good and the bad revision; `None` if no cell changed.
    pub cell: Option<(String, Measured)>,
    /// The comparison of the good and the bad revision.
    pub whole: Comparison,
    /// Every measured revision, in the order of measurement.
    pub looked: Vec<Looked>,
    /// The cause; `None` if no cell changed.
    pub culprit: Option<Culprit>,
    /// How long it took, s.
    pub took_s: f64,
}

/// A revision that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Looked {
    /// The commit with its first line.
    pub title: String,
    /// The measurement.
    pub found: Found,
    /// Whether it contains the change; `None` if that is inconclusive.
    pub is_bad: Option<bool>,
}

/// The cause of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Culprit {
    /// One revision.
    Revision {
        /// The commit with its first line.
        title: String,
        /// Whether a comparison with the previous revision confirmed the change.
        is_sure: bool,
        /// That comparison.
        comparison: Box<Comparison>,
    },
    /// One of several; all but the last could not be settled.
    OneOf(Vec<Suspect>),
}

/// A revision that may be the cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suspect {
    /// The commit with its first line.
    pub title: String,
    /// Why it could not be settled.
    pub reason: Option<String>,
}

/// The cell that is searched.
struct Cell {
    scenario: Scenario,
    side: Side,
    metric: Compared,
}

/// What can be searched.
const SEARCHED: &str = "bisect by time, count, contention, wire or kernel";

/// Everything that a step needs.
struct Search<'s> {
    session: &'s Session<'s>,
    request: &'s BisectRequest,
    revisions: Revisions,
    counting: Option<CountPlan>,
}

/// Finds the revision or release that changed a cell, or resumes the search.
///
/// # Errors
/// Fails if the repository, a revision or a release does not exist, and if the two cannot be compared.
pub fn bisect<'s>(session: &'s Session<'s>, request: &'s BisectRequest) -> Result<Bisection, Error> {
    let start = Instant::now();
    let mut done = session.reporter().finished(None, searched(session, request))?;
    done.took_s = start.elapsed().as_secs_f64();
    Ok(done)
}

/// Refuses metrics in which nothing is searched.
fn check_metric(metric: Measure) -> anyhow::Result<()> {
    let what = match metric {
        Measure::Heap => "memory",
        Measure::Size => "size",
        _ => return Ok(()),
    };
    let cause = format!("bisecting by {what} is not supported");
    bail!(Problem::invalid("metric", metric.name(), cause, SEARCHED))
}

fn searched<'s>(session: &'s Session<'s>, request: &'s BisectRequest) -> anyhow::Result<Bisection> {
    check_metric(request.metric)?;
    let (search, all) = Search::prepare(session, request)?;
    let last = search.revisions.names.len() - 1;
    session.reporter().note(format!(
        "{} from {} to {}",
        tlslab_text::number::counted(last, search.revisions.noun()),
        search.title(0),
        search.title(last)
    ));
    let whole = search.compared(0, last, &all, 1)?;
    let mut bisection = Bisection { cell: None, whole, looked: vec![], culprit: None, took_s: 0.0 };
    let Some((cell, measured)) = chosen(&bisection.whole, &all)? else { return Ok(bisection) };
    let name = format!("{}, {} ({})", cell.scenario.name, cell.side, cell.metric.name());
    session.reporter().note(format!(
        "{name}: {:+.3} % from {} to {}",
        100.0 * (measured.ratio - 1.0),
        search.title(0),
        search.title(last)
    ));
    let question = [&request.stack, &search.revisions.names[0], &search.revisions.names[last], &name]
        .map(String::as_str)
        .join(" ");
    bisection.cell = Some((name, measured));
    let mut steps = Steps::open(session.results, &question)?;
    let mut known = vec![None; last + 1];
    known[0] = Some(Known::Good);
    known[last] = Some(Known::Bad);
    for (at, commit) in search.revisions.names.iter().enumerate() {
        if let Some(found) = steps.get(commit) {
            known[at] = Some(settled(found, measured.ratio));
        }
    }
    loop {
        match next(&known) {
            Next::Try(at) => {
                let (done, left) = (bisection.looked.len(), steps_left(&known) as usize);
                session.reporter().step(Stage::Revisions, (done, done + left), search.title(at));
                let found = search.tried(at, &cell, measured.ratio)?;
                known[at] = Some(settled(&found, measured.ratio));
                steps.add(&search.revisions.names[at], found.clone())?;
                let is_bad = match &found {
                    Found::Measured(one) => one.has(measured.ratio),
                    Found::Unable(_) => None,
                };
                bisection.looked.push(Looked { title: search.title(at), found, is_bad });
            }
            Next::Found(at) => {
                bisection.culprit = Some(search.confirmed(at, &cell)?);
                return Ok(bisection);
            }
            Next::OneOf(range) => {
                let one = |at: usize| {
                    let reason = match &known[at] {
                        Some(Known::Skipped(why)) => Some(why.clone()),
                        _ => None,
                    };
                    Suspect { title: search.title(at), reason }
                };
                bisection.culprit = Some(Culprit::OneOf(range.map(one).collect()));
                return Ok(bisection);
            }
        }
    }
}

/// The cell with the largest change.
fn chosen(comparison: &Comparison, all: &[Scenario]) -> anyhow::Result<Option<(Cell, Measured)>> {
    let flagged = comparison.flagged();
    let Some(change) = flagged.first() else {
        if let Some(missing) = comparison.missing().next() {
            let Outcome::Missing { baseline_missing, candidate_missing } = &missing.outcome else {
                unreachable!("it is missing")
            };
            let why = baseline_missing.as_ref().or(candidate_missing.as_ref()).cloned().unwrap_or_default();
            bail!("{}: {why}", missing.scenario);
        }
        return Ok(None);
    };
    let scenario = all.iter().find(|scenario| scenario.name == change.scenario);
    let scenario = scenario.context("the comparison names a scenario of its own")?.clone();
    let measured = measured(change).context("a flagged cell has an interval")?;
    let side = change.side.context("a flagged cell of a scenario has a side")?;
    Ok(Some((Cell { scenario, side, metric: change.metric }, measured)))
}

fn measured(change: &Change) -> Option<Measured> {
    let effect = change.effect()?;
    let interval = effect.interval?;
    Some(Measured { ratio: effect.ratio, lower: interval.lower, upper: interval.upper })
}

fn settled(found: &Found, whole: f64) -> Known {
    match found {
        Found::Unable(why) => Known::Skipped(why.clone()),
        Found::Measured(measured) => match measured.has(whole) {
            Some(true) => Known::Bad,
            Some(false) => Known::Good,
            None => Known::Skipped("its measurements were inconclusive".to_owned()),
        },
    }
}

impl<'s> Search<'s> {
    /// The search with its revisions, and the scenarios in which they may differ.
    fn prepare(
        session: &'s Session<'s>,
        request: &'s BisectRequest,
    ) -> anyhow::Result<(Self, Vec<Scenario>)> {
        let BisectRequest { stack, repository, good, bad, .. } = request;
        let revisions = match repository {
            Some(repository) => Revisions::commits(&session.workshop, stack, repository, good, bad)?,
            None => Revisions::releases(&session.workshop, stack, good, bad)?,
        };
        let counting = match request.metric {
            Measure::Count => Some(counting::plan_by(&session.workshop, None)?),
            _ => None,
        };
        let (all, _) = scenarios(session.environment(), &request.suite, &request.scenarios)?;
        Ok((Self { session, request, revisions, counting }, all))
    }

    /// A commit with its first line.
    fn title(&self, at: usize) -> String {
        self.revisions.title(&self.session.workshop, at)
    }

    /// Compares a revision with the good one until the outcome is settled.
    fn tried(&self, at: usize, cell: &Cell, whole: f64) -> anyhow::Result<Found> {
        let mut found = Found::Unable("it was not tried".to_owned());
        // Each attempt takes twice as long as the last.
        for attempt in 0..self.session.policy().tries {
            let scenarios = std::slice::from_ref(&cell.scenario);
            let comparison = match self.compared(0, at, scenarios, 1 << attempt) {
                Ok(comparison) => comparison,
                Err(why) => {
                    // A revision whose measurement was cancelled can still be measured.
                    self.session.reporter().check()?;
                    return Ok(Found::Unable(first_line(&format!("{why:#}"))));
                }
            };
            found = of_cell(&comparison, cell);
            let is_settled = match &found {
                Found::Unable(_) => true,
                Found::Measured(measured) => measured.has(whole).is_some() || cell.metric != Compared::Time,
            };
            if is_settled {
                break;
            }
        }
        Ok(found)
    }

    /// Compares the revision that was found with its predecessor.
    fn confirmed(&self, at: usize, cell: &Cell) -> anyhow::Result<Culprit> {
        let scenarios = std::slice::from_ref(&cell.scenario);
        let mut comparison = self.compared(at - 1, at, scenarios, 2)?;
        reasons::find(&self.session.workshop, &mut comparison, None)?;
        // They are not in a folder.
        comparison.profiles.clear();
        let change = comparison.changes.iter().find(|change| is_it(change, cell));
        let is_sure = change.and_then(Change::verdict).is_some_and(Verdict::is_flagged);
        let title = self.title(at);
        let title = match self.revisions.repository {
            Some(_) => title,
            // Others between them may have been published where the lab does not look.
            None => format!("{title} (the release before it: {})", self.title(at - 1)),
        };
        Ok(Culprit::Revision { title, is_sure, comparison: Box::new(comparison) })
    }

    /// Two revisions.
    fn compared(
        &self,
        baseline: usize,
        candidate: usize,
        scenarios: &[Scenario],
        longer: u32,
    ) -> anyhow::Result<Comparison> {
        let stack = |at| self.revisions.stack(&self.request.stack, at);
        let is_timed = self.request.metric == Measure::Time;
        // Every revision is linked again for each round, so there are fewer than elsewhere.
        let policy = self.session.policy();
        let rounds = &policy.examination.bisect_rounds;
        let usual = DecisionRule::from(policy).with(rounds);
        let visit = self.request.per_scenario_s.duration() / rounds.looks.last().copied().unwrap_or(1);
        let timeout = self.request.timeout_s.duration();
        let design = ComparisonDesign {
            id: JobId::new().to_string(),
            request: serde_json::Value::Null,
            pairs: requested_pairs(&[(stack(baseline), stack(candidate))])?,
            scenarios: scenarios.to_vec(),
            suite: "custom".to_owned(),
            metrics: vec![self.request.metric],
            canaries: Vec::new(),
            counting: self.counting.clone(),
            // Code layout does not change counts.
            rule: DecisionRule {
                visit: visit.max(Duration::from_millis(40)) * longer,
                moves: is_timed,
                ..usual
            },
            seed: 1,
            timeout,
            planted: Default::default(),
            new_first_layout: 0,
            detects_identical: true,
        };
        let (plan, programs) = planned(&self.session.workshop, &design)?;
        judge_unrecorded(
            &self.session.workshop,
            &plan,
            &programs,
            timeout,
            &mut RunEvents::of(&self.session.workshop, &plan),
        )
    }
}

fn is_it(change: &Change, cell: &Cell) -> bool {
    change.scenario == cell.scenario.name && change.side == Some(cell.side) && change.metric == cell.metric
}

fn of_cell(comparison: &Comparison, cell: &Cell) -> Found {
    match comparison.changes.iter().find(|change| is_it(change, cell)) {
        Some(change) => match (&change.outcome, measured(change)) {
            (Outcome::Compared(_), Some(measured)) => Found::Measured(measured),
            (Outcome::Missing { candidate_missing: Some(why), .. }, _) => Found::Unable(first_line(why)),
            (Outcome::Missing { baseline_missing: Some(why), .. }, _) => Found::Unable(first_line(why)),
            _ => Found::Unable("too few observations for an interval".to_owned()),
        },
        None => Found::Unable("the comparison does not have the cell".to_owned()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
