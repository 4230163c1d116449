//! The configuration of a runner.

use std::path::PathBuf;

/// Places for jobs that measure no time, at the same time as one that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counting {
    /// How many.
    pub places: u32,
    /// Their processors.
    pub processors: Vec<usize>,
    /// The processors for jobs that measure time.
    pub others: Vec<usize>,
}

/// The configuration of a runner.
pub struct RunnerConfig {
    /// The program `tlslab`.
    pub lab: PathBuf,
    /// The working folder of its processes: with the recipes of the service's operator.
    pub directory: PathBuf,
    /// The lab's folder; searched if not set.
    pub root: Option<PathBuf>,
    /// The cache that all jobs read, and to which no job with untrusted code writes; the lab's own if not
    /// set.
    pub cache: Option<PathBuf>,
    /// The folder with the jobs' folders.
    pub folder: PathBuf,
    /// The processor's architecture, and the class of the machine.
    pub machine: (String, String),
    /// Places for jobs that measure no time, at the same time as one that does.
    pub counting: Option<Counting>,
    /// With less free space on the disks of its folder and its cache no job is taken, bytes.
    pub room_bytes: u64,
    /// Receives messages for the runner's operator.
    pub report: Box<dyn Fn(&str) + Send + Sync>,
}
