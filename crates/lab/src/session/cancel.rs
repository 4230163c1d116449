//! The request to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Work stopped because it was asked to.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A flag that any thread can set. What runs looks at it between its steps and while it waits, and stops its
/// processes.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks whatever runs to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Stops work that was asked to stop.
    ///
    /// # Errors
    /// [`Interrupted`] if it was.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_requested() { Err(Interrupted) } else { Ok(()) }
    }

    /// The flag itself, for signal handlers.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.0
    }
}
