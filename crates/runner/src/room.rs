//! Free space on the disks of a runner.

use std::path::Path;

use tlslab_artifact::free_bytes;

use crate::config::RunnerConfig;

/// With less a disk counts as full: further writes fail.
const FULL_BYTES: u64 = 16 << 20;

/// Why a job would not have enough space, if so.
pub(crate) fn lack(config: &RunnerConfig) -> Option<String> {
    let needed = config.room_bytes;
    let (folder, free) = frees(config).find(|(_, free)| *free < needed)?;
    Some(format!(
        "not enough room in `{}`: {} MiB are free, a job may need {} MiB",
        folder.display(),
        free >> 20,
        needed >> 20
    ))
}

/// Whether a disk is full now.
pub(crate) fn is_full(config: &RunnerConfig) -> bool {
    frees(config).any(|(_, free)| free < FULL_BYTES.min(config.room_bytes))
}

fn frees(config: &RunnerConfig) -> impl Iterator<Item = (&Path, u64)> {
    let folders = [Some(&config.folder), config.cache.as_ref()];
    folders.into_iter().flatten().filter_map(|folder| Some((&**folder, free_bytes(folder)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_looked_at_before_a_job_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let config = |room_bytes| RunnerConfig {
            lab: "/bin/true".into(),
            directory: folder.path().to_owned(),
            root: None,
            cache: Some(folder.path().join("not there yet")),
            folder: folder.path().to_owned(),
            room_bytes,
            machine: Default::default(),
            counting: None,
            report: Box::new(|_| ()),
        };
        assert_eq!((lack(&config(0)), is_full(&config(0))), (None, false));
        let why = lack(&config(u64::MAX)).unwrap();
        assert!(why.contains(&folder.path().display().to_string()) && why.contains("may need"), "{why}");
    }
}
