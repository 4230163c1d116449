//! Marks in the loops: whose work, and which phase of it, runs from here on.
//!
//! One mark ends what ran before and begins what comes after, so that consecutive calls share one reading of the
//! clock and nothing between two marks is lost.

use tlslab_protocol::{PhaseTimes, Side};

use crate::clock::now_ns;

/// The phases that have a time of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Create,
    Handshake,
    PostHandshake,
    Free,
    Send,
    Receive,
}

const PHASES: usize = 6;
const OFF: usize = 2 * PHASES;

/// Where time, or instructions, are booked.
pub trait Meter {
    /// From here on a side's phase runs.
    fn enter(&mut self, side: Side, phase: Phase);
    /// From here on nothing runs that belongs to a side.
    fn leave(&mut self);
}

/// Books nothing: for work that is off the clock.
pub struct Silent;

impl Meter for Silent {
    #[inline(always)]
    fn enter(&mut self, _: Side, _: Phase) {}

    #[inline(always)]
    fn leave(&mut self) {}
}

/// Books time.
pub struct Laps {
    last_ns: u64,
    running: usize,
    ns: [u64; OFF + 1],
    reads: [u64; OFF + 1],
}

impl Laps {
    /// Starts with nothing running.
    pub fn start() -> Self {
        Self { last_ns: now_ns(), running: OFF, ns: [0; OFF + 1], reads: [0; OFF + 1] }
    }

    /// One side's times.
    pub fn phases(&self, side: Side) -> PhaseTimes {
        let ns = |phase| self.ns[slot(side, phase)];
        PhaseTimes {
            create_ns: ns(Phase::Create),
            handshake_ns: ns(Phase::Handshake),
            post_handshake_ns: ns(Phase::PostHandshake),
            free_ns: ns(Phase::Free),
            send_ns: ns(Phase::Send),
            receive_ns: ns(Phase::Receive),
            ..PhaseTimes::default()
        }
    }

    /// How many readings of the clock one side's times contain.
    pub fn reads(&self, side: Side) -> u64 {
        let first = slot(side, Phase::Create);
        self.reads[first..first + PHASES].iter().sum()
    }

    #[inline(always)]
    fn switch(&mut self, next: usize) {
        let now = now_ns();
        self.ns[self.running] += now - self.last_ns;
        self.reads[self.running] += 1;
        self.last_ns = now;
        self.running = next;
    }
}

impl Meter for Laps {
    #[inline(always)]
    fn enter(&mut self, side: Side, phase: Phase) {
        self.switch(slot(side, phase));
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.switch(OFF);
    }
}

#[inline(always)]
fn slot(side: Side, phase: Phase) -> usize {
    side as usize * PHASES + phase as usize
}
