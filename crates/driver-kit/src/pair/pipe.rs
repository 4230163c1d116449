//! A channel for bytes between threads, in memory.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::Buffer;
use crate::timing::clock::now_ns;

/// How long a reader waits before it gives up, ns.
const MOST_WAIT_NS: u64 = 10_000_000_000;

/// One direction. A reader without input spins, so that the other side's bytes are processed at once; both
/// sides need a processor of their own.
#[derive(Default)]
pub(super) struct Pipe {
    bytes: Mutex<Vec<u8>>,
    waiting: AtomicUsize,
}

impl Pipe {
    /// Appends bytes.
    pub(super) fn push(&self, bytes: &[u8]) {
        // A poisoned lock means that the other side panicked; the bytes are still complete.
        let mut queue = self.bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        queue.extend_from_slice(bytes);
        self.waiting.store(queue.len(), Ordering::Release);
    }

    /// Takes the available bytes, and returns whether there were any.
    pub(super) fn take(&self, into: &mut Buffer) -> bool {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return false;
        }
        let mut queue = self.bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        into.append(&queue);
        queue.clear();
        self.waiting.store(0, Ordering::Release);
        true
    }

    /// Waits until bytes are available and takes them, or until `over` says that none will come. Returns
    /// whether bytes came.
    pub(super) fn wait(&self, into: &mut Buffer, over: &AtomicBool) -> bool {
        wait_until(|| self.take(into) || over.load(Ordering::Acquire));
        // Bytes pushed before the end still have to be taken.
        !into.is_empty() || self.take(into)
    }
}

/// Spins until a condition holds; gives up after ten seconds and returns false.
pub(super) fn wait_until(mut holds: impl FnMut() -> bool) -> bool {
    let start_ns = now_ns();
    let mut turns = 0_u32;
    while !holds() {
        std::hint::spin_loop();
        turns = turns.wrapping_add(1);
        if turns.is_multiple_of(4096) {
            if now_ns() - start_ns > MOST_WAIT_NS {
                return false;
            }
            // If there is only one processor, the other side needs it.
            std::thread::yield_now();
        }
    }
    true
}
