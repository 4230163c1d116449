//! The memory of the scenario's work.

use tlslab_protocol::{ContextUse, ContextWeight, Scenario, Side, Sides, Start, Weighing, Work};

use super::heap::Heap;
use super::meter::{Fingerprint, MemoryMeter};
use super::stack::Stack;
use crate::pair::{Contexts, Ends, Pair};
use crate::{Endpoint, Material, Unready};

/// Unweighed iterations before the first: a library's one-time setup happens in them.
const WARM_UP: u64 = 4;

/// The reason why a scenario is not weighed, if any.
pub(crate) fn hole(scenario: &Scenario) -> Option<String> {
    let what = match scenario {
        _ if scenario.processors() > 1 => "threads of its own",
        _ if scenario.start == Start::Cold => "a cold start",
        _ if scenario.context == ContextUse::Fresh => "contexts for each connection",
        _ => return None,
    };
    Some(format!("memory is weighed in one thread of a warm process, and the scenario has {what}"))
}

/// The memory of the first contexts in the process, and of further ones.
pub(crate) fn contexts<E: Endpoint>(
    endpoint: &E,
    scenario: &Scenario,
    material: &Material,
    heap: Heap,
) -> Result<Sides<ContextWeight>, Unready> {
    let mut memory = MemoryMeter::start(heap, 0, None);
    let first = Contexts::make(endpoint, scenario, material, &mut memory)?;
    let of_first = memory.take();
    let further = Contexts::make(endpoint, scenario, material, &mut memory)?;
    let of_further = memory.take();
    drop((first, further));
    let weight =
        |side| ContextWeight { first: of_first.side(side).left, further: of_further.side(side).left };
    Ok(Sides { client: weight(Side::Client), server: weight(Side::Server) })
}

impl<E: Endpoint> Pair<'_, E> {
    /// Does the work `iterations` times after some unweighed ones, or holds its connections open.
    pub(crate) fn weigh(&mut self, heap: Heap, iterations: u32) -> Result<Weighing, String> {
        let work = self.scenario.work;
        let inline_bytes = self.endpoint.inline_bytes();
        let mut wire = Fingerprint::new();
        let mut weighing = Weighing::default();
        self.slice(WARM_UP)?;
        let (place, worker) = self.first()?;
        if let Work::Idle { connections } = work {
            let mut memory = MemoryMeter::start(heap, inline_bytes, None);
            let mut held: Vec<Ends<E>> = Vec::with_capacity(connections as usize);
            for count in counts(connections) {
                while held.len() < count as usize {
                    held.push(worker.connect(place, &mut memory, &mut wire)?.0);
                }
                weighing.held.push(memory.held(count));
            }
        } else {
            let mut memory = MemoryMeter::start(heap, inline_bytes, Some(Stack::find()?));
            for _ in 0..iterations {
                worker.once(place, work, &mut memory, &mut wire)?;
                weighing.iterations.push(memory.take());
            }
        }
        weighing.wire = wire.text();
        Ok(weighing)
    }
}

/// A hundredth, a tenth and all of them; without repetition and without 0.
fn counts(connections: u32) -> Vec<u32> {
    let mut counts = vec![connections / 100, connections / 10, connections];
    counts.dedup();
    counts.retain(|count| *count > 0);
    counts
}
