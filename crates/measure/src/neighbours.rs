//! Measures whether a stack's time depends on the program that used the processor before it.
//!
//! The stack works a turn after a turn of its own, after one of each neighbour, and without a break, in
//! random order and within milliseconds, so that drift on the host affects all alike.

use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use tlslab_pki::Pki;
use tlslab_protocol::{Measurement, Scenario, Side, Sides};
use tlslab_record::{Arrangement, Placement, Slicing, Visit};

use crate::requests::{Asked, hello};
use crate::schedule::Schedule;
use crate::time_bounds::TimeBounds;
use crate::visit::{Participant, Terms, settles_ns};
use crate::{DriverFailure, DriverProgram, Launch, Talk};

/// A stack and its neighbours, in fresh processes.
pub struct Neighbourhood<'a> {
    /// The work.
    pub scenario: &'a Scenario,
    /// The keys and certificates.
    pub pki: &'a Pki,
    /// How drivers are started.
    pub launch: &'a dyn Launch,
    /// How long turns and slices are.
    pub slicing: Slicing,
    /// The time limit of a driver's answer.
    pub timeout: Duration,
    /// The stack under test.
    pub stack: DriverProgram<'a>,
    /// Programs that use the processor before it.
    pub neighbours: &'a [DriverProgram<'a>],
    /// The memory placement of the processes.
    pub placement: Placement,
    /// How often each of the orders is tried.
    pub cycles: u32,
    /// The seed of their order.
    pub seed: u64,
}

/// The stack's time per iteration in one cycle, ns.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// Its own work without a break.
    pub in_one_piece: Contrast,
    /// After a turn of each neighbour.
    pub beside: Vec<Contrast>,
}

/// Two turns of the stack, one right after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contrast {
    /// The measured pairs.
    pub looked_at: Sides<f64>,
    /// A turn after one of its own, as if no other stack took part.
    pub alone: Sides<f64>,
}

/// A program that failed: 0 for the stack, then its neighbours.
#[derive(Debug)]
pub struct NeighbourFailure {
    /// The program.
    pub program: usize,
    /// The failure.
    pub failure: DriverFailure,
}

#[derive(Clone, Copy)]
enum Order {
    InOnePiece,
    Beside(usize),
}

impl Neighbourhood<'_> {
    /// Starts every process, tries all orders as often as there are cycles, and ends the processes.
    pub fn measure(&self) -> Result<Vec<Cycle>, NeighbourFailure> {
        let programs: Vec<DriverProgram<'_>> =
            std::iter::once(self.stack).chain(self.neighbours.iter().copied()).collect();
        let mut talks: Vec<(Box<dyn Talk>, u64)> = Vec::new();
        for (program, driver) in programs.iter().enumerate() {
            let failed = |failure| NeighbourFailure { program, failure };
            let placement = Schedule::new(self.seed).placement(self.placement, 0, program);
            let mut talk = self.launch.launch(DriverProgram { placement, ..*driver }).map_err(failed)?;
            let description = hello(talk.as_mut(), false, self.timeout).map_err(failed)?;
            talks.push((talk, settles_ns(&description.capabilities)));
        }
        let cycles = self.cycles(&programs, &mut talks)?;
        for (program, (talk, _)) in talks.into_iter().enumerate() {
            talk.end().map_err(|failure| NeighbourFailure { program, failure })?;
        }
        Ok(cycles)
    }

    fn cycles(
        &self,
        programs: &[DriverProgram<'_>],
        talks: &mut [(Box<dyn Talk>, u64)],
    ) -> Result<Vec<Cycle>, NeighbourFailure> {
        let which = Visit { round: 0, scenario: 0, attempt: 0, complete: false };
        let terms = Terms {
            which: &which,
            scenario: self.scenario,
            pki: self.pki,
            launch: self.launch,
            slicing: self.slicing,
            slot: Duration::ZERO,
            timeout: self.timeout,
            arrangement: Arrangement::Interleaved,
            pairs: &[],
            seed: 0,
            phase: 0,
        };
        let mut participants: Vec<Participant<'_>> = Vec::new();
        for (stack, (talk, settles_ns)) in talks.iter_mut().enumerate() {
            // An initial guess; the first slices of a process are a better estimate.
            let mut participant = Participant {
                stack,
                driver: programs[stack],
                talk: talk.as_mut(),
                iteration_ns: 1_000_000.0,
                settles_ns: *settles_ns,
                times: TimeBounds::default(),
            };
            for _ in 0..2 {
                terms
                    .warm_up(&mut participant)
                    .map_err(|failure| NeighbourFailure { program: stack, failure })?;
            }
            participants.push(participant);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut orders = vec![Order::InOnePiece];
        orders.extend((0..self.neighbours.len()).map(Order::Beside));
        let mut cycles = Vec::new();
        for _ in 0..self.cycles {
            let beside = vec![Contrast::default(); self.neighbours.len()];
            let mut cycle = Cycle { in_one_piece: Contrast::default(), beside };
            orders.shuffle(&mut rng);
            for order in &orders {
                let contrast = self.contrast(&terms, &mut participants, *order)?;
                match *order {
                    Order::InOnePiece => cycle.in_one_piece = contrast,
                    Order::Beside(neighbour) => cycle.beside[neighbour] = contrast,
                }
            }
            cycles.push(cycle);
        }
        Ok(cycles)
    }

    /// A neighbour's turn and two of the stack's own; or two of its own, of which the second is twice as
    /// long.
    fn contrast(
        &self,
        terms: &Terms<'_>,
        participants: &mut [Participant<'_>],
        order: Order,
    ) -> Result<Contrast, NeighbourFailure> {
        let mut turn = |program: usize, lengthened: u32| {
            let participant = &mut participants[program];
            let asked = terms.asked(participant, true);
            let asked = Asked { slices: lengthened * asked.slices, ..asked };
            terms.slices(participant, asked).map_err(|failure| NeighbourFailure { program, failure })
        };
        let sides = |slices: &[Measurement]| Sides {
            client: value(slices, Side::Client),
            server: value(slices, Side::Server),
        };
        match order {
            Order::Beside(neighbour) => {
                turn(1 + neighbour, 1)?;
                let looked_at = sides(&turn(0, 1)?);
                Ok(Contrast { looked_at, alone: sides(&turn(0, 1)?) })
            }
            Order::InOnePiece => {
                turn(0, 1)?;
                let slices = turn(0, 2)?;
                let (begun, unbroken) = slices.split_at(slices.len() / 2);
                Ok(Contrast { looked_at: sides(unbroken), alone: sides(begun) })
            }
        }
    }
}

/// One value of a turn's slices: their median, ns per iteration.
fn value(slices: &[Measurement], side: Side) -> f64 {
    let of_slice = |slice: &Measurement| {
        let side = if side == Side::Client { &slice.client } else { &slice.server };
        side.phases.total_ns() as f64 / slice.iterations as f64
    };
    let mut values: Vec<f64> = slices.iter().map(of_slice).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
