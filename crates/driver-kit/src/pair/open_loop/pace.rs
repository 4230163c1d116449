//! Determines which arrivals are due, the response time of each, and when a slice is over. It reads no clock:
//! every time is an argument, so that it works in real and in virtual time alike.

use tlslab_protocol::{Arrivals, Latencies, OpenLoop};

use super::schedule::Schedule;

/// The most connections that are open at once. Further ones wait at the client, and that time counts.
pub(super) const MOST_OPEN: usize = 100;
/// How long arrivals are served after the last one was due: this share of the schedule's length, and at least
/// the next constant, ns.
const GRACE: f64 = 0.25;
const LEAST_GRACE_NS: f64 = 100e6;

/// The parameters of a schedule.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub rate: u32,
    pub arrivals: Arrivals,
    pub seed: u64,
    /// The number of arrivals that come first and are not counted.
    pub before: u64,
    /// The number of counted arrivals.
    pub counted: u64,
}

/// The state of a slice. Times are ns from the schedule's beginning.
pub(super) struct Pace {
    times_ns: Vec<u64>,
    before: usize,
    gap_ns: f64,
    deadline_ns: u64,
    next: usize,
    open: usize,
    served: u64,
    late_ns: u64,
    counts: Vec<u64>,
}

impl Pace {
    pub(super) fn new(asked: Asked) -> Self {
        let Asked { rate, arrivals, seed, before, counted } = asked;
        let schedule = Schedule::new(rate, arrivals, seed);
        let gap_ns = schedule.gap_ns();
        let times_ns: Vec<u64> = schedule.take((before + counted) as usize).collect();
        let (first, last) = (times_ns.get(before as usize), times_ns.last());
        let arriving_ns = last.zip(first).map_or(0, |(last, first)| last - first) as f64 + gap_ns;
        let grace_ns = (GRACE * arriving_ns).max(LEAST_GRACE_NS);
        Self {
            deadline_ns: last.copied().unwrap_or_default() + grace_ns as u64,
            times_ns,
            before: before as usize,
            gap_ns,
            next: 0,
            open: 0,
            served: 0,
            late_ns: 0,
            counts: vec![0; Latencies::BUCKETS],
        }
    }

    /// The number of the next arrival, if it is due and can be started.
    #[inline]
    pub(super) fn due(&mut self, now_ns: u64) -> Option<usize> {
        let intended_ns = *self.times_ns.get(self.next)?;
        if now_ns < intended_ns || self.open >= MOST_OPEN || now_ns >= self.deadline_ns {
            return None;
        }
        self.next += 1;
        self.open += 1;
        Some(self.next - 1)
    }

    /// Whether an arrival counts.
    pub(super) fn counts(&self, arrival: usize) -> bool {
        arrival >= self.before
    }

    /// When the first counted arrival is due.
    pub(super) fn first_ns(&self) -> u64 {
        self.times_ns.get(self.before).copied().unwrap_or_default()
    }

    /// Records that an arrival, started at `begun_ns`, is served now. Returns its response time, ns.
    pub(super) fn served(&mut self, arrival: usize, begun_ns: u64, now_ns: u64) -> u64 {
        let response_ns = now_ns - self.times_ns[arrival];
        if self.counts(arrival) {
            self.served += 1;
            self.late_ns += begun_ns - self.times_ns[arrival];
            self.counts[Latencies::bucket(response_ns) as usize] += 1;
        }
        response_ns
    }

    /// Records that a connection is closed.
    pub(super) fn closed(&mut self) {
        self.open -= 1;
    }

    /// Whether all connections are closed and no more will come, or the time is up.
    #[inline]
    pub(super) fn is_over(&self, now_ns: u64) -> bool {
        self.next == self.times_ns.len() && self.open == 0 || now_ns >= self.deadline_ns
    }

    /// The result for the counted arrivals.
    pub(super) fn result(&self, client_busy_ns: u64, server_busy_ns: u64) -> OpenLoop {
        let last_ns = self.times_ns.last().copied().unwrap_or_default();
        let buckets = (0..).zip(&self.counts).filter(|(_, count)| **count > 0);
        OpenLoop {
            served: self.served,
            span_ns: last_ns.saturating_sub(self.first_ns()) + self.gap_ns as u64,
            client_busy_ns,
            server_busy_ns,
            late_ns: self.late_ns,
            responses: Latencies { counts: buckets.map(|(bucket, count)| (bucket, *count)).collect() },
        }
    }
}
