//! Many comparisons of one stack with itself.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use sha2::{Digest, Sha256};
use tlslab_comparison::{Compared, Comparison, Effect, Verdict};
use tlslab_lab::compare::{
    ComparisonDesign, DecisionRule, Places, judge_unrecorded, planned, requested_pairs,
};
use tlslab_lab::{Event, JobId, Session, Stage, Step, Workshop};
use tlslab_measure::Silent;
use tlslab_protocol::{Measure, Scenario};
use tlslab_recipe::Layouts;
use tlslab_record::{CountPlan, Placement, Policy};
use tlslab_text::number::percent;

use crate::layouts::Pool;
use crate::ledger::{CellEntry, Entry, LAYOUTS, Ledger, RECORDING};
use crate::null_change::{NullChange, SameOrders, linked};
use crate::planted::{ATTEMPTS, FIRST_TURNS, Planted, Slope, Turns, next_attempt, shorter, variables};

/// The property that a trial shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// The same program twice: whatever is flagged is a false alarm.
    Same,
    /// The same source linked in other orders, with the same expectation.
    Twins,
    /// Twins with every round measured, so that they can be judged again.
    Recording,
    /// Two code layouts of one source, each the same in all rounds: the effect of layout alone on times.
    Layouts,
    /// The same source and the same orders of its code, with a difference that is not the code's work; the
    /// same expectation.
    Null(NullChange),
    /// Twins, one of them slowed down by this share: whatever is not flagged is missed.
    Slowed(f64),
}

impl Kind {
    /// Its name in files.
    pub(crate) fn name(self) -> String {
        match self {
            Kind::Same => "same".to_owned(),
            Kind::Twins => "twins".to_owned(),
            Kind::Recording => RECORDING.to_owned(),
            Kind::Layouts => LAYOUTS.to_owned(),
            Kind::Null(change) => change.name().to_owned(),
            Kind::Slowed(share) => format!("slowed by {}", percent(share)),
        }
    }
}

/// What to validate, and how.
pub(crate) struct Wanted {
    /// The stack.
    pub stack: String,
    /// The scenarios: all of them in one job, or for slow-downs one after the other.
    pub scenarios: Vec<Scenario>,
    /// Time or instructions.
    pub metric: Measure,
    /// How instructions are counted, if they are.
    pub counting: Option<CountPlan>,
    /// The rule of decisions.
    pub terms: DecisionRule,
    /// How many jobs.
    pub trials: u32,
    /// The first seed.
    pub seed: u64,
    /// How long a driver may take over one answer.
    pub timeout: Duration,
}

impl Wanted {
    /// Rounds before the last look.
    fn rounds(&self) -> u32 {
        self.terms.looks.last().copied().unwrap_or(0)
    }
}

/// The calibrated slow-downs by scenario: a larger one takes more turns of the same loop.
pub(crate) type Slopes = BTreeMap<String, Slope>;

/// Does every job that is not in the ledger yet.
pub(crate) fn run(
    session: &Session<'_>,
    wanted: &Wanted,
    kind: Kind,
    slopes: &mut Slopes,
    ledger: &mut Ledger,
) -> anyhow::Result<()> {
    let layouts = match kind {
        Kind::Same | Kind::Null(_) => Vec::new(),
        Kind::Twins | Kind::Recording | Kind::Layouts | Kind::Slowed(_) => {
            linked(&session.workshop, &wanted.stack, Layouts::new(0, session.policy().examination.layouts))?
        }
    };
    let null_change = match kind {
        Kind::Null(change) => Some((change, change.programs(session, &wanted.stack)?)),
        _ => None,
    };
    let digest = digest(&session.workshop, &wanted.stack)?;
    let groups: Vec<Vec<Scenario>> = match kind {
        Kind::Slowed(_) => wanted.scenarios.iter().map(|scenario| vec![scenario.clone()]).collect(),
        _ => vec![wanted.scenarios.clone()],
    };
    let total = groups.len() as u32 * wanted.trials;
    let (start, mut made) = (Instant::now(), 0_u32);
    for (group, scenarios) in groups.iter().enumerate() {
        for job in 0..wanted.trials {
            let number = group as u32 * wanted.trials + job;
            let todo = entry(wanted, kind, number, &digest, scenarios);
            if ledger.has(&todo) {
                continue;
            }
            session.reporter().check()?;
            let planted = match kind {
                Kind::Slowed(share) => {
                    let name = first_name(scenarios);
                    if !slopes.contains_key(name) {
                        slopes.insert(name.to_owned(), calibrated(session, wanted, scenarios)?);
                    }
                    slopes.get(name).map_or_else(Planted::default, |slope| slope.planted(share))
                }
                _ => Planted::default(),
            };
            let seed = wanted.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(number));
            let comparison = match &null_change {
                Some((change, programs)) => {
                    let first = number as usize * wanted.rounds() as usize;
                    let places = SameOrders::new(programs.clone(), first);
                    one(session, wanted, scenarios, &places, (change.variables(), seed))?
                }
                None if kind == Kind::Layouts => {
                    let at =
                        |next: usize| vec![layouts[(2 * number as usize + next) % layouts.len()].clone()];
                    let places = SameOrders::new([at(0), at(1)], 0);
                    one(session, wanted, scenarios, &places, (Default::default(), seed))?
                }
                None => {
                    let places = Pool::new(layouts.clone(), seed);
                    let variables = [BTreeMap::new(), variables(planted.turns)];
                    one(session, wanted, scenarios, &places, (variables, seed))?
                }
            };
            let cells = cells(&comparison, wanted.metric, planted);
            ledger.add(Entry { measuring_s: comparison.measuring_s, cells, ..todo })?;
            made += 1;
            let left = f64::from(total - number - 1) * start.elapsed().as_secs_f64() / f64::from(made);
            session.reporter().emit(&Event::Step(Step {
                stage: Stage::Trials,
                done: number as usize + 1,
                total: total as usize,
                left_s: Some(left),
                what: describe(&comparison, wanted.metric),
            }));
        }
    }
    Ok(())
}

/// The identity of the rule of comparisons: another policy is another rule.
pub(crate) fn rule_digest(policy: &Policy) -> String {
    // Plain data always serialises.
    let text = serde_json::to_string(&(&policy.comparison, policy.confidence)).unwrap_or_default();
    hex::encode(Sha256::digest(text)).chars().take(12).collect()
}

/// A job before it is done.
fn entry(wanted: &Wanted, kind: Kind, job: u32, digest: &str, scenarios: &[Scenario]) -> Entry {
    let rounds = wanted.rounds();
    let is_timed = wanted.metric == Measure::Time;
    Entry {
        kind: kind.name(),
        job,
        stack: wanted.stack.clone(),
        driver_digest: digest.to_owned(),
        metric: metric(wanted.metric).name().to_owned(),
        scenarios: scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        // To the millisecond, so that it is the same when it is read again.
        per_scenario_s: if is_timed { (wanted.terms.visit * rounds).as_millis() as f64 / 1e3 } else { 0.0 },
        // Counts have no slices.
        slicing: if is_timed { format!("{:?}", wanted.terms.slicing) } else { String::new() },
        placement: if is_timed { wanted.terms.policy.placement } else { Placement::Fixed },
        rule: rule_digest(&wanted.terms.policy),
        host: tlslab_lab::host::host_class(),
        slowed: if let Kind::Slowed(share) = kind { share } else { 0.0 },
        measuring_s: 0.0,
        cells: Vec::new(),
    }
}

/// The calibrated slow-downs of the scenario.
///
/// # Errors
/// Fails if a side is not slowed down measurably: nothing would be planted, and a job that finds nothing
/// would count as a miss.
fn calibrated(session: &Session<'_>, wanted: &Wanted, scenarios: &[Scenario]) -> anyhow::Result<Slope> {
    let places = Pool::new(Vec::new(), 0);
    let name = first_name(scenarios);
    let metric = metric(wanted.metric);
    let by = |turns: Turns| {
        let planted = [BTreeMap::new(), variables(turns)];
        one(session, wanted, scenarios, &places, (planted, 0))
    };
    let mut turns = [FIRST_TURNS; 2];
    for _ in 0..ATTEMPTS {
        let long = by(turns)?;
        let Some(next) = next_attempt(turns, &long, name, metric) else {
            let few = shorter(turns);
            let slope = Slope::of([few, turns], &[by(few)?, long], name, metric);
            ensure!(
                slope.is_seen(),
                "{name}: loops of {} and {} turns cost no more than loops of a tenth of them",
                turns[0],
                turns[1]
            );
            return Ok(slope);
        };
        turns = next;
    }
    bail!(
        "{name}: loops of {} and {} turns do not slow down client and server by a tenth",
        turns[0],
        turns[1]
    )
}

fn first_name(scenarios: &[Scenario]) -> &str {
    scenarios.first().map(|scenario| scenario.name.as_str()).unwrap_or_default()
}

/// One comparison of the stack with itself.
fn one(
    session: &Session<'_>,
    wanted: &Wanted,
    scenarios: &[Scenario],
    places: &dyn Places,
    (planted, seed): ([BTreeMap<String, String>; 2], u64),
) -> anyhow::Result<Comparison> {
    let design = ComparisonDesign {
        id: JobId::new().to_string(),
        request: serde_json::Value::Null,
        pairs: requested_pairs(&[(wanted.stack.clone(), wanted.stack.clone())])?,
        scenarios: scenarios.to_vec(),
        suite: "custom".to_owned(),
        metrics: vec![wanted.metric],
        canaries: Vec::new(),
        counting: wanted.counting.clone(),
        // The layouts are the pool's.
        rule: DecisionRule {
            moves: false,
            time_floor: (wanted.terms.time_floor.0, wanted.terms.time_floor.0),
            ..wanted.terms.clone()
        },
        seed,
        timeout: wanted.timeout,
        planted,
        new_first_layout: 0,
        detects_identical: false,
    };
    let (plan, _) = planned(&session.workshop, &design)?;
    judge_unrecorded(&session.workshop, &plan, places, wanted.timeout, &mut Silent)
}

fn metric(measured: Measure) -> Compared {
    if measured == Measure::Count { Compared::Instructions } else { Compared::Time }
}

fn cells(comparison: &Comparison, measured: Measure, planted: Planted) -> Vec<CellEntry> {
    let of_metric = comparison.changes.iter().filter(|change| change.metric == metric(measured));
    let cell = |change: &tlslab_comparison::Change| -> Option<CellEntry> {
        let (effect, side) = (change.effect()?, change.side?);
        Some(CellEntry {
            scenario: change.scenario.clone(),
            side: side.to_string(),
            slowed: planted.shares[side as usize],
            baseline: effect.baseline,
            candidate: effect.candidate,
            ratio: effect.ratio,
            detectable: effect.detectable,
            flagged_at_first: flagged_at_first(effect, comparison.design.false_discovery_rate),
            verdict: effect.verdict,
            ratios: effect.ratios.clone(),
        })
    };
    of_metric.filter_map(cell).collect()
}

fn flagged_at_first(effect: &Effect, rate: f64) -> bool {
    match effect.q_value {
        Some(q_value) => q_value <= rate,
        None => effect.confirmation.is_some() || effect.verdict.is_flagged(),
    }
}

fn describe(comparison: &Comparison, measured: Measure) -> String {
    let of_metric: Vec<_> =
        comparison.changes.iter().filter(|change| change.metric == metric(measured)).collect();
    let flagged = of_metric.iter().filter(|change| change.verdict().is_some_and(Verdict::is_flagged)).count();
    format!("{flagged} of {} cells flagged, {:.0} s of measuring", of_metric.len(), comparison.measuring_s)
}

/// The digest of a stack's driver.
///
/// # Errors
/// Fails if the stack cannot be built.
pub(crate) fn digest(workshop: &Workshop<'_>, stack: &str) -> anyhow::Result<String> {
    let recipe = workshop.environment.recipe_index()?.named(stack)?;
    Ok(workshop.build_one(&recipe)?.driver_digest)
}
