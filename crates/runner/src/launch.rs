//! How drivers come to life, behind a trait so that scheduling is tested without processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_protocol::{Reply, Request};

use crate::{DriverFailure, DriverProcess};

/// Starts drivers.
pub trait Launch {
    /// Starts the program of a driver.
    fn launch(&self, driver: &Path) -> Result<Box<dyn Talk>, DriverFailure>;
}

/// A driver that has been started. Dropping it ends it and whatever it has started.
pub trait Talk {
    /// One request, one reply. A reply `failed` comes back as [`DriverFailure::Refused`].
    fn ask(&mut self, request: &Request, within: Duration) -> Result<Reply, DriverFailure>;
    /// Says goodbye, and waits for the end.
    fn end(self: Box<Self>) -> Result<(), DriverFailure>;
}

/// Starts real processes: on one CPU, with fixed addresses, and with the same arguments and environment for every
/// stack, because their length alone moves the stack and with it the time.
pub struct Launcher {
    /// The CPU that drivers run on, if the host lets the lab choose.
    pub cpu: Option<usize>,
    /// Where drivers run: one folder for all.
    pub directory: PathBuf,
    /// Set when the run is to stop.
    pub cancel: Arc<AtomicBool>,
}

impl Launch for Launcher {
    fn launch(&self, driver: &Path) -> Result<Box<dyn Talk>, DriverFailure> {
        let process = DriverProcess::start(driver, self.cpu, &self.directory, self.cancel.clone())?;
        Ok(Box::new(process))
    }
}
