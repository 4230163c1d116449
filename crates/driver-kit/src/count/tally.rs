//! One side's instructions, attributed at the same marks as its time.

use tlslab_protocol::{Count, PhaseCounts, Side, SideCount};

use super::places::{OFF, PLACES, first, place};
use super::source::Source;
use crate::planted::cost::PlantedCost;
use crate::timing::meter::Meter;
use crate::timing::phase::{CALLS, PHASES, Phase};

/// Attributes instructions to places.
pub(super) struct Tally<'c> {
    counter: &'c Source,
    running: usize,
    /// The value of a continuous counter at the last mark.
    last: u64,
    /// Instructions by place.
    booked: [u64; PLACES],
    marks: [u64; PLACES],
    planted_cost: PlantedCost,
}

impl<'c> Tally<'c> {
    /// Starts with no phase running.
    pub(super) fn start(counter: &'c Source) -> Self {
        counter.start();
        let last = counter.now();
        Self {
            counter,
            running: OFF,
            last,
            booked: [0; PLACES],
            marks: [0; PLACES],
            planted_cost: PlantedCost::of_process(),
        }
    }

    /// The share of one thread in what the lab's tool counts, from here on.
    pub(super) fn of_thread(counter: &'c Source) -> Self {
        let (booked, marks) = ([0; PLACES], [0; PLACES]);
        Self { counter, running: OFF, last: 0, booked, marks, planted_cost: PlantedCost::of_process() }
    }

    /// How often each place was entered.
    pub(super) fn marks(&self) -> [u64; PLACES] {
        self.marks
    }

    /// Adds the places that another thread has entered.
    pub(super) fn add_marks(&mut self, marks: &[u64; PLACES]) {
        for (mine, more) in self.marks.iter_mut().zip(marks) {
            *mine += more;
        }
    }

    /// The counts of one side.
    pub(super) fn side(&self, side: Side) -> SideCount {
        let of = |phase: Phase| {
            let place = place(side, phase);
            self.counter.booked(place, self.booked[place])
        };
        let calls: Vec<(Count, u64)> = (0..CALLS)
            .map(Phase::Handshake)
            .map(|phase| (of(phase), self.marks[place(side, phase)]))
            .collect();
        SideCount {
            phases: PhaseCounts {
                context: of(Phase::Context),
                create: of(Phase::Create),
                handshake: calls.iter().fold(Count::default(), |sum, (call, _)| sum.plus(*call)),
                post_handshake: of(Phase::PostHandshake),
                free: of(Phase::Free),
                send: of(Phase::Send),
                receive: of(Phase::Receive),
                close: of(Phase::Close),
                operation: of(Phase::Operation),
            },
            handshake_calls: calls
                .iter()
                .take_while(|(_, marks)| *marks > 0)
                .map(|(call, _)| *call)
                .collect(),
            marks: self.marks[first(side)..first(side) + PHASES].iter().sum(),
        }
    }

    #[inline(always)]
    fn switch(&mut self, next: usize) {
        if self.counter.books() {
            self.counter.switch(next);
        } else {
            let now = self.counter.now();
            self.booked[self.running] += now.wrapping_sub(self.last);
            self.last = now;
        }
        self.marks[next] += 1;
        self.running = next;
    }
}

impl Meter for Tally<'_> {
    #[inline(always)]
    fn enter(&mut self, side: Side, phase: Phase) {
        self.switch(place(side, phase));
        self.planted_cost.bear(side, phase);
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.switch(OFF);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_between_two_marks_is_the_first_ones() {
        let mut shown = 1_000_u64;
        let source = Source::Shown(&raw const shown);
        let mut tally = Tally::start(&source);
        let mut run = |tally: &mut Tally<'_>, instructions, next: Option<(Side, Phase)>| {
            // SAFETY: the number lives as long as the test; the tally reads it through the same pointer.
            unsafe { (&raw mut shown).write_volatile((&raw const shown).read_volatile() + instructions) };
            match next {
                Some((side, phase)) => tally.enter(side, phase),
                None => tally.leave(),
            }
        };
        run(&mut tally, 5, Some((Side::Client, Phase::Create)));
        run(&mut tally, 10, Some((Side::Client, Phase::Handshake(0))));
        run(&mut tally, 20, Some((Side::Server, Phase::Handshake(0))));
        run(&mut tally, 40, Some((Side::Client, Phase::Handshake(1))));
        run(&mut tally, 80, None);
        run(&mut tally, 160, Some((Side::Server, Phase::Free)));
        run(&mut tally, 320, None);
        let instructions = |count: Count| count.instructions;
        let (client, server) = (tally.side(Side::Client), tally.side(Side::Server));
        assert_eq!(instructions(client.phases.create), 10);
        assert_eq!(instructions(client.phases.handshake), 100);
        assert_eq!(client.handshake_calls.iter().copied().map(instructions).collect::<Vec<_>>(), [20, 80]);
        assert_eq!((instructions(server.phases.handshake), instructions(server.phases.free)), (40, 320));
        assert_eq!((client.marks, server.marks), (3, 2));
        assert_eq!(instructions(client.phases.total()) + instructions(server.phases.total()), 470);
    }
}
