//! A lease that is renewed while a run is measured.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::StoreError;

/// How long the end of the thread is waited for if the database does not answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Renews a lease from a thread with a connection of its own, until it is dropped.
pub struct Renewal {
    lost: Arc<AtomicBool>,
    /// No message is sent: the thread ends when this end is dropped.
    running: Option<Sender<()>>,
    /// Likewise, when the thread has ended.
    ended: Receiver<()>,
}

impl Renewal {
    /// Renews it repeatedly. A failure of the database is retried; only a rejection loses the lease.
    pub(crate) fn start(
        every: Duration,
        mut renew: impl FnMut() -> Result<(), StoreError> + Send + 'static,
    ) -> Self {
        let lost = Arc::new(AtomicBool::new(false));
        let (running, stopped) = channel::<()>();
        let (end, ended) = channel::<()>();
        let flag = lost.clone();
        thread::spawn(move || {
            let _end = end;
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if renew().is_err_and(|cause| cause.is_refusal()) {
                    flag.store(true, Ordering::SeqCst);
                    return;
                }
            }
        });
        Self { lost, running: Some(running), ended }
    }

    /// Set when the lease is lost.
    #[must_use]
    pub fn lost(&self) -> Arc<AtomicBool> {
        self.lost.clone()
    }
}

impl Drop for Renewal {
    fn drop(&mut self) {
        drop(self.running.take());
        let _ = self.ended.recv_timeout(PATIENCE);
    }
}
