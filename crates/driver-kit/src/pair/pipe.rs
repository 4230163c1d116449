//! A way for bytes from one thread to another, in memory.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::Buffer;
use crate::timing::clock::now_ns;

/// How long a reader waits before it gives up.
const MOST_WAIT_NS: u64 = 10_000_000_000;

/// One direction. A reader that finds nothing spins, so that the other side's bytes are taken up at once;
/// both sides need a processor of their own.
#[derive(Default)]
pub(super) struct Pipe {
    bytes: Mutex<Vec<u8>>,
    waiting: AtomicUsize,
}

impl Pipe {
    /// Appends bytes.
    pub(super) fn push(&self, bytes: &[u8]) {
        // A poisoned lock means that the other side panicked; the bytes are still whole.
        let mut queue = self.bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        queue.extend_from_slice(bytes);
        self.waiting.store(queue.len(), Ordering::Release);
    }

    /// Takes what is there, if anything.
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

    /// Takes what is there once anything is, or once `over` says that nothing will come. Returns whether
    /// bytes came.
    pub(super) fn wait(&self, into: &mut Buffer, over: &AtomicBool) -> bool {
        wait_until(|| self.take(into) || over.load(Ordering::Acquire));
        // What was pushed before it was over is still to be taken.
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
            // Where there is but one processor, the other side needs it.
            std::thread::yield_now();
        }
    }
    true
}
