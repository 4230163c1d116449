//! Counts what the library's calls ask of the kernel: system calls, page faults, growth of the heap.
//!
//! Every system call of the process raises a signal whose handler counts it and then makes it. Page faults
//! are those of the thread between two marks. Nothing is timed in such a process.

mod log;
mod meter;
mod names;
mod registers;
mod tables;
mod trap;

use tlslab_protocol::{ContextUse, KernelPhases, KernelWork, Scenario, Sides, Start, Transport, Work};

use crate::Endpoint;
use crate::memory::meter::Fingerprint;
use crate::pair::{Contexts, Pair};
use crate::prepared_primitive::PreparedPrimitive;
use crate::timing::meter::{Meter, Silent};
use log::Log;
use meter::KernelMeter;
pub(crate) use trap::Trap;

/// The most iterations that one request may ask for.
pub(crate) const MOST_ITERATIONS: u32 = 4096;
/// Uncounted iterations before the first: caches of the library and the heap reach their steady state.
const WARM_UP: u64 = 64;
/// Uncounted pairs of contexts, until the heap has room for them.
const FIRST_CONTEXTS: u32 = 16;
/// Pairs of contexts that are counted.
const CONTEXTS: u32 = 4;

/// The reason why a scenario is not counted, if any.
pub(crate) fn hole(scenario: &Scenario) -> Option<String> {
    let what = match scenario {
        _ if scenario.processors() > 1 => "threads of its own",
        _ if scenario.start == Start::Cold => "a cold start",
        _ if scenario.transport == Transport::Loopback => "sockets, whose system calls are the kit's",
        _ if matches!(scenario.work, Work::Idle { .. }) => "connections that are idle",
        _ => return None,
    };
    Some(format!("system calls are counted in one thread of a warm process, and the scenario has {what}"))
}

impl<E: Endpoint> Pair<'_, E> {
    /// Does the work `iterations` times, after some uncounted ones.
    pub(crate) fn kernel(&mut self, trap: Trap, iterations: u32) -> Result<KernelWork, String> {
        let mut wire = Fingerprint::new();
        let mut meter = KernelMeter::start(trap, Log::with_room());
        if self.scenario.context == ContextUse::Fresh {
            for _ in 0..WARM_UP {
                self.once_with_own_contexts(&mut Silent, &mut wire)?;
            }
            for _ in 0..iterations {
                self.once_with_own_contexts(&mut meter, &mut wire)?;
                meter.end_iteration()?;
            }
            return Ok(KernelWork { iterations: meter.finish(iterations), contexts: Vec::new() });
        }
        let work = self.scenario.work;
        let (place, worker) = self.first()?;
        for _ in 0..WARM_UP {
            worker.once(place, work, &mut Silent, &mut wire)?;
        }
        for _ in 0..iterations {
            worker.once(place, work, &mut meter, &mut wire)?;
            meter.end_iteration()?;
        }
        let iterations = meter.finish(iterations);
        Ok(KernelWork { iterations, contexts: self.kernel_of_contexts(trap)? })
    }

    /// Makes further contexts, and frees each pair before the next.
    fn kernel_of_contexts(&self, trap: Trap) -> Result<Vec<Sides<KernelPhases>>, String> {
        let mut meter = KernelMeter::start(trap, Log::with_room());
        for _ in 0..FIRST_CONTEXTS {
            drop(self.further_contexts(&mut Silent)?);
        }
        for _ in 0..CONTEXTS {
            drop(self.further_contexts(&mut meter)?);
            meter.end_iteration()?;
        }
        Ok(meter.finish(CONTEXTS))
    }

    fn further_contexts<M: Meter>(&self, meter: &mut M) -> Result<Contexts<E>, String> {
        Contexts::make(self.endpoint, &self.scenario, &self.material, meter).map_err(String::from)
    }
}

impl PreparedPrimitive<'_> {
    /// Does the operation `iterations` times, after some uncounted ones.
    pub(crate) fn kernel(&mut self, trap: Trap, iterations: u32) -> Result<KernelWork, String> {
        let mut meter = KernelMeter::start(trap, Log::with_room());
        self.book(WARM_UP, &mut Silent)?;
        for _ in 0..iterations {
            self.book(1, &mut meter)?;
            meter.end_iteration()?;
        }
        Ok(KernelWork { iterations: meter.finish(iterations), contexts: Vec::new() })
    }
}
