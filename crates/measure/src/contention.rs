//! Contention of threads that make a cell's connections in turn, in a process of its own.

use std::path::Path;
use std::time::Duration;

use tlslab_contention::{Contention, parse};
use tlslab_pki::Pki;
use tlslab_protocol::{Scenario, Sharing, Side, Work};
use tlslab_record::{Counted, StackRecord, Weighed};

use crate::count::{no_count, profile};
use crate::runner::Runner;
use crate::{DriverFailure, DriverProgram, Launch};

/// The fewest threads that contend.
const THREADS: u32 = 2;
/// The total of their connections in a run.
const CONNECTIONS: u64 = 8;
/// The lines and locks that a run stores besides lines with atomic operations: the most accessed ones.
const MOST: usize = 48;
/// Recording every access slows a program down by up to this factor.
const PATIENCE: u32 = 100;
/// The longest file of the record, bytes.
const LONGEST: u64 = 64 << 20;

impl Runner<'_> {
    /// A process under the counter that records lines and locks, one cell, and its end.
    pub(crate) fn contend(
        &self,
        stack: &StackRecord,
        scenario: &Scenario,
        process: u32,
    ) -> Result<Weighed, DriverFailure> {
        let Some(counter) = &self.plan.contention else {
            return Ok(Weighed::Failed("the run has no counter that records contention".to_owned()));
        };
        if let Some(reason) = no_count(stack, counter) {
            return Ok(Weighed::Unsupported(reason));
        }
        let seed = u64::from(process) + 1;
        let counter = counter.seeded(seed);
        let driver = DriverProgram { counter: Some(&counter), moves: false, ..stack.into() };
        let noted = contention(
            self.launch,
            driver,
            self.pki,
            scenario,
            (CONNECTIONS, seed),
            self.timeout * PATIENCE,
        )?;
        Ok(match noted {
            Noted::Contention(found) => Weighed::Contention(Box::new(found.shortened(MOST))),
            Noted::Unsupported(reason) => Weighed::Unsupported(reason),
            Noted::Failed(reason) => Weighed::Failed(reason),
        })
    }
}

/// The outcome for one cell.
pub enum Noted {
    /// The contention of its threads.
    Contention(Contention),
    /// The stack or the scenario cannot be measured this way.
    Unsupported(String),
    /// It should have worked.
    Failed(String),
}

/// Lets threads make the scenario's connections in turn, under a counter that records the cache lines and
/// locks that they share: two threads, or the scenario's number.
///
/// # Errors
/// Returns the driver's failure.
pub fn contention(
    launch: &dyn Launch,
    driver: DriverProgram<'_>,
    pki: &Pki,
    scenario: &Scenario,
    (connections, seed): (u64, u64),
    timeout: Duration,
) -> Result<Noted, DriverFailure> {
    if let Some(reason) = hole(scenario) {
        return Ok(Noted::Unsupported(reason.to_owned()));
    }
    let threads = scenario.threads.max(THREADS);
    // Otherwise a thread has no turn, and nothing is shared.
    let connections = connections.max(u64::from(threads));
    let scenario = Scenario { threads, sharing: Sharing::Shared, ..scenario.clone() };
    let folder = tempfile::tempdir().map_err(|cause| DriverFailure::NotStarted(cause.to_string()))?;
    let counted = match profile(launch, driver, pki, &scenario, (connections, seed, folder.path()), timeout)?
    {
        Counted::Counted(counted) => counted,
        Counted::Unsupported(reason) => return Ok(Noted::Unsupported(reason)),
        Counted::Failed(reason) => return Ok(Noted::Failed(reason)),
    };
    let of_side = |side: Side| (side.name().to_owned(), counted.sides.side(side).phases.total().instructions);
    let instructions = Side::BOTH.map(of_side).into();
    let found = read(folder.path()).map_err(|what| DriverFailure::Nonsense { request: "functions", what })?;
    Ok(Noted::Contention(Contention { connections, threads, instructions, ..found }))
}

/// Why threads cannot share a scenario's work, if so.
fn hole(scenario: &Scenario) -> Option<&'static str> {
    match scenario.work {
        Work::Primitive(_) => Some("a primitive has no connections that threads could make"),
        Work::Idle { .. } => Some("idle connections give threads nothing to contend for"),
        _ if scenario.threads > 1 && scenario.sharing != Sharing::Shared => {
            Some("its threads have contexts of their own; name the scenario whose threads share them")
        }
        _ => None,
    }
}

fn read(folder: &Path) -> Result<Contention, String> {
    let text = |name: &str| {
        tlslab_artifact::read_plain_text(&folder.join(name), LONGEST).map_err(|why| format!("{name}: {why}"))
    };
    parse(&text("contention")?, &text("places")?).map_err(|why| format!("the counter's record: {why}"))
}
