//! `tlslab bisect`: the revision with which a cell changed.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use tlslab_comparison::{Change, Comparison, Metric as Compared, Outcome, Verdict};
use tlslab_protocol::{Metric, Scenario};
use tlslab_record::CountPlan;

use crate::Ended;
use crate::bisection::{Found, Known, Measured, Next, Revisions, Steps, next, steps_left};
use crate::cli::{AskedMetric, BisectArgs};
use crate::compare::{Job, Terms, find_reasons, judged, planned};
use crate::counting;
use crate::house::House;
use crate::progress::RunProgress;
use crate::signals::cancel_flag;
use crate::verbs::compare::scenarios;

/// A revision that is not settled is measured so many times, each time twice as long.
const TRIES: u32 = 3;

/// Which cell is looked at.
struct Cell {
    scenario: Scenario,
    side: tlslab_protocol::Side,
    metric: Compared,
}

/// Everything that a step needs.
struct Lab<'l> {
    house: &'l House,
    args: &'l BisectArgs,
    revisions: Revisions,
    counting: Option<CountPlan>,
    cancel: Arc<AtomicBool>,
}

/// Looks for the revision.
pub fn bisect(house: &House, args: &BisectArgs) -> anyhow::Result<Ended> {
    let start = Instant::now();
    let cancel = cancel_flag()?;
    ensure!(args.metric != AskedMetric::Heap, "--metric heap: bisect looks at time or count");
    let revisions = Revisions::between(&args.repository, &args.good, &args.bad)?;
    let last = revisions.commits.len() - 1;
    let counting = match args.metric {
        AskedMetric::Count => Some(counting::plan_by(house, None, &cancel)?),
        _ => None,
    };
    let (all, _) = scenarios(house, &args.suite, &args.scenarios)?;
    let lab = Lab { house, args, revisions, counting, cancel };
    eprintln!("{last} revisions from {} to {}", lab.revisions.title(0), lab.revisions.title(last));
    let Some(whole) = lab.compared(0, last, &all, 1)? else { return Ok(Ended::Interrupted) };
    let Some((cell, measured)) = chosen(&whole, &all)? else {
        println!("{}", tlslab_comparison::sentence(&whole));
        println!("no change was found between the two, so there is nothing to look for");
        return Ok(Ended::Well);
    };
    let name = format!("{}, {} ({})", cell.scenario.name, cell.side, cell.metric.name());
    println!("{name}: {:+.3} % from the good to the bad revision", 100.0 * (measured.ratio - 1.0));
    let question = [&args.stack, &lab.revisions.commits[0], &lab.revisions.commits[last], &name]
        .map(String::as_str)
        .join(" ");
    let mut steps = Steps::open(&args.kept.out.join("bisect.json"), &question)?;
    let mut known = vec![None; last + 1];
    known[0] = Some(Known::Good);
    known[last] = Some(Known::Bad);
    for (at, commit) in lab.revisions.commits.iter().enumerate() {
        if let Some(found) = steps.found.get(commit) {
            known[at] = Some(settled(found, measured.ratio));
        }
    }
    loop {
        match next(&known) {
            Next::Try(at) => {
                eprintln!("about {} to try: {}", steps_left(&known), lab.revisions.title(at));
                let Some(found) = lab.tried(at, &cell, measured.ratio)? else {
                    eprintln!("interrupted; the same command goes on");
                    return Ok(Ended::Interrupted);
                };
                println!("{}: {}", lab.revisions.title(at), told(&found, measured.ratio));
                known[at] = Some(settled(&found, measured.ratio));
                steps.add(&lab.revisions.commits[at], found)?;
            }
            Next::Found(at) => {
                let ended = lab.confirm(at, &cell)?;
                eprintln!("{:.0} s in all", start.elapsed().as_secs_f64());
                return Ok(ended);
            }
            Next::OneOf(range) => {
                println!("\nnot sure: it came with one of these, the others could not be settled:");
                for at in range {
                    let why = match &known[at] {
                        Some(Known::Skipped(why)) => format!(" ({why})"),
                        _ => String::new(),
                    };
                    println!("  {}{why}", lab.revisions.title(at));
                }
                eprintln!("{:.0} s in all", start.elapsed().as_secs_f64());
                return Ok(Ended::WithFailures);
            }
        }
    }
}

/// The cell to look at: the one with the largest change.
fn chosen(comparison: &Comparison, all: &[Scenario]) -> anyhow::Result<Option<(Cell, Measured)>> {
    let flagged = comparison.flagged();
    let Some(change) = flagged.first() else {
        if let Some(missing) = comparison.missing().next() {
            let Outcome::Missing { base_missing, new_missing } = &missing.outcome else {
                unreachable!("it is missing")
            };
            let why = base_missing.as_ref().or(new_missing.as_ref()).cloned().unwrap_or_default();
            bail!("{}: {why}", missing.scenario);
        }
        return Ok(None);
    };
    let scenario = all.iter().find(|scenario| scenario.name == change.scenario);
    let scenario = scenario.context("the comparison names a scenario of its own")?.clone();
    let measured = measured(change).context("a flagged cell has an interval")?;
    Ok(Some((Cell { scenario, side: change.side, metric: change.metric }, measured)))
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
            None => Known::Skipped("measuring did not settle it".to_owned()),
        },
    }
}

fn told(found: &Found, whole: f64) -> String {
    let mut text = String::new();
    match found {
        Found::Unable(why) => text.push_str(&format!("skipped: {why}")),
        Found::Measured(measured) => {
            let percent = |ratio: f64| 100.0 * (ratio - 1.0);
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{:+.3} % [{:+.3}, {:+.3}] against the good one: ",
                percent(measured.ratio),
                percent(measured.lower),
                percent(measured.upper)
            );
            text.push_str(match measured.has(whole) {
                Some(true) => "bad",
                Some(false) => "good",
                None => "not settled, skipped",
            });
        }
    }
    text
}

impl Lab<'_> {
    /// A revision against the good one, until it is settled.
    fn tried(&self, at: usize, cell: &Cell, whole: f64) -> anyhow::Result<Option<Found>> {
        let mut found = Found::Unable("it was not tried".to_owned());
        for attempt in 0..TRIES {
            let scenarios = std::slice::from_ref(&cell.scenario);
            let comparison = match self.compared(0, at, scenarios, 1 << attempt) {
                Ok(Some(comparison)) => comparison,
                Ok(None) => return Ok(None),
                Err(why) => return Ok(Some(Found::Unable(first_line(&format!("{why:#}"))))),
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
        Ok(Some(found))
    }

    /// The revision that was found against the one before it.
    fn confirm(&self, at: usize, cell: &Cell) -> anyhow::Result<Ended> {
        let scenarios = std::slice::from_ref(&cell.scenario);
        let title = self.revisions.title(at);
        let Some(mut comparison) = self.compared(at - 1, at, scenarios, 2)? else {
            return Ok(Ended::Interrupted);
        };
        find_reasons(self.house, &mut comparison, None, &self.cancel);
        let change = comparison.changes.iter().find(|change| is_it(change, cell));
        let is_sure = change.and_then(Change::verdict).is_some_and(Verdict::is_flagged);
        println!(
            "\n{}",
            if is_sure {
                format!("it came with {title}")
            } else {
                format!("not sure: it seems to come with {title}")
            }
        );
        print!("{}", tlslab_comparison::terminal(&comparison, true));
        Ok(if is_sure { Ended::Well } else { Ended::WithFailures })
    }

    /// Two revisions. `None` when it was interrupted.
    fn compared(
        &self,
        base: usize,
        new: usize,
        scenarios: &[Scenario],
        longer: u32,
    ) -> anyhow::Result<Option<Comparison>> {
        let stack = |at| self.revisions.stack(&self.args.stack, at);
        let is_timed = self.counting.is_none();
        // Every revision is linked anew for each round, so there are fewer than elsewhere.
        let usual = Terms { looks: vec![16, 32], confirmation: 16, ..Terms::default() };
        let visit = self.args.per_scenario / 32;
        let job = Job {
            pairs: vec![(stack(base), stack(new))],
            scenarios: scenarios.to_vec(),
            suite: "custom".to_owned(),
            metrics: vec![if is_timed { Metric::Time } else { Metric::Count }],
            counting: self.counting.clone(),
            // Where code lies changes no count.
            terms: Terms { visit: visit.max(Duration::from_millis(40)) * longer, moves: is_timed, ..usual },
            seed: 1,
            timeout: self.args.timeout,
            burdens: Default::default(),
            new_first_layout: 0,
            tells_identical: true,
        };
        let Some((plan, programs)) = planned(self.house, &job, &self.cancel)? else { return Ok(None) };
        let mut progress = RunProgress::new();
        let comparison =
            judged(&plan, self.house, &programs, self.args.timeout, &mut progress, &self.cancel)?;
        progress.finish();
        Ok(comparison)
    }
}

fn is_it(change: &Change, cell: &Cell) -> bool {
    change.scenario == cell.scenario.name && change.side == cell.side && change.metric == cell.metric
}

fn of_cell(comparison: &Comparison, cell: &Cell) -> Found {
    match comparison.changes.iter().find(|change| is_it(change, cell)) {
        Some(change) => match (&change.outcome, measured(change)) {
            (Outcome::Compared(_), Some(measured)) => Found::Measured(measured),
            (Outcome::Missing { new_missing: Some(why), .. }, _) => Found::Unable(first_line(why)),
            (Outcome::Missing { base_missing: Some(why), .. }, _) => Found::Unable(first_line(why)),
            _ => Found::Unable("too few observations for an interval".to_owned()),
        },
        None => Found::Unable("the comparison does not have the cell".to_owned()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
