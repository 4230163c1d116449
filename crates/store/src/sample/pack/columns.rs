//! The columns of samples. A sample's fields are destructured by name, so that none is forgotten.

use serde::{Deserialize, Serialize};
use tlslab_protocol::{
    Latencies, Measurement, OpenLoop, PhaseTimes, SideMeasurement, ThreadMeasurement, WarmUp, WarmUpTimes,
};
use tlslab_record::{PairSample, PairSide, Sample, Visit};

use super::lists::{Lists, MOST_SAMPLES, Numbers};

/// A struct whose columns can all be omitted.
macro_rules! columns {
    ($(#[$doc:meta])* $name:ident { $($column:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Default, Serialize, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name {
            $(#[serde(skip_serializing_if = "is_empty")] $column: $type,)*
        }

        impl IsEmpty for $name {
            fn is_empty(&self) -> bool {
                true $(&& self.$column.is_empty())*
            }
        }
    };
}

/// Whether there is nothing to write.
trait IsEmpty {
    fn is_empty(&self) -> bool;
}

impl IsEmpty for Numbers {
    fn is_empty(&self) -> bool {
        Numbers::is_empty(self)
    }
}

impl IsEmpty for Lists {
    fn is_empty(&self) -> bool {
        Lists::is_empty(self)
    }
}

fn is_empty(column: &impl IsEmpty) -> bool {
    column.is_empty()
}

columns! {
    /// From a side's measurements.
    SideColumns {
        context_ns: Numbers,
        create_ns: Numbers,
        handshake_ns: Numbers,
        post_handshake_ns: Numbers,
        free_ns: Numbers,
        send_ns: Numbers,
        receive_ns: Numbers,
        close_ns: Numbers,
        operation_ns: Numbers,
        clock_reads: Numbers,
        wire_bytes: Numbers,
        plaintext_sent: Numbers,
        plaintext_received: Numbers,
        handshake_calls_ns: Lists,
        // The numbers of the buckets, as differences.
        latency_buckets: Lists,
        latency_counts: Lists,
    }
}

columns! {
    /// From a sample's warm-up; without iterations the sample has no warm-up.
    WarmUpColumns {
        iterations: Numbers,
        elapsed_ns: Numbers,
        client_first_ns: Numbers,
        client_total_ns: Numbers,
        server_first_ns: Numbers,
        server_total_ns: Numbers,
    }
}

columns! {
    /// From a sample's arrivals; without a span the sample has no arrivals.
    OpenLoopColumns {
        served: Numbers,
        span_ns: Numbers,
        client_busy_ns: Numbers,
        server_busy_ns: Numbers,
        late_ns: Numbers,
        // As in a side's columns.
        response_buckets: Lists,
        response_counts: Lists,
    }
}

/// From a visit's samples.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SampleColumns {
    count: usize,
    #[serde(skip_serializing_if = "is_empty")]
    block: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    place: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    stack: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    iterations: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    elapsed_ns: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    client: SideColumns,
    #[serde(skip_serializing_if = "is_empty")]
    server: SideColumns,
    #[serde(skip_serializing_if = "is_empty")]
    thread_iterations: Lists,
    #[serde(skip_serializing_if = "is_empty")]
    thread_elapsed_ns: Lists,
    #[serde(skip_serializing_if = "is_empty")]
    warm_up: WarmUpColumns,
    #[serde(skip_serializing_if = "is_empty")]
    open_loop: OpenLoopColumns,
    #[serde(skip_serializing_if = "is_empty")]
    faults: Numbers,
}

/// From a visit's samples of pairs.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PairColumns {
    count: usize,
    #[serde(skip_serializing_if = "is_empty")]
    block: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    place: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    client_stack: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    server_stack: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    iterations: Numbers,
    #[serde(skip_serializing_if = "is_empty")]
    client: SideColumns,
    #[serde(skip_serializing_if = "is_empty")]
    server: SideColumns,
}

impl WarmUpColumns {
    fn of(samples: &[Sample]) -> Self {
        let numbers = |number: fn(&WarmUp) -> u64| {
            Numbers::of(samples.iter(), |sample| sample.measurement.warm_up.as_ref().map_or(0, number))
        };
        Self {
            iterations: numbers(|warm_up| warm_up.iterations),
            elapsed_ns: numbers(|warm_up| warm_up.elapsed_ns),
            client_first_ns: numbers(|warm_up| warm_up.client.first_ns),
            client_total_ns: numbers(|warm_up| warm_up.client.total_ns),
            server_first_ns: numbers(|warm_up| warm_up.server.first_ns),
            server_total_ns: numbers(|warm_up| warm_up.server.total_ns),
        }
    }

    fn rows(self, samples: usize) -> Result<Vec<Option<WarmUp>>, String> {
        let iterations = self.iterations.get(samples)?;
        let elapsed_ns = self.elapsed_ns.get(samples)?;
        let times = |first: Numbers, total: Numbers| -> Result<Vec<WarmUpTimes>, String> {
            let (first, total) = (first.get(samples)?, total.get(samples)?);
            let row = |at: usize| WarmUpTimes { first_ns: first[at], total_ns: total[at] };
            Ok((0..samples).map(row).collect())
        };
        let clients = times(self.client_first_ns, self.client_total_ns)?;
        let servers = times(self.server_first_ns, self.server_total_ns)?;
        let row = |index: usize| WarmUp {
            iterations: iterations[index],
            elapsed_ns: elapsed_ns[index],
            client: clients[index],
            server: servers[index],
        };
        Ok((0..samples).map(|index| (iterations[index] > 0).then(|| row(index))).collect())
    }
}

impl OpenLoopColumns {
    fn of(samples: &[Sample]) -> Self {
        let of = |sample: &'_ Sample| sample.measurement.open_loop.clone().unwrap_or_default();
        let all: Vec<OpenLoop> = samples.iter().map(of).collect();
        let numbers = |number: fn(&OpenLoop) -> u64| Numbers::of(all.iter(), number);
        Self {
            served: numbers(|open_loop| open_loop.served),
            span_ns: numbers(|open_loop| open_loop.span_ns),
            client_busy_ns: numbers(|open_loop| open_loop.client_busy_ns),
            server_busy_ns: numbers(|open_loop| open_loop.server_busy_ns),
            late_ns: numbers(|open_loop| open_loop.late_ns),
            response_buckets: Lists::of(all.iter().map(|open_loop| steps(&open_loop.responses))),
            response_counts: Lists::of(all.iter().map(|open_loop| counts(&open_loop.responses))),
        }
    }

    fn rows(self, samples: usize) -> Result<Vec<Option<OpenLoop>>, String> {
        let [served, span_ns, client_busy_ns, server_busy_ns, late_ns] =
            [self.served, self.span_ns, self.client_busy_ns, self.server_busy_ns, self.late_ns]
                .map(|column| column.get(samples));
        let (served, span_ns, late_ns) = (served?, span_ns?, late_ns?);
        let (client_busy_ns, server_busy_ns) = (client_busy_ns?, server_busy_ns?);
        let (buckets, counts) = (self.response_buckets.get(samples)?, self.response_counts.get(samples)?);
        let row = |at: usize| {
            let responses = joined(&buckets[at], &counts[at])?;
            let (served, span_ns, late_ns) = (served[at], span_ns[at], late_ns[at]);
            let (client_busy_ns, server_busy_ns) = (client_busy_ns[at], server_busy_ns[at]);
            Ok(OpenLoop { served, span_ns, client_busy_ns, server_busy_ns, late_ns, responses })
        };
        (0..samples).map(|at| (span_ns[at] > 0).then(|| row(at)).transpose()).collect()
    }
}

impl SideColumns {
    fn of(sides: &[&SideMeasurement]) -> Self {
        let numbers = |number: fn(&SideMeasurement) -> u64| Numbers::of(sides.iter().copied(), number);
        let lists = |list: fn(&SideMeasurement) -> Vec<u64>| Lists::of(sides.iter().map(|side| list(side)));
        Self {
            context_ns: numbers(|side| side.phases.context_ns),
            create_ns: numbers(|side| side.phases.create_ns),
            handshake_ns: numbers(|side| side.phases.handshake_ns),
            post_handshake_ns: numbers(|side| side.phases.post_handshake_ns),
            free_ns: numbers(|side| side.phases.free_ns),
            send_ns: numbers(|side| side.phases.send_ns),
            receive_ns: numbers(|side| side.phases.receive_ns),
            close_ns: numbers(|side| side.phases.close_ns),
            operation_ns: numbers(|side| side.phases.operation_ns),
            clock_reads: numbers(|side| side.clock_reads),
            wire_bytes: numbers(|side| side.wire_bytes),
            plaintext_sent: numbers(|side| side.plaintext_sent),
            plaintext_received: numbers(|side| side.plaintext_received),
            handshake_calls_ns: lists(|side| side.handshake_calls_ns.clone()),
            latency_buckets: lists(|side| steps(&side.latencies)),
            latency_counts: lists(|side| counts(&side.latencies)),
        }
    }

    fn rows(self, samples: usize) -> Result<Vec<SideMeasurement>, String> {
        let mut sides = vec![SideMeasurement::default(); samples];
        let mut put = |column: Numbers, place: fn(&mut SideMeasurement) -> &mut u64| {
            for (side, number) in sides.iter_mut().zip(column.get(samples)?) {
                *place(side) = number;
            }
            Ok::<_, String>(())
        };
        put(self.context_ns, |side| &mut side.phases.context_ns)?;
        put(self.create_ns, |side| &mut side.phases.create_ns)?;
        put(self.handshake_ns, |side| &mut side.phases.handshake_ns)?;
        put(self.post_handshake_ns, |side| &mut side.phases.post_handshake_ns)?;
        put(self.free_ns, |side| &mut side.phases.free_ns)?;
        put(self.send_ns, |side| &mut side.phases.send_ns)?;
        put(self.receive_ns, |side| &mut side.phases.receive_ns)?;
        put(self.close_ns, |side| &mut side.phases.close_ns)?;
        put(self.operation_ns, |side| &mut side.phases.operation_ns)?;
        put(self.clock_reads, |side| &mut side.clock_reads)?;
        put(self.wire_bytes, |side| &mut side.wire_bytes)?;
        put(self.plaintext_sent, |side| &mut side.plaintext_sent)?;
        put(self.plaintext_received, |side| &mut side.plaintext_received)?;
        let lists = [self.handshake_calls_ns, self.latency_buckets, self.latency_counts];
        let [calls, buckets, counts] = lists.map(|list| list.get(samples));
        let latencies = buckets?.into_iter().zip(counts?);
        for ((side, calls), (buckets, counts)) in sides.iter_mut().zip(calls?).zip(latencies) {
            side.handshake_calls_ns = calls;
            side.latencies = joined(&buckets, &counts)?;
        }
        Ok(sides)
    }
}

fn steps(latencies: &Latencies) -> Vec<u64> {
    let mut last = 0;
    let step = |(bucket, _): &(u32, u64)| {
        let step = bucket.wrapping_sub(last);
        last = *bucket;
        u64::from(step)
    };
    latencies.counts.iter().map(step).collect()
}

fn counts(latencies: &Latencies) -> Vec<u64> {
    latencies.counts.iter().map(|(_, count)| *count).collect()
}

fn joined(steps: &[u64], counts: &[u64]) -> Result<Latencies, String> {
    if steps.len() != counts.len() {
        return Err(format!("a pack has {} buckets with {} counts", steps.len(), counts.len()));
    }
    let mut bucket = 0_u32;
    let pair = |(step, count): (&u64, &u64)| {
        bucket = bucket.wrapping_add(u32::try_from(*step).map_err(|_| "a pack has an invalid bucket")?);
        Ok((bucket, *count))
    };
    let counts = steps.iter().zip(counts).map(pair).collect::<Result<_, &str>>();
    Ok(Latencies { counts: counts? })
}

impl SampleColumns {
    /// From these.
    pub(super) fn of(samples: &[Sample]) -> Self {
        let numbers = |number: fn(&Sample) -> u64| Numbers::of(samples.iter(), number);
        let sides = |side: fn(&Measurement) -> &SideMeasurement| {
            SideColumns::of(&samples.iter().map(|sample| side(&sample.measurement)).collect::<Vec<_>>())
        };
        let threads = |number: fn(&ThreadMeasurement) -> u64| {
            Lists::of(samples.iter().map(|sample| sample.measurement.threads.iter().map(number).collect()))
        };
        Self {
            count: samples.len(),
            block: numbers(|sample| sample.block.into()),
            place: numbers(|sample| sample.place.into()),
            stack: numbers(|sample| sample.stack as u64),
            iterations: Numbers::all(samples.iter().map(|sample| sample.measurement.iterations)),
            elapsed_ns: numbers(|sample| sample.measurement.elapsed_ns),
            client: sides(|measurement| &measurement.client),
            server: sides(|measurement| &measurement.server),
            thread_iterations: threads(|thread| thread.iterations),
            thread_elapsed_ns: threads(|thread| thread.elapsed_ns),
            warm_up: WarmUpColumns::of(samples),
            open_loop: OpenLoopColumns::of(samples),
            faults: numbers(|sample| sample.measurement.faults),
        }
    }

    /// Whether the column is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The samples, for this visit.
    pub(super) fn rows(self, visit: &Visit) -> Result<Vec<Sample>, String> {
        let n = checked(self.count, &self.iterations)?;
        let [block, place, stack, iterations, elapsed] =
            [self.block, self.place, self.stack, self.iterations, self.elapsed_ns]
                .map(|column| column.get(n));
        let (block, place, stack, iterations, elapsed) = (block?, place?, stack?, iterations?, elapsed?);
        let (clients, servers) = (self.client.rows(n)?, self.server.rows(n)?);
        let (thread_iterations, thread_elapsed) =
            (self.thread_iterations.get(n)?, self.thread_elapsed_ns.get(n)?);
        let warm_ups = self.warm_up.rows(n)?;
        let mut open_loops = self.open_loop.rows(n)?;
        let faults = self.faults.get(n)?;
        let mut samples = Vec::with_capacity(n);
        for (index, (client, server)) in clients.into_iter().zip(servers).enumerate() {
            let threads = thread_iterations[index].iter().zip(&thread_elapsed[index]);
            samples.push(Sample {
                round: visit.round,
                scenario: visit.scenario,
                attempt: visit.attempt,
                block: small(block[index])?,
                place: small(place[index])?,
                stack: stack[index] as usize,
                measurement: Measurement {
                    iterations: iterations[index],
                    client,
                    server,
                    elapsed_ns: elapsed[index],
                    threads: threads
                        .map(|(iterations, elapsed_ns)| ThreadMeasurement {
                            iterations: *iterations,
                            elapsed_ns: *elapsed_ns,
                        })
                        .collect(),
                    warm_up: warm_ups[index],
                    open_loop: open_loops[index].take(),
                    faults: faults[index],
                },
            });
        }
        Ok(samples)
    }
}

impl PairColumns {
    /// From these.
    pub(super) fn of(samples: &[PairSample]) -> Self {
        let numbers = |number: fn(&PairSample) -> u64| Numbers::of(samples.iter(), number);
        let sides = |side: usize| {
            let all: Vec<SideMeasurement> =
                samples.iter().map(|sample| measurement(sample.sides[side])).collect();
            SideColumns::of(&all.iter().collect::<Vec<_>>())
        };
        Self {
            count: samples.len(),
            block: numbers(|sample| sample.block.into()),
            place: numbers(|sample| sample.place.into()),
            client_stack: numbers(|sample| sample.client as u64),
            server_stack: numbers(|sample| sample.server as u64),
            iterations: Numbers::all(samples.iter().map(|sample| sample.iterations)),
            client: sides(0),
            server: sides(1),
        }
    }

    /// Whether the column is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The samples, for this visit.
    pub(super) fn rows(self, visit: &Visit) -> Result<Vec<PairSample>, String> {
        let n = checked(self.count, &self.iterations)?;
        let [block, place, client, server, iterations] =
            [self.block, self.place, self.client_stack, self.server_stack, self.iterations]
                .map(|column| column.get(n));
        let (block, place, client, server, iterations) = (block?, place?, client?, server?, iterations?);
        let sides = self.client.rows(n)?.into_iter().zip(self.server.rows(n)?);
        let sample = |(index, (first, second)): (usize, (SideMeasurement, SideMeasurement))| {
            Ok(PairSample {
                round: visit.round,
                scenario: visit.scenario,
                attempt: visit.attempt,
                block: small(block[index])?,
                place: small(place[index])?,
                client: client[index] as usize,
                server: server[index] as usize,
                iterations: iterations[index],
                sides: [pair_side(first), pair_side(second)],
            })
        };
        sides.enumerate().map(sample).collect()
    }
}

fn measurement(side: PairSide) -> SideMeasurement {
    let PairSide { phases, clock_reads, wire_bytes } = side;
    SideMeasurement { phases, clock_reads, wire_bytes, ..SideMeasurement::default() }
}

fn pair_side(side: SideMeasurement) -> PairSide {
    PairSide { phases: side.phases, clock_reads: side.clock_reads, wire_bytes: side.wire_bytes }
}

/// The fields of a side's columns: a field added elsewhere must get a column here.
const _: fn(SideMeasurement) = |SideMeasurement {
                                    phases:
                                        PhaseTimes {
                                            context_ns: _,
                                            create_ns: _,
                                            handshake_ns: _,
                                            post_handshake_ns: _,
                                            free_ns: _,
                                            send_ns: _,
                                            receive_ns: _,
                                            close_ns: _,
                                            operation_ns: _,
                                        },
                                    clock_reads: _,
                                    wire_bytes: _,
                                    plaintext_sent: _,
                                    plaintext_received: _,
                                    handshake_calls_ns: _,
                                    latencies: _,
                                }| ();

/// The only column that is never omitted, so that a damaged count cannot request more memory than the pack
/// has numbers.
fn checked(count: usize, iterations: &Numbers) -> Result<usize, String> {
    if count != iterations.len() {
        return Err(format!("a pack has {count} samples with {} numbers of iterations", iterations.len()));
    }
    if count > MOST_SAMPLES {
        return Err(format!("a pack has {count} samples; at most {MOST_SAMPLES} are read"));
    }
    Ok(count)
}

fn small(number: u64) -> Result<u32, String> {
    u32::try_from(number).map_err(|_| format!("a pack has block or place {number}"))
}
