//! Where a runner has its things.

use std::path::PathBuf;

/// Jobs that measure no time, beside one that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counting {
    /// How many.
    pub places: u32,
    /// Processors that they use.
    pub processors: Vec<usize>,
    /// Those that are left to jobs that measure time.
    pub others: Vec<usize>,
}

/// Where a runner has its things.
pub struct RunnerConfig {
    /// The program `tlslab`.
    pub lab: PathBuf,
    /// In which folder its processes run: with the recipes of whoever runs the service.
    pub directory: PathBuf,
    /// The lab's folder, if it is not to be looked for.
    pub root: Option<PathBuf>,
    /// The cache that all jobs read, and that no stranger's job writes; the lab's own if there is none.
    pub cache: Option<PathBuf>,
    /// Where jobs have their folders.
    pub folder: PathBuf,
    /// The processor's architecture, and the class of the machine.
    pub machine: (String, String),
    /// Jobs that measure no time, beside one that does.
    pub counting: Option<Counting>,
    /// With less room on the disks of its folder and its cache no job is taken, bytes.
    pub room_bytes: u64,
    /// Receives what somebody who watches the runner wants to know.
    pub report: Box<dyn Fn(&str) + Send + Sync>,
}
