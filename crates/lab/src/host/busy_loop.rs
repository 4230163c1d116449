//! A deliberate load: a program that keeps a processor busy.

use anyhow::Context;
use tlslab_process::{Program, Supervised};

/// A busy loop in a process of its own, which ends when this value is dropped.
pub struct BusyLoop {
    process: Supervised,
}

impl BusyLoop {
    /// Starts it.
    ///
    /// # Errors
    /// Fails if the shell cannot be started.
    pub fn start() -> anyhow::Result<Self> {
        let process = Program::new("/bin/sh").args(["-c", "while :; do :; done"]).spawn();
        Ok(Self { process: process.context("cannot start the loop that keeps a processor busy")? })
    }
}

impl Drop for BusyLoop {
    fn drop(&mut self) {
        // If it cannot be killed, it ends with the lab.
        let _ = self.process.kill();
    }
}
