//! Both sides of a connection in one process, each side's calls attributed to it.

mod channel;
mod concurrent;
mod contexts;
mod ends;
mod first_stop;
mod handshake;
mod held;
mod link;
mod once;
mod open_loop;
mod pipe;
mod pipes;
mod prepared;
mod relay;
mod request;
mod sessions;
mod stopped;
mod tap;
mod threads;
pub(crate) mod verify;
mod work;
mod worker;

use tlslab_protocol::{ContextUse, Measurement, Side, Start};

use crate::Endpoint;
use crate::timing::meter::{Laps, Meter};
use crate::timing::phase::Phase;
use crate::timing::turn::Turn;
pub(crate) use contexts::{Contexts, Place};
pub(crate) use ends::{Ends, free};
pub(crate) use pipes::{Pipes, pattern, placed_buffer};
pub(crate) use prepared::Pair;
pub(crate) use stopped::Stopped;
pub(crate) use tap::Wiretap;
pub(crate) use worker::{Connected, Worker};

impl<E: Endpoint> Pair<'_, E> {
    /// Does the work as a turn requests.
    pub(crate) fn measure(&mut self, turn: Turn) -> Result<Vec<Measurement>, String> {
        if self.scenario.start == Start::Cold {
            if !self.contexts.is_empty() || turn.iterations > 1 || turn.slices > 1 || turn.warm_up.is_some() {
                return Err("a cold start happens once in a process; start another".to_owned());
            }
            return self.measure_cold();
        }
        if self.scenario.context == ContextUse::Fresh {
            return self.measure_with_fresh_contexts(turn);
        }
        if self.scenario.threads > 1 {
            return threads::measure(self, turn);
        }
        let place = self.contexts[0].place(self.endpoint);
        if self.scenario.rate > 0 {
            return open_loop::measure(&mut self.workers[0], place, &self.scenario, self.seed, turn);
        }
        if self.scenario.concurrent {
            return concurrent::measure(&mut self.workers[0], place, turn);
        }
        self.workers[0].measure(place, &self.scenario, turn)
    }

    /// Does the work a number of times, without a warm-up.
    pub(crate) fn slice(&mut self, iterations: u64) -> Result<Measurement, String> {
        self.measure(Turn::of(iterations)).map(|mut slices| slices.remove(0))
    }

    /// Makes the first contexts and the first connection of the process.
    fn measure_cold(&mut self) -> Result<Vec<Measurement>, String> {
        let mut laps = Laps::start();
        let done = Turn::of(1).run(1, &mut laps, |_, laps| {
            let contexts = Contexts::make(self.endpoint, &self.scenario, &self.material, laps)?;
            self.contexts.push(contexts);
            let place = self.contexts[0].place(self.endpoint);
            let (ends, sent) = self.workers[0].connect(place, laps, &mut ())?;
            free(ends, laps);
            Ok::<_, String>(sent)
        })?;
        Ok(Turn::of(1).measurements(done, &laps, [[0; 2]; 2]))
    }

    fn measure_with_fresh_contexts(&mut self, turn: Turn) -> Result<Vec<Measurement>, String> {
        let mut laps = Laps::start();
        let done = turn.run(1, &mut laps, |_, laps| self.once_with_own_contexts(laps, &mut ()))?;
        Ok(turn.measurements(done, &laps, [[0; 2]; 2]))
    }

    /// Makes a connection from contexts of its own, which are freed after it. Returns the bytes that each
    /// side put on the wire, the client's first.
    pub(crate) fn once_with_own_contexts<M: Meter, W: Wiretap>(
        &mut self,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<[u64; 2], String> {
        let contexts = Contexts::make(self.endpoint, &self.scenario, &self.material, meter)?;
        let (ends, sent) = self.workers[0].connect(contexts.place(self.endpoint), meter, tap)?;
        free(ends, meter);
        meter.enter(Side::Client, Phase::Free);
        drop(contexts.client);
        meter.enter(Side::Server, Phase::Free);
        drop(contexts.server);
        meter.leave();
        Ok(sent)
    }
}
