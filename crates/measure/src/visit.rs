//! One visit: every stack's process prepares one scenario, then all stacks take turns.
//!
//! A turn begins with a warm-up that does not count, because another program has used the processor before;
//! slices that count follow.

use std::time::{Duration, Instant};

use tlslab_pki::Pki;
use tlslab_protocol::{Capabilities, Measurement, Reply, Request, Scenario, Start};
use tlslab_record::{Arrangement, FEWEST_BLOCKS, Sample, Slicing, StackPair, Visit};

use crate::placement::MemoryPlacement;
use crate::requests::{Asked, credentials, measure, prepare, started, wrong_reply};
use crate::time_bounds::TimeBounds;
use crate::{DriverFailure, DriverProgram, Journal, JournalError, Launch, Talk};

/// How long a process works on a scenario before the first slice counts.
const WARM_UP_NS: f64 = 10_000_000.0;

/// Numbers of iterations more before the first turn, 0 included: some keys do more work every 32nd time.
const PHASES: u64 = 32;

/// The longest wait for an answer, however long a turn is expected to take.
const LONGEST_ANSWER: Duration = Duration::from_secs(600);

/// Slices of slow work are fewer, so that a turn stays below this, ns.
const LONGEST_TURN_NS: f64 = 80_000_000.0;

/// The shortest slice of several threads, ns: they are started for each, and take turns of a few ms if there
/// are more of them than processors.
const SHORTEST_OF_THREADS_NS: f64 = 100_000_000.0;

/// The shortest slice of arrivals, ns, and its fewest arrivals: the longest queue must be short in
/// comparison.
const SHORTEST_OF_ARRIVALS_NS: f64 = 250_000_000.0;
const FEWEST_ARRIVALS: u64 = 20;
/// The shortest warm-up of arrivals, ns: a queue begins empty, and must reach its usual length before slices
/// count.
const WARM_UP_OF_ARRIVALS_NS: u64 = 50_000_000;

/// A stack that takes part in a visit.
pub(crate) struct Participant<'a> {
    /// Its index in the plan.
    pub stack: usize,
    /// How another process of it is started.
    pub driver: DriverProgram<'a>,
    /// Its process.
    pub talk: &'a mut dyn Talk,
    /// How long one iteration is known to take, ns.
    pub iteration_ns: f64,
    /// How long its runtime does other work after a pause, ns.
    pub settles_ns: u64,
    /// Its reports, and its processor time.
    pub times: TimeBounds,
}

/// The cause that stopped a visit.
pub(crate) enum Cut {
    /// One stack's driver failed.
    Driver { stack: usize, failure: DriverFailure },
    /// The program that uses the processor between turns failed.
    Evictor(DriverFailure),
    /// The journal failed.
    Journal(JournalError),
}

/// The inputs of a visit besides its participants.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    /// The visit.
    pub which: &'a Visit,
    /// Its scenario.
    pub scenario: &'a Scenario,
    /// The keys and certificates.
    pub pki: &'a Pki,
    /// How processes are started, if each slice has its own.
    pub launch: &'a dyn Launch,
    /// The lengths of turns and slices.
    pub slicing: Slicing,
    /// The target duration of the visit.
    pub slot: Duration,
    /// The time limit of a driver's answer.
    pub timeout: Duration,
    /// The order of turns.
    pub arrangement: Arrangement,
    /// Stacks that do the same number of iterations in each slice.
    pub pairs: &'a [StackPair],
    /// The seed of gaps between arrivals. All stacks have the same arrivals in the same turn.
    pub seed: u64,
    /// A number drawn for the visit, from which follows how many iterations more come before the first turn.
    pub phase: u32,
}

/// How long a stack's runtime does other work after a pause, ns.
pub(crate) fn settles_ns(able: &Capabilities) -> u64 {
    u64::from(able.settles_ms) * 1_000_000
}

/// Measures for about as long as the terms allow. Every slice is in the journal when this returns, also on an
/// error.
pub(crate) fn visit(
    terms: &Terms<'_>,
    participants: &mut [Participant<'_>],
    mut next_order: impl FnMut() -> Vec<usize>,
    evictor: Option<&mut (dyn Talk + 'static)>,
    journal: &mut dyn Journal,
) -> Result<(), Cut> {
    let start = Instant::now();
    // What is known of one iteration differs by chance; with more of them before the first slice, each slice
    // of one process would be a later iteration than the other's, in every round alike.
    for pair in terms.pairs {
        alike(participants, [pair.baseline, pair.candidate]);
    }
    for participant in next_order() {
        let participant = &mut participants[participant];
        terms.warm_up(participant).map_err(|failure| Cut::Driver { stack: participant.stack, failure })?;
    }
    for pair in terms.pairs {
        alike(participants, [pair.baseline, pair.candidate]);
    }
    for participant in &mut *participants {
        participant.times = TimeBounds::begin(&*participant.talk);
    }
    match terms.arrangement {
        Arrangement::Interleaved => {
            interleaved(terms, participants, &mut next_order, evictor, journal, start)
        }
        Arrangement::Turns => turns(terms, participants, &mut next_order, journal, start),
        Arrangement::Duet => duet(terms, participants, journal, start),
    }?;
    // A cold start has a process for each slice.
    let kept = participants.iter().filter(|_| terms.scenario.start == Start::Warm);
    for Participant { stack, times, driver, .. } in kept {
        let able = driver.described.map(|described| described.capabilities.clone()).unwrap_or_default();
        if let Some(what) = times.untrue(terms.scenario, &able, terms.launch.binds()) {
            return Err(Cut::Driver { stack: *stack, failure: DriverFailure::Untrue { what } });
        }
    }
    Ok(())
}

/// Lets two stacks do the same number of iterations in each slice. A slice begins in caches that another
/// process has filled; with fewer iterations that would weigh more in each, and the time of one is known only
/// roughly.
fn alike(participants: &mut [Participant<'_>], stacks: [usize; 2]) {
    let is_one = |participant: &&mut Participant<'_>| stacks.contains(&participant.stack);
    let both: Vec<f64> =
        participants.iter_mut().filter(is_one).map(|participant| participant.iteration_ns).collect();
    let mean_ns = both.iter().sum::<f64>() / both.len().max(1) as f64;
    for participant in participants.iter_mut().filter(is_one) {
        participant.iteration_ns = mean_ns;
    }
}

/// Blocks in which every stack has one turn, in random order; after the evictor, if there is one.
fn interleaved(
    terms: &Terms<'_>,
    participants: &mut [Participant<'_>],
    next_order: &mut dyn FnMut() -> Vec<usize>,
    mut evictor: Option<&mut (dyn Talk + 'static)>,
    journal: &mut dyn Journal,
    start: Instant,
) -> Result<(), Cut> {
    let mut block = 0;
    let blocks_start = Instant::now();
    loop {
        for (place, participant) in next_order().into_iter().enumerate() {
            if let Some(evictor) = &mut evictor {
                evict(*evictor, terms.timeout).map_err(Cut::Evictor)?;
            }
            let slices = terms.turn(&mut participants[participant], true)?;
            terms.keep(journal, block, place, participants[participant].stack, slices)?;
        }
        block += 1;
        let per_block = blocks_start.elapsed() / block;
        if block >= FEWEST_BLOCKS && start.elapsed() + per_block > terms.slot {
            return Ok(());
        }
    }
}

/// Lets the evictor use the processor.
fn evict(evictor: &mut dyn Talk, timeout: Duration) -> Result<(), DriverFailure> {
    match evictor.ask(&Request::Evict {}, timeout)? {
        Reply::Evicted {} => Ok(()),
        other => Err(wrong_reply("evict", &other)),
    }
}

/// ABBA order: each stack's turns together, then all in reverse order, so that linear drift over the visit
/// cancels. Only the first of a stack's turns needs a warm-up.
fn turns(
    terms: &Terms<'_>,
    participants: &mut [Participant<'_>],
    next_order: &mut dyn FnMut() -> Vec<usize>,
    journal: &mut dyn Journal,
    start: Instant,
) -> Result<(), Cut> {
    let left_ns = terms.slot.saturating_sub(start.elapsed()).as_nanos() as u64;
    let turn_ns = terms.slicing.slice_ns.max(1) * u64::from(terms.slicing.slices);
    let fitting = left_ns / (turn_ns * participants.len().max(1) as u64);
    let half = (fitting / 2).clamp(u64::from(FEWEST_BLOCKS), 10_000) as u32;
    let order = next_order();
    for (first, order) in [(0, order.clone()), (half, order.into_iter().rev().collect::<Vec<_>>())] {
        for (place, participant) in order.into_iter().enumerate() {
            for block in first..first + half {
                let slices = terms.turn(&mut participants[participant], block == first)?;
                terms.keep(journal, block, place, participants[participant].stack, slices)?;
            }
        }
    }
    Ok(())
}

/// Two stacks at once, each on a processor of its own, swapped halfway: disturbances of the machine affect
/// both at the same moment. More stacks are taken in pairs.
fn duet(
    terms: &Terms<'_>,
    participants: &mut [Participant<'_>],
    journal: &mut dyn Journal,
    start: Instant,
) -> Result<(), Cut> {
    let couples = participants.len().div_ceil(2).max(1) as u32;
    let slot = terms.slot.saturating_sub(start.elapsed()) / couples;
    for couple in participants.chunks_mut(2) {
        let mut block = 0;
        let mut first_half = 0;
        for half in 0..2 {
            for (place, participant) in couple.iter_mut().enumerate() {
                let moved = participant.talk.keep_to(place ^ half);
                moved.map_err(|failure| Cut::Driver { stack: participant.stack, failure })?;
            }
            let half_start = Instant::now();
            loop {
                let measured: Vec<_> = std::thread::scope(|scope| {
                    let start = |participant| scope.spawn(|| terms.turn(participant, true));
                    let running: Vec<_> = couple.iter_mut().map(start).collect();
                    // A panic of a thread is a defect; it is propagated.
                    running.into_iter().map(|thread| thread.join().expect("no turn panics")).collect()
                });
                for (place, measured) in measured.into_iter().enumerate() {
                    terms.keep(journal, block, place, couple[place].stack, measured?)?;
                }
                block += 1;
                let is_enough = match half {
                    0 => block >= FEWEST_BLOCKS && half_start.elapsed() >= slot / 2,
                    _ => block >= 2 * first_half,
                };
                if is_enough {
                    break;
                }
            }
            first_half = block;
        }
    }
    Ok(())
}

impl Terms<'_> {
    /// A turn of the target length: its slices.
    pub(crate) fn turn(
        &self,
        participant: &mut Participant<'_>,
        warms_up: bool,
    ) -> Result<Vec<Measurement>, Cut> {
        let asked = self.asked(participant, warms_up);
        self.slices(participant, asked).map_err(|failure| Cut::Driver { stack: participant.stack, failure })
    }

    /// A driver's request in a turn.
    pub(crate) fn asked(&self, participant: &Participant<'_>, warms_up: bool) -> Asked {
        let Slicing { slice_ns, slices, warm_up } = self.slicing;
        let slice_ns = match self.scenario.rate {
            0 => slice_ns as f64,
            _ => SHORTEST_OF_ARRIVALS_NS.max(slice_ns as f64),
        };
        let iterations = self.iterations(participant, slice_ns);
        let is_cold = self.scenario.start == Start::Cold;
        let fitting = LONGEST_TURN_NS / (iterations as f64 * participant.iteration_ns);
        let is_long = is_cold || self.scenario.threads > 1 || self.scenario.rate > 0;
        let slices = if is_long { 1 } else { slices.min(fitting as u32).max(1) };
        let of_arrivals_ns = if self.scenario.rate > 0 { WARM_UP_OF_ARRIVALS_NS } else { 0 };
        Asked {
            iterations,
            slices,
            warm_up: warm_up
                .filter(|_| warms_up && !is_cold)
                .map(|rule| rule.at_least(participant.settles_ns.max(of_arrivals_ns))),
            seed: (self.scenario.rate > 0).then(|| self.seed.wrapping_add(participant.times.turns())),
        }
    }

    /// Records the slices of a turn. A turn of each stack is a block, in which slices are numbered from the
    /// block's first.
    pub(crate) fn keep(
        &self,
        journal: &mut dyn Journal,
        block: u32,
        place: usize,
        stack: usize,
        slices: Vec<Measurement>,
    ) -> Result<(), Cut> {
        let Visit { round, scenario, attempt, .. } = *self.which;
        let first = block * self.slicing.slices;
        for (block, measurement) in (first..).zip(slices) {
            let sample = Sample { round, scenario, attempt, block, place: place as u32, stack, measurement };
            journal.sample(&sample).map_err(Cut::Journal)?;
        }
        Ok(())
    }

    /// Prepares a process for the scenario and lets it work for a while, which also measures the time of an
    /// iteration: the first trial was cold.
    ///
    /// Turns of slow work have equally many iterations each, so the number of iterations before the first one
    /// decides which iterations are in slices. It differs from visit to visit, and is the same for pairs.
    pub(crate) fn warm_up(&self, participant: &mut Participant<'_>) -> Result<(), DriverFailure> {
        if self.scenario.start == Start::Cold {
            return Ok(());
        }
        self.make_ready(participant.talk)?;
        let iterations = self.before_turns(self.iterations(participant, WARM_UP_NS).max(2));
        let seed = (self.scenario.rate > 0).then_some(self.seed);
        let asked = Asked { iterations, slices: 1, warm_up: None, seed };
        let measured = self.slices(participant, asked)?.remove(0);
        if self.scenario.threads == 1
            && self.scenario.rate == 0
            && measured.elapsed_ns > 0
            && measured.iterations > 0
        {
            participant.iteration_ns = measured.elapsed_ns as f64 / measured.iterations as f64;
        }
        Ok(())
    }

    /// How many iterations come before the first turn, if at least so many do: fewer than twice as many.
    pub(crate) fn before_turns(&self, least: u64) -> u64 {
        if self.scenario.threads > 1 || self.scenario.rate > 0 {
            return least;
        }
        let whole = u64::from(self.scenario.work.burst()).max(1);
        least + u64::from(self.phase) % (least / whole).clamp(1, PHASES) * whole
    }

    /// Prepares a process for the scenario.
    pub(crate) fn make_ready(&self, talk: &mut dyn Talk) -> Result<(), DriverFailure> {
        let credentials = credentials(self.pki, self.scenario);
        match prepare(talk, self.scenario, credentials, self.timeout)? {
            None => Ok(()),
            Some(reason) => Err(DriverFailure::Refused {
                reason: format!("supported this scenario when probed, now refuses it: {reason}"),
            }),
        }
    }

    /// Lets a process that was just prepared do one unrecorded iteration: the first one makes the connection
    /// or the session that the scenario keeps.
    pub(crate) fn settle(&self, talk: &mut dyn Talk, iteration_ns: f64) -> Result<(), DriverFailure> {
        let Scenario { start, threads, rate, .. } = self.scenario;
        if *start == Start::Cold || *threads > 1 || *rate > 0 {
            return Ok(());
        }
        let one = Asked { iterations: 1, slices: 1, warm_up: None, seed: None };
        self.slices_of(talk, iteration_ns, one).map(drop)
    }

    /// The slices of one turn; for a cold start, in a process of its own.
    pub(crate) fn slices(
        &self,
        participant: &mut Participant<'_>,
        asked: Asked,
    ) -> Result<Vec<Measurement>, DriverFailure> {
        if self.scenario.start == Start::Warm {
            let ran = participant.times.ran_until_now();
            let start = Instant::now();
            let slices = self.slices_of(participant.talk, participant.iteration_ns, asked)?;
            participant.times.add(&slices, ran, start.elapsed());
            return Ok(slices);
        }
        participant.driver.placement = participant.driver.placement.map(MemoryPlacement::next);
        let mut process = started(self.launch, participant.driver, self.timeout)?;
        let credentials = credentials(self.pki, self.scenario);
        if let Some(reason) = prepare(process.as_mut(), self.scenario, credentials, self.timeout)? {
            return Err(DriverFailure::Refused { reason });
        }
        let one = Asked { iterations: 1, slices: 1, warm_up: None, seed: None };
        let slices = self.slices_of(process.as_mut(), participant.iteration_ns, one)?;
        process.end()?;
        Ok(slices)
    }

    fn slices_of(
        &self,
        talk: &mut dyn Talk,
        iteration_ns: f64,
        asked: Asked,
    ) -> Result<Vec<Measurement>, DriverFailure> {
        let warm_up_ns = asked.warm_up.map_or(0.0, |rule| rule.expected_ns(iteration_ns));
        let slices_ns = iteration_ns * asked.iterations as f64 * f64::from(asked.slices);
        let expected = Duration::from_nanos((slices_ns + warm_up_ns) as u64);
        let start = Instant::now();
        let slices = measure(talk, asked, self.timeout.max((expected * 50).min(LONGEST_ANSWER)))?;
        match tlslab_proof::untrue(&slices, self.scenario, start.elapsed()) {
            None => Ok(slices),
            Some(what) => Err(DriverFailure::Nonsense { request: "measure", what }),
        }
    }

    /// How many iterations take about `ns`: whole bursts of every thread, and at least one.
    pub(crate) fn iterations(&self, participant: &Participant<'_>, ns: f64) -> u64 {
        if self.scenario.rate > 0 {
            let wanted = ns * f64::from(self.scenario.rate) / 1e9;
            return (wanted.round() as u64).max(FEWEST_ARRIVALS);
        }
        let ns = if self.scenario.threads > 1 { ns.max(SHORTEST_OF_THREADS_NS) } else { ns };
        let whole = u64::from(self.scenario.work.burst()) * u64::from(self.scenario.threads);
        let wanted = (ns / participant.iteration_ns).round().max(1.0) as u64;
        wanted.div_ceil(whole) * whole
    }
}
