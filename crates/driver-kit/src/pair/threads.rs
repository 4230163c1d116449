//! The work in several threads at once.

use std::sync::Barrier;
use std::thread;

use tlslab_protocol::{
    Latencies, Measurement, Scenario, SideMeasurement, ThreadMeasurement, WarmUp, WarmUpRule, WarmUpTimes,
};

use super::{Pair, Place, Worker};
use crate::Endpoint;
use crate::memory::placement::Gap;
use crate::timing::clock::now_ns;
use crate::timing::turn::Turn;

/// The work of one thread, and its time.
struct Done {
    measurement: Measurement,
    warm_up: Option<WarmUp>,
    start_ns: u64,
    end_ns: u64,
}

/// Does the work as a turn requests. Threads are started for each slice; those of the first do the warm-up.
pub(super) fn measure<E: Endpoint>(pair: &mut Pair<'_, E>, turn: Turn) -> Result<Vec<Measurement>, String> {
    let warm_up = |slice: u32| turn.warm_up.filter(|_| slice == 0);
    (0..turn.slices).map(|slice| one_slice(pair, turn.iterations, warm_up(slice))).collect()
}

/// The iterations of a slice, spread evenly over the threads. Each thread has a warm-up of its own.
fn one_slice<E: Endpoint>(
    pair: &mut Pair<'_, E>,
    iterations: u64,
    warm_up: Option<WarmUpRule>,
) -> Result<Measurement, String> {
    let Pair { endpoint, scenario, workers, contexts, .. } = pair;
    let (endpoint, scenario, count) = (*endpoint, &*scenario, workers.len() as u64);
    let gate = Barrier::new(workers.len());
    let done: Vec<Result<Done, String>> = thread::scope(|scope| {
        let started: Vec<_> = workers
            .iter_mut()
            .enumerate()
            .map(|(index, worker)| {
                // One context is shared, or each thread has its own.
                let place = contexts[index % contexts.len()].place(endpoint);
                let share = iterations / count + u64::from((index as u64) < iterations % count);
                let (gate, share) = (&gate, Turn { slices: 1, iterations: share, warm_up });
                scope.spawn(move || one_thread(worker, place, scenario, share, gate))
            })
            .collect();
        let joined = started.into_iter().map(|thread| thread.join());
        joined.map(|done| done.unwrap_or_else(|_| Err("a thread panicked".to_owned()))).collect()
    });
    let done = done.into_iter().collect::<Result<Vec<_>, _>>()?;
    let start_ns = done.iter().map(|done| done.start_ns).min().unwrap_or_default();
    let end_ns = done.iter().map(|done| done.end_ns).max().unwrap_or_default();
    Ok(Measurement {
        iterations,
        client: sum(done.iter().map(|done| &done.measurement.client)),
        server: sum(done.iter().map(|done| &done.measurement.server)),
        elapsed_ns: end_ns - start_ns,
        threads: done.iter().map(Done::share).collect(),
        warm_up: sum_of_warm_ups(done.iter().filter_map(|done| done.warm_up)),
        open_loop: None,
        faults: done.iter().map(|done| done.measurement.faults).sum(),
    })
}

fn one_thread<E: Endpoint>(
    worker: &mut Worker<E>,
    place: Place<'_, E>,
    scenario: &Scenario,
    turn: Turn,
    gate: &Barrier,
) -> Result<Done, String> {
    // A thread has a heap of its own.
    let _gap = Gap::here();
    // State that a library makes once per thread is made before the clock runs, and so is the warm-up: all
    // threads begin together.
    let before = worker.measure(place, scenario, Turn { iterations: 1, ..turn });
    gate.wait();
    let warm_up = before?.remove(0).warm_up;
    let start_ns = now_ns();
    let measurement = worker.measure(place, scenario, Turn { warm_up: None, ..turn })?.remove(0);
    Ok(Done { measurement, warm_up, start_ns, end_ns: now_ns() })
}

/// The warm-ups of all threads together. They ran side by side, so the longest is the duration.
fn sum_of_warm_ups(of_threads: impl Iterator<Item = WarmUp>) -> Option<WarmUp> {
    let plus = |a: WarmUpTimes, b: WarmUpTimes| WarmUpTimes {
        first_ns: a.first_ns.max(b.first_ns),
        total_ns: a.total_ns + b.total_ns,
    };
    of_threads.reduce(|a, b| WarmUp {
        iterations: a.iterations + b.iterations,
        elapsed_ns: a.elapsed_ns.max(b.elapsed_ns),
        client: plus(a.client, b.client),
        server: plus(a.server, b.server),
    })
}

impl Done {
    fn share(&self) -> ThreadMeasurement {
        ThreadMeasurement { iterations: self.measurement.iterations, elapsed_ns: self.end_ns - self.start_ns }
    }
}

fn sum<'a>(shares: impl Iterator<Item = &'a SideMeasurement>) -> SideMeasurement {
    let mut sum = SideMeasurement::default();
    let mut counts = std::collections::BTreeMap::new();
    for share in shares {
        let (to, from) = (&mut sum.phases, &share.phases);
        to.context_ns += from.context_ns;
        to.create_ns += from.create_ns;
        to.handshake_ns += from.handshake_ns;
        to.post_handshake_ns += from.post_handshake_ns;
        to.free_ns += from.free_ns;
        to.send_ns += from.send_ns;
        to.receive_ns += from.receive_ns;
        to.close_ns += from.close_ns;
        sum.clock_reads += share.clock_reads;
        sum.wire_bytes += share.wire_bytes;
        sum.plaintext_sent += share.plaintext_sent;
        sum.plaintext_received += share.plaintext_received;
        if sum.handshake_calls_ns.len() < share.handshake_calls_ns.len() {
            sum.handshake_calls_ns.resize(share.handshake_calls_ns.len(), 0);
        }
        for (to, from) in sum.handshake_calls_ns.iter_mut().zip(&share.handshake_calls_ns) {
            *to += from;
        }
        for (bucket, count) in &share.latencies.counts {
            *counts.entry(*bucket).or_insert(0) += count;
        }
    }
    sum.latencies = Latencies { counts: counts.into_iter().collect() };
    sum
}
