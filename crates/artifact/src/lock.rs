//! Locks that let one process build a product, across threads and labs.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::halt::{Doing, Halt};

/// A held lock; it is released when the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Waits for the lock; calls `on_wait` once if it is not free.
    pub fn take(path: &Path, cancel: &AtomicBool, on_wait: impl FnOnce()) -> Result<Self, Halt> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).doing("create", folder)?;
        }
        let file = File::options().create(true).append(true).open(path).doing("open", path)?;
        let mut on_wait = Some(on_wait);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) => {
                    if let Some(on_wait) = on_wait.take() {
                        on_wait();
                    }
                }
                Err(TryLockError::Error(cause)) => return Err(cause).doing("lock", path),
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(Halt::Cancelled);
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a program that is being started has a copy of the descriptor for a moment.
        let _ = self.file.unlock();
    }
}

const POLL: Duration = Duration::from_millis(50);
