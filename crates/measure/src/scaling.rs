//! Threads of one process against as many processes: the cost of sharing a process.

use std::thread;
use std::time::{Duration, Instant};

use tlslab_pki::Pki;
use tlslab_protocol::{Measurement, Scenario, Sharing, Sides, WarmUpRule};

use crate::requests::{Asked, credentials, measure, prepare, started, trial};
use crate::{DriverFailure, DriverProgram, Launch, Talk};

/// The warm-up of a program that has been idle.
const WARM_UP: WarmUpRule = WarmUpRule { least_ns: 20_000_000, least_iterations: 16, most_ns: 100_000_000 };

/// The result of one round, connections (or iterations) per second of all threads or processes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalingRound {
    /// Threads of one process, which share contexts.
    pub threads_per_s: f64,
    /// As many processes at once, each on a processor of its own.
    pub processes_per_s: f64,
    /// The time of an iteration for each side of such a process, ns.
    pub sides_ns: Sides<f64>,
}

/// Times threads and processes in turn.
pub struct Scaling<'a> {
    launch: &'a dyn Launch,
    driver: DriverProgram<'a>,
    pki: &'a Pki,
    scenario: &'a Scenario,
    threads: u32,
    timeout: Duration,
}

impl<'a> Scaling<'a> {
    /// With so many threads; the scenario is that of one.
    #[must_use]
    pub fn new(
        launch: &'a dyn Launch,
        driver: DriverProgram<'a>,
        (pki, scenario): (&'a Pki, &'a Scenario),
        threads: u32,
        timeout: Duration,
    ) -> Self {
        Self { launch, driver, pki, scenario, threads, timeout }
    }

    /// So many rounds, in each of which threads and processes are timed one after the other, for so long
    /// each. `Err` with the reason if the stack does not support this.
    ///
    /// # Errors
    /// Returns the driver's failure.
    pub fn rounds(
        &self,
        rounds: u32,
        slice: Duration,
        mut done: impl FnMut(u32),
    ) -> Result<Result<Vec<ScalingRound>, String>, DriverFailure> {
        let alone = Scenario { threads: 1, sharing: Sharing::Shared, ..self.scenario.clone() };
        let together = Scenario { threads: self.threads, ..alone.clone() };
        let mut one = started(self.launch, self.driver, self.timeout)?;
        if let Some(reason) = self.prepared(one.as_mut(), &together)? {
            return Ok(Err(reason));
        }
        let mut each = Vec::new();
        for place in 0..self.threads {
            let mut talk = started(self.launch, self.driver, self.timeout)?;
            if let Some(reason) = self.prepared(talk.as_mut(), &alone)? {
                return Ok(Err(reason));
            }
            talk.keep_to(place as usize)?;
            each.push(talk);
        }
        let iteration_ns = trial(each[0].as_mut(), &alone, self.timeout)?;
        let iterations = (slice.as_nanos() as f64 / iteration_ns).ceil().max(1.0) as u64;
        let mut found = Vec::new();
        for round in 0..rounds {
            let asked = |times| Asked { iterations: times, slices: 1, warm_up: Some(WARM_UP), seed: None };
            let mut of_threads =
                || timed(one.as_mut(), asked(iterations * u64::from(self.threads)), &together, self.timeout);
            let mut of_processes = || at_once(&mut each, asked(iterations), &alone, self.timeout);
            // The order alternates, so that drift of the host does not favour either.
            let (threads, processes) = if round % 2 == 0 {
                (of_threads()?, of_processes()?)
            } else {
                let processes = of_processes()?;
                (of_threads()?, processes)
            };
            found.push(ScalingRound {
                threads_per_s: rate_of_threads(&threads),
                processes_per_s: processes.iter().map(rate).sum(),
                sides_ns: sides_ns(&processes),
            });
            done(round + 1);
        }
        for talk in each.into_iter().chain([one]) {
            talk.end()?;
        }
        Ok(Ok(found))
    }

    fn prepared(&self, talk: &mut dyn Talk, scenario: &Scenario) -> Result<Option<String>, DriverFailure> {
        prepare(talk, scenario, credentials(self.pki, scenario), self.timeout)
    }
}

/// All processes at once.
fn at_once(
    each: &mut [Box<dyn Talk>],
    asked: Asked,
    scenario: &Scenario,
    timeout: Duration,
) -> Result<Vec<Measurement>, DriverFailure> {
    thread::scope(|scope| {
        let talks = each.iter_mut().map(AsMut::as_mut);
        let running: Vec<_> =
            talks.map(|talk| scope.spawn(move || timed(talk, asked, scenario, timeout))).collect();
        // A panic of a thread is a defect; it is propagated.
        running.into_iter().map(|thread| thread.join().expect("no measurement panics")).collect()
    })
}

/// One slice with plausible times.
fn timed(
    talk: &mut dyn Talk,
    asked: Asked,
    scenario: &Scenario,
    timeout: Duration,
) -> Result<Measurement, DriverFailure> {
    let start = Instant::now();
    let mut slices = measure(talk, asked, timeout)?;
    match tlslab_proof::untrue(&slices, scenario, start.elapsed()) {
        Some(what) => Err(DriverFailure::Nonsense { request: "measure", what }),
        None => Ok(slices.remove(0)),
    }
}

/// Iterations per second.
fn rate(measured: &Measurement) -> f64 {
    measured.iterations as f64 * 1e9 / measured.elapsed_ns.max(1) as f64
}

/// The sum of the threads' own rates: threads that end sooner do not wait for the last one.
fn rate_of_threads(measured: &Measurement) -> f64 {
    let of_each = measured.threads.iter();
    of_each.map(|thread| thread.iterations as f64 * 1e9 / thread.elapsed_ns.max(1) as f64).sum()
}

/// The time of an iteration for each side.
fn sides_ns(processes: &[Measurement]) -> Sides<f64> {
    let iterations: u64 = processes.iter().map(|measured| measured.iterations).sum();
    let each = |total: u64| total as f64 / iterations.max(1) as f64;
    Sides {
        client: each(processes.iter().map(|measured| measured.client.phases.total_ns()).sum()),
        server: each(processes.iter().map(|measured| measured.server.phases.total_ns()).sum()),
    }
}
