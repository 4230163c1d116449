//! Where a runner has its things.

use std::path::PathBuf;

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
    /// Receives what somebody who watches the runner wants to know.
    pub report: Box<dyn Fn(&str) + Send + Sync>,
}
