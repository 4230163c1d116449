//! Threads of one process against as many processes, and the contention of the threads.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Serialize;
use tlslab_build::BuiltStack;
use tlslab_contention::{Ceilings, Limits};
use tlslab_measure::{DriverProgram, Noted, ScalingRound};
use tlslab_pki::Pki;
use tlslab_protocol::{Scenario, Side};
use tlslab_recipe::Recipe;
use tlslab_stats::{Estimate, median, ratio_estimate};
use tlslab_text::number::counted;

use super::counted::{SEED, driver_under, find_scenario};
use crate::counting;
use crate::error::Error;
use crate::host::line_moves::{self, LineMove};
use crate::host::{self, processors};
use crate::problem::Problem;
use crate::progress::event::Stage;
use crate::request::ScalingRequest;
use crate::session::drivers::SessionLauncher;
use crate::session::workshop::Workshop;

/// Rounds of a stack; an interval of 95 % needs six.
const ROUNDS: u32 = 9;
/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The connections of a count.
const CONNECTIONS: u64 = 8;

/// The result for all stacks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingTable {
    /// The scenario.
    pub scenario: String,
    /// The number of threads, and of processes.
    pub threads: u32,
    /// The cost here of moving a cache line between two processors.
    pub line_moves: Vec<LineMove>,
    /// The median of those, ns; `None` on a host with one processor.
    pub move_ns: Option<f64>,
    /// The stacks, in the order of the request.
    pub stacks: Vec<ScaledStack>,
    /// Disturbances of the times.
    pub warnings: Vec<String>,
}

/// One stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScaledStack {
    /// The stack.
    pub stack: String,
    /// Its outcome.
    #[serde(flatten)]
    pub outcome: Scaling,
}

/// The outcome for one stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// Counted and timed.
    Found(Box<Scaled>),
    /// The reason why there are no figures.
    Failed(String),
}

/// The result for a stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scaled {
    /// Both sides.
    pub sides: Vec<ScaledSide>,
    /// The rate of all threads over that of as many processes; below 1, threads lose.
    pub threads_over_processes: Estimate,
    /// The rate of all processes together, connections per second.
    pub processes_per_s: f64,
    /// The extra time of a connection in a thread over one in a process, both sides together, ns.
    pub lost_ns: f64,
    /// The same per contended write; `None` without contended writes.
    pub lost_ns_per_write: Option<f64>,
}

/// One side of a stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScaledSide {
    /// The side.
    pub side: Side,
    /// The work that threads cannot do simultaneously.
    pub limits: Limits,
    /// Serial instructions of a connection.
    pub serial_instructions: f64,
    /// Its time for a connection in a process of its own, ns.
    pub connection_ns: f64,
    /// The most connections per second for any number of processors; `None` on a host with one.
    pub ceilings: Option<Ceilings>,
}

/// Counts the contention of every stack, then times it, one stack after the other.
///
/// # Errors
/// Fails if the scenario or a stack is unknown, or if the host has fewer processors than threads.
pub fn scaling(workshop: &Workshop<'_>, request: &ScalingRequest) -> Result<ScalingTable, Error> {
    let found = table(workshop, request);
    match workshop.reporter.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(found?),
    }
}

fn table(workshop: &Workshop<'_>, request: &ScalingRequest) -> anyhow::Result<ScalingTable> {
    let (scenario, threads) = (scenario(workshop, request)?, request.threads.get() as u32);
    let index = workshop.environment.recipe_index()?;
    let named = match request.stacks.is_empty() {
        true => &workshop.environment.run.stacks,
        false => &request.stacks,
    };
    let recipes = named.iter().map(|stack| index.named(stack)).collect::<Result<Vec<_>, _>>()?;
    let usable: Vec<u32> = tlslab_host::usable_cpus(Path::new("/")).into_iter().collect();
    if usable.len() < threads as usize {
        let cause = format!("the lab may use {} here", counted(usable.len(), "processor"));
        bail!(Problem::invalid(
            "threads",
            threads.to_string(),
            cause,
            "name at most so many threads, or ask what more cores reach: `tlslab choose --cores 64`"
        ));
    }
    let built = workshop.build(&recipes.iter().collect::<Vec<&Recipe>>())?;
    let pki = workshop.keys(std::slice::from_ref(&scenario))?;
    let _alone = host::measure_alone(&workshop.reporter)?;
    let watch = host::Watch::start();
    workshop.reporter.note(watch.at_start());
    let line_moves = line_moves::measure(&usable);
    let move_ns = line_moves::typical_ns(&line_moves);
    // From here on the lab stays on a processor of its own.
    let cpus = processors::choose_cpus();
    let cell = Cell { workshop, request, scenario: &scenario, threads, move_ns, pki: &pki };
    let (counted, timed) = (workshop.launcher(), workshop.launcher_on(&cpus));
    let mut stacks = Vec::new();
    for (at, recipe) in recipes.iter().enumerate() {
        workshop.reporter.check()?;
        let place = Place { stack: at, stacks: recipes.len(), name: &recipe.name };
        let found = match built[&recipe.name].as_ref() {
            Ok(built) => cell.found(built, (&counted, &timed), place),
            Err(failure) => Err(anyhow::anyhow!("was not built: {failure}")),
        };
        workshop.reporter.check()?;
        let outcome = match found {
            Ok(found) => Scaling::Found(Box::new(found)),
            Err(why) => Scaling::Failed(format!("{why:#}")),
        };
        stacks.push(ScaledStack { stack: recipe.name.clone(), outcome });
    }
    Ok(ScalingTable {
        scenario: scenario.name,
        threads,
        line_moves,
        move_ns,
        stacks,
        warnings: watch.warnings(),
    })
}

fn scenario(workshop: &Workshop<'_>, request: &ScalingRequest) -> anyhow::Result<Scenario> {
    let scenario = find_scenario(workshop, &request.scenario)?;
    if scenario.works_at_once() || scenario.threads > 1 {
        let cause = "its sides or threads already work at once";
        bail!(Problem::invalid("scenario", &scenario.name, cause, "name one of a single thread"));
    }
    Ok(scenario)
}

/// The inputs that all stacks share.
struct Cell<'a> {
    workshop: &'a Workshop<'a>,
    request: &'a ScalingRequest,
    scenario: &'a Scenario,
    threads: u32,
    move_ns: Option<f64>,
    pki: &'a Pki,
}

/// The progress.
#[derive(Clone, Copy)]
struct Place<'p> {
    stack: usize,
    stacks: usize,
    name: &'p str,
}

impl Cell<'_> {
    fn is_at(&self, Place { stack, stacks, name }: Place<'_>, rounds: u32) {
        let of_each = ROUNDS as usize;
        let done = stack * of_each + rounds as usize;
        let what = if rounds == 0 { format!("{name}: counts, then times") } else { name.to_owned() };
        self.workshop.reporter.step(Stage::Measure, (done, stacks * of_each), what);
    }

    fn found(
        &self,
        built: &BuiltStack,
        (counted, timed): (&SessionLauncher<'_>, &SessionLauncher<'_>),
        place: Place<'_>,
    ) -> anyhow::Result<Scaled> {
        let timeout = self.request.timeout_s.duration();
        self.is_at(place, 0);
        let counter = counting::contention(self.workshop)?.seeded(SEED);
        let scenario = Scenario { threads: self.threads, ..self.scenario.clone() };
        let driver = driver_under(&counter, built);
        let noted =
            tlslab_measure::contention(counted, driver, self.pki, &scenario, (CONNECTIONS, SEED), timeout)?;
        let contention = match noted {
            Noted::Contention(found) => found,
            Noted::Unsupported(reason) => bail!("unsupported: {reason}"),
            Noted::Failed(reason) => bail!("failed: {reason}"),
        };
        let driver = DriverProgram { counter: None, ..driver };
        let scaling =
            tlslab_measure::Scaling::new(timed, driver, (self.pki, self.scenario), self.threads, timeout);
        let slice = slice(self.request.point_s.duration());
        let rounds = scaling.rounds(ROUNDS, slice, |round| self.is_at(place, round))?;
        let rounds = rounds.map_err(|reason| anyhow::anyhow!("unsupported: {reason}"))?;
        self.scaled(&rounds, &contention)
    }

    fn scaled(
        &self,
        rounds: &[ScalingRound],
        contention: &tlslab_contention::Contention,
    ) -> anyhow::Result<Scaled> {
        let logarithms: Vec<f64> =
            rounds.iter().map(|round| (round.threads_per_s / round.processes_per_s).ln()).collect();
        let ratio = ratio_estimate(&logarithms, CONFIDENCE)?;
        let typical = |of: &dyn Fn(&ScalingRound) -> f64| {
            median(&rounds.iter().map(of).collect::<Vec<f64>>()).context("no round was timed")
        };
        let processes_per_s = typical(&|round| round.processes_per_s)?;
        let mut sides = Vec::new();
        for side in Side::BOTH {
            let limits = contention.limits(side.name());
            let connection_ns = typical(&|round| *round.sides_ns.side(side))?;
            let serial = contention.side(side.name()).serial_instructions;
            sides.push(ScaledSide {
                side,
                limits,
                serial_instructions: serial as f64 / contention.connections.max(1) as f64,
                connection_ns,
                ceilings: self.move_ns.map(|move_ns| Ceilings::of(limits, connection_ns, move_ns)),
            });
        }
        // The time of one process for a connection, and the extra time of one thread.
        let each_ns = f64::from(self.threads) * 1e9 / processes_per_s;
        let lost_ns = each_ns * (1.0 / ratio.value - 1.0);
        let writes: f64 = sides.iter().map(|side| side.limits.contended_writes).sum();
        let lost_ns_per_write = (writes > 0.0).then(|| lost_ns / writes);
        Ok(Scaled { sides, threads_over_processes: ratio, processes_per_s, lost_ns, lost_ns_per_write })
    }
}

/// How long threads and processes are timed in each round.
fn slice(point: Duration) -> Duration {
    point / (2 * ROUNDS)
}
