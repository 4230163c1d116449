//! The part of a run's budget that is spent.

use std::time::Instant;

/// The budget of a run, as far as it is spent.
pub(crate) struct Budget {
    last: Instant,
    pub spent_s: f64,
}

impl Budget {
    /// Continues with what was spent before.
    pub(crate) fn from(spent_s: f64) -> Self {
        Self { last: Instant::now(), spent_s }
    }

    /// Seconds since the last call, counted as spent.
    pub(crate) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let lap_s = (now - self.last).as_secs_f64();
        self.last = now;
        self.spent_s += lap_s;
        lap_s
    }
}
