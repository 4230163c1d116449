//! A count from outside: whoever instruments this process counts a number up that lies in its memory.

use std::sync::atomic::{AtomicPtr, Ordering};

static CELL: AtomicPtr<u64> = AtomicPtr::new(std::ptr::null_mut());

/// Called by the instrumenter, in this process: the number lies here from now on. Null takes it away again.
#[unsafe(no_mangle)]
pub extern "C" fn tlslab_counter_attach(cell: *mut u64) {
    CELL.store(cell, Ordering::SeqCst);
}

/// The number.
pub struct Attached(*const u64);

impl Attached {
    /// Where it lies, if somebody has said so.
    pub fn find() -> Option<Self> {
        let cell = CELL.load(Ordering::SeqCst);
        (!cell.is_null()).then_some(Self(cell))
    }

    /// The number at a place.
    #[cfg(test)]
    pub fn at(cell: *const u64) -> Self {
        Self(cell)
    }

    /// What it is now.
    #[inline(always)]
    pub fn read(&self) -> u64 {
        // SAFETY: who attached it keeps it there as long as this process runs.
        unsafe { self.0.read_volatile() }
    }
}
