//! Marks in the loops: which side's phase runs from here on.
//!
//! One mark ends what ran before and begins what comes after, so that consecutive calls share one reading of
//! the clock and nothing between two marks is lost.

use tlslab_protocol::{Latencies, PhaseTimes, Side};

use super::clock::now_ns;
use super::phase::{CALLS, PHASES, Phase};
use crate::planted::cost::PlantedCost;

/// Everything that belongs to no side.
const OFF: usize = 2 * PHASES;

/// A meter of time or instructions.
pub(crate) trait Meter {
    /// Marks that a side's phase runs from here on.
    fn enter(&mut self, side: Side, phase: Phase);
    /// Marks that nothing of a side runs from here on.
    fn leave(&mut self);
    /// Marks that the work is done: from here on, objects are only freed.
    #[inline(always)]
    fn done(&mut self) {}
}

/// Records nothing: for work that is off the clock.
pub(crate) struct Silent;

impl Meter for Silent {
    #[inline(always)]
    fn enter(&mut self, _: Side, _: Phase) {}

    #[inline(always)]
    fn leave(&mut self) {}
}

/// Times by side and phase, and the number of clock readings in each.
#[derive(Clone, Copy)]
pub(crate) struct Booked {
    ns: [u64; OFF + 1],
    reads: [u64; OFF + 1],
}

impl Booked {
    const NOTHING: Self = Self { ns: [0; OFF + 1], reads: [0; OFF + 1] };

    /// The bookings since an earlier state of the same meter.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let less = |now: &[u64; OFF + 1], then: &[u64; OFF + 1]| std::array::from_fn(|at| now[at] - then[at]);
        Self { ns: less(&self.ns, &before.ns), reads: less(&self.reads, &before.reads) }
    }

    /// The sum of one side's phases, ns.
    pub(crate) fn total_ns(&self, side: Side) -> u64 {
        self.ns[first(side)..first(side) + PHASES].iter().sum()
    }

    /// One side's times.
    pub(crate) fn phases(&self, side: Side) -> PhaseTimes {
        let ns = |phase: Phase| self.ns[first(side) + phase.index()];
        PhaseTimes {
            context_ns: ns(Phase::Context),
            create_ns: ns(Phase::Create),
            handshake_ns: (0..CALLS).map(|call| ns(Phase::Handshake(call))).sum(),
            post_handshake_ns: ns(Phase::PostHandshake),
            free_ns: ns(Phase::Free),
            send_ns: ns(Phase::Send),
            receive_ns: ns(Phase::Receive),
            close_ns: ns(Phase::Close),
            operation_ns: ns(Phase::Operation),
        }
    }

    /// One side's times of the handshake's calls, ns, without calls that were not made.
    pub(crate) fn handshake_calls_ns(&self, side: Side) -> Vec<u64> {
        let from = first(side) + Phase::Handshake(0).index();
        let calls = &self.ns[from..from + CALLS];
        let made = self.reads[from..from + CALLS].iter().take_while(|reads| **reads > 0).count();
        calls[..made].to_vec()
    }

    /// The number of clock readings contained in one side's times.
    pub(crate) fn reads(&self, side: Side) -> u64 {
        self.reads[first(side)..first(side) + PHASES].iter().sum()
    }
}

/// Measures time.
pub(crate) struct Laps {
    last_ns: u64,
    running: usize,
    booked: Booked,
    iterations: [Iterations; 2],
    planted_cost: PlantedCost,
}

/// One side's iterations, with the total time of each.
struct Iterations {
    before_ns: u64,
    counts: Vec<u32>,
}

impl Laps {
    /// Starts with no phase running.
    pub(crate) fn start() -> Self {
        let none = || Iterations { before_ns: 0, counts: vec![0; Latencies::BUCKETS] };
        let (iterations, planted_cost) = ([none(), none()], PlantedCost::of_process());
        Self { last_ns: now_ns(), running: OFF, booked: Booked::NOTHING, iterations, planted_cost }
    }

    /// The bookings since the start.
    pub(crate) fn booked(&self) -> &Booked {
        &self.booked
    }

    /// Begins an iteration, excluding all that was booked before. Off every clock.
    pub(crate) fn begin_iteration(&mut self) {
        for side in Side::BOTH {
            self.iterations[side as usize].before_ns = self.booked.total_ns(side);
        }
    }

    /// Counts the bookings since the last call as one iteration of each side that has any. Off every clock.
    pub(crate) fn end_iteration(&mut self) {
        for side in Side::BOTH {
            let total_ns = self.booked.total_ns(side);
            let Iterations { before_ns, counts } = &mut self.iterations[side as usize];
            let took_ns = total_ns - *before_ns;
            *before_ns = total_ns;
            if took_ns > 0 {
                counts[Latencies::bucket(took_ns) as usize] += 1;
            }
        }
    }

    /// Counts an iteration of one side, if several connections are in progress at once.
    pub(crate) fn count_iteration(&mut self, side: Side, took_ns: u64) {
        self.iterations[side as usize].counts[Latencies::bucket(took_ns) as usize] += 1;
    }

    /// One side's iterations.
    pub(crate) fn latencies(&self, side: Side) -> Latencies {
        let counts = self.iterations[side as usize].counts.iter().enumerate();
        let counted = counts.filter(|(_, count)| **count > 0);
        Latencies { counts: counted.map(|(bucket, count)| (bucket as u32, u64::from(*count))).collect() }
    }

    #[inline(always)]
    fn switch(&mut self, next: usize) {
        let now = now_ns();
        self.booked.ns[self.running] += now - self.last_ns;
        self.booked.reads[self.running] += 1;
        self.last_ns = now;
        self.running = next;
    }
}

impl Meter for Laps {
    #[inline(always)]
    fn enter(&mut self, side: Side, phase: Phase) {
        self.switch(first(side) + phase.index());
        self.planted_cost.bear(side, phase);
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.switch(OFF);
    }
}

#[inline(always)]
fn first(side: Side) -> usize {
    side as usize * PHASES
}
