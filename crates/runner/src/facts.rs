//! A runner's description of its machine.

use std::fs;

use tlslab_artifact::free_bytes;

use crate::config::RunnerConfig;
use crate::wire::Facts;

/// The current description.
pub(crate) fn facts(config: &RunnerConfig, no_sandbox: Option<String>) -> Facts {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let (architecture, class) = config.machine.clone();
    Facts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host: host.trim().to_owned(),
        architecture,
        class,
        places_for_counts: config.counting.as_ref().map_or(0, |counting| counting.places),
        free_bytes: free(config),
        no_sandbox,
    }
}

/// Free space on the disk with the jobs' folders.
pub(crate) fn free(config: &RunnerConfig) -> Option<u64> {
    free_bytes(&config.folder)
}
