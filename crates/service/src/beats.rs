//! Whether the loops of a service are alive.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When each loop of a service was last alive.
#[derive(Default)]
pub(crate) struct Beats(Mutex<BTreeMap<&'static str, (Instant, Duration)>>);

impl Beats {
    /// A loop is alive, and beats again within a time.
    pub(crate) fn beat(&self, name: &'static str, within: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, (Instant::now(), within));
    }

    /// Loops that have not beaten in time, and for how many seconds.
    pub(crate) fn late(&self) -> Vec<(&'static str, u64)> {
        let beats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let late = beats.iter().filter(|(_, (last, within))| last.elapsed() > *within);
        late.map(|(name, (last, _))| (*name, last.elapsed().as_secs())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_does_not_beat_is_late() {
        let beats = Beats::default();
        beats.beat("inbox", Duration::from_secs(60));
        beats.beat("outbox", Duration::ZERO);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(beats.late(), [("outbox", 0)]);
        beats.beat("outbox", Duration::from_secs(60));
        assert_eq!(beats.late(), []);
    }
}
