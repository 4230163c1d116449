//! System calls and page faults of each side, attributed at the same marks as its time.

use tlslab_protocol::{KernelPhases, Side, Sides};

use super::log::{Log, What};
use super::tables;
use super::trap::{Faults, Trap};
use crate::count::places::{OFF, PLACES, place};
use crate::timing::meter::Meter;
use crate::timing::phase::Phase;

/// Attributes what is asked of the kernel to places.
pub(crate) struct KernelMeter {
    trap: Trap,
    running: usize,
    since: Faults,
    faults: [Faults; PLACES],
    iteration: u32,
    log: Log,
}

impl KernelMeter {
    /// Starts with no phase running.
    pub(super) fn start(trap: Trap, log: Log) -> Self {
        tables::reset();
        let since = trap.faults();
        Self { trap, running: OFF, since, faults: [Faults::default(); PLACES], iteration: 0, log }
    }

    /// Keeps what was counted since the last call as one iteration.
    pub(super) fn end_iteration(&mut self) -> Result<(), String> {
        let Self { faults, iteration, log, .. } = self;
        for (place, faults) in faults.iter_mut().enumerate().filter(|(place, _)| *place != OFF) {
            log.add(*iteration, place, What::MinorFaults, faults.minor)?;
            log.add(*iteration, place, What::MajorFaults, faults.major)?;
            *faults = Faults::default();
            tables::take(place, |what, value| log.add(*iteration, place, what, value))?;
        }
        *iteration += 1;
        Ok(())
    }

    /// The figures of each iteration.
    pub(super) fn finish(self, iterations: u32) -> Vec<Sides<KernelPhases>> {
        self.log.by_iteration(iterations)
    }

    #[inline(never)]
    fn switch(&mut self, next: usize) {
        tables::attribute_to(OFF);
        let now = self.trap.faults();
        let faults = &mut self.faults[self.running];
        faults.minor += now.minor - self.since.minor;
        faults.major += now.major - self.since.major;
        self.running = next;
        self.since = now;
        tables::attribute_to(next);
    }
}

impl Meter for KernelMeter {
    fn enter(&mut self, side: Side, phase: Phase) {
        self.switch(place(side, phase));
    }

    fn leave(&mut self) {
        self.switch(OFF);
    }
}
