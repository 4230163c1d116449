//! Retention times, and the loop that deletes older data: in small batches, so that nobody waits for it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tlslab_lab::{Keep, Pruned, prune_rows};
use tlslab_queue::{Kept, QueueError};
use tlslab_record::HistoryPolicy;

use crate::config::KeepConfig;
use crate::log::log;
use crate::loops::is_due;
use crate::service::Service;

/// Jobs and deliveries whose rows are deleted in one transaction.
const JOBS: u32 = 20;
const DELIVERIES: u32 = 200;
/// Between two batches: others write meanwhile.
const BETWEEN: Duration = Duration::from_millis(50);
/// Between two checks when nothing was old.
const EACH_MS: u64 = 3_600 * 1_000;

const DAY_MS: u64 = 24 * 3_600 * 1_000;

impl KeepConfig {
    /// The kinds of data, their age in ms, and their batch size.
    fn of_queue(&self) -> impl Iterator<Item = (Kept, u64, u32)> {
        let all = [
            (Kept::Deliveries, self.deliveries_days, DELIVERIES),
            (Kept::Logs, self.logs_days, JOBS),
            (Kept::Results, self.results_days, JOBS),
            (Kept::Jobs, self.jobs_days, JOBS),
        ];
        all.into_iter().filter_map(|(kept, days, most)| Some((kept, u64::from(days?) * DAY_MS, most)))
    }
}

/// Deletes one batch of each kind that is old; whether there was one. After a round without any it looks
/// again in an hour.
pub(crate) fn delete_old(service: &Service) -> Result<bool, QueueError> {
    let now = service.now_unix_ms();
    if !is_due(&service.kept_until, now, EACH_MS) {
        return Ok(false);
    }
    let mut deleted = 0;
    for (kept, older_than_ms, most) in service.config.keep.of_queue() {
        deleted += service.queue(|queue| queue.delete_some(kept, older_than_ms, most))?;
        service.pause(BETWEEN);
    }
    if deleted > 0 {
        return Ok(true);
    }
    if let Some(days) = service.config.keep.samples_days {
        delete_samples(service, days);
    }
    service.kept_until.store(now + EACH_MS, Ordering::Relaxed);
    Ok(false)
}

/// Deletes the samples of older runs as `tlslab prune` does: each run is a transaction, and runs with which a
/// history begins, ends or changes keep theirs. Failures are tried again in an hour.
fn delete_samples(service: &Service, days: u32) {
    let done = || -> anyhow::Result<usize> {
        let mut store = tlslab_store::open(service.pool.address())?;
        let keep = Keep { newest: None, days: Some(u64::from(days)), now_unix_ms: service.now_unix_ms() };
        let mut runs = 0;
        let mut count = |_: &str, pruned: Pruned| runs += usize::from(matches!(pruned, Pruned::Deleted(_)));
        prune_rows(&mut *store, keep, false, &HistoryPolicy::default(), &mut count)?;
        Ok(runs)
    };
    match done() {
        Ok(0) => {}
        Ok(runs) => log(&format!("samples of {} were deleted", tlslab_text::number::counted(runs, "run"))),
        Err(cause) => log(&format!("samples are not deleted: {cause:#}; trying again in an hour")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_today_is_kept_stays_kept() {
        let kept: Vec<_> = KeepConfig::default().of_queue().collect();
        let days = 90 * DAY_MS;
        assert_eq!(kept, [(Kept::Deliveries, days, DELIVERIES), (Kept::Logs, days, JOBS)]);
    }
}
