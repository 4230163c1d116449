//! A turn: repeats the work, first as a warm-up, then in measured slices.
//!
//! While another program used the processor, its caches, translation buffers and branch predictors lost this
//! one's state. The first iterations of a turn pay for that. They are the warm-up, which is reported
//! separately and is in no slice.

use tlslab_protocol::{Measurement, Side, SideMeasurement, WarmUp, WarmUpRule, WarmUpTimes};

use super::clock::now_ns;
use super::faults::page_faults;
use super::meter::{Booked, Laps};

/// The parameters of a turn.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// Measured slices.
    pub slices: u32,
    /// Iterations per slice.
    pub iterations: u64,
    /// The warm-up before the first slice, if any.
    pub warm_up: Option<WarmUpRule>,
}

/// The results of a turn's loop.
pub(crate) struct Done {
    /// The bookings of each slice, in order.
    pub slices: Vec<SliceDone>,
    /// The warm-up, if there was one.
    pub warm_up: Option<WarmUp>,
}

/// One slice.
pub(crate) struct SliceDone {
    pub booked: Booked,
    /// From the start of its first iteration to the end of its last, ns.
    pub elapsed_ns: u64,
    /// Bytes that each side put on the wire, the client's first.
    pub wire: [u64; 2],
    /// Page faults of the thread.
    pub faults: u64,
}

impl Turn {
    /// One slice without a warm-up.
    pub(crate) fn of(iterations: u64) -> Self {
        Self { slices: 1, iterations, warm_up: None }
    }

    /// Calls `work` with a number of iterations, up to `burst` at a time, until all are done. `work` returns
    /// the bytes that each side put on the wire, the client's first.
    pub(crate) fn run<E>(
        self,
        burst: u64,
        laps: &mut Laps,
        mut work: impl FnMut(u64, &mut Laps) -> Result<[u64; 2], E>,
    ) -> Result<Done, E> {
        // Nothing is allocated between the warm-up and the last slice.
        let mut slices = Vec::with_capacity(self.slices as usize);
        let warm_up = match self.warm_up {
            None => None,
            Some(rule) => Some(warm_up(rule, burst, laps, &mut work)?),
        };
        let mut faults_before = page_faults();
        for _ in 0..self.slices {
            let mut wire = [0; 2];
            let mut left = self.iterations;
            let before = *laps.booked();
            let start_ns = now_ns();
            while left > 0 {
                let count = burst.min(left);
                let sent = work(count, laps)?;
                wire = [wire[0] + sent[0], wire[1] + sent[1]];
                left -= count;
                // The clock is read once per burst, so its single iterations have no time.
                if burst == 1 {
                    laps.end_iteration();
                }
            }
            let elapsed_ns = now_ns() - start_ns;
            // The kernel is asked between two slices, on no clock.
            let faults = page_faults();
            let booked = laps.booked().since(&before);
            slices.push(SliceDone { booked, elapsed_ns, wire, faults: faults - faults_before });
            faults_before = page_faults();
        }
        Ok(Done { slices, warm_up })
    }

    /// The slices as in a reply. `plaintext` is what each side sent and received in one slice, the client's
    /// first. The times of single iterations are those of the whole turn, and are in its last slice.
    pub(crate) fn measurements(self, done: Done, laps: &Laps, plaintext: [[u64; 2]; 2]) -> Vec<Measurement> {
        let last = done.slices.len().saturating_sub(1);
        let mut warm_up = done.warm_up;
        let measurement = |(at, slice): (usize, SliceDone)| {
            let side = |side: Side| {
                let [plaintext_sent, plaintext_received] = plaintext[side as usize];
                SideMeasurement {
                    phases: slice.booked.phases(side),
                    clock_reads: slice.booked.reads(side),
                    wire_bytes: slice.wire[side as usize],
                    plaintext_sent,
                    plaintext_received,
                    handshake_calls_ns: slice.booked.handshake_calls_ns(side),
                    latencies: if at == last { laps.latencies(side) } else { Default::default() },
                }
            };
            Measurement {
                iterations: self.iterations,
                client: side(Side::Client),
                server: side(Side::Server),
                elapsed_ns: slice.elapsed_ns,
                threads: Vec::new(),
                warm_up: warm_up.take(),
                open_loop: None,
                faults: slice.faults,
            }
        };
        done.slices.into_iter().enumerate().map(measurement).collect()
    }
}

/// One iteration alone, then bursts for as long as the rule says.
fn warm_up<E>(
    rule: WarmUpRule,
    burst: u64,
    laps: &mut Laps,
    work: &mut impl FnMut(u64, &mut Laps) -> Result<[u64; 2], E>,
) -> Result<WarmUp, E> {
    let before = *laps.booked();
    let booked = |laps: &Laps| Side::BOTH.map(|side| laps.booked().since(&before).total_ns(side));
    let start_ns = now_ns();
    work(1, laps)?;
    let first_ns = booked(laps);
    let (mut iterations, mut elapsed_ns) = (1, now_ns() - start_ns);
    while rule.goes_on(iterations, elapsed_ns) {
        work(burst, laps)?;
        iterations += burst;
        elapsed_ns = now_ns() - start_ns;
    }
    laps.begin_iteration();
    let total_ns = booked(laps);
    let times =
        |side: Side| WarmUpTimes { first_ns: first_ns[side as usize], total_ns: total_ns[side as usize] };
    Ok(WarmUp { iterations, elapsed_ns, client: times(Side::Client), server: times(Side::Server) })
}
