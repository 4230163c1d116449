//! Leftovers of a test that was killed.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::{disk, network, place};

const FOLDERS: &str = "tlslab-faults-";

/// A folder named after its process.
pub(crate) fn folder() -> TempDir {
    tempfile::Builder::new().prefix(&format!("{FOLDERS}{}-", std::process::id())).tempdir().unwrap()
}

/// Ends the processes of tests that were killed, and removes their networks, disks and folders.
pub(crate) fn remove() {
    let folders = folders();
    for folder in &folders {
        for process in place::processes_of(folder) {
            let number = process.trim_start_matches("/proc/").parse();
            // SAFETY: a signal to a process that names the folder of a test that has ended.
            number.map(|number| unsafe { libc::kill(number, libc::SIGKILL) }).ok();
        }
    }
    network::remove_stale();
    disk::remove_stale();
    for folder in &folders {
        let _ = fs::remove_dir_all(folder);
    }
}

fn folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    let is_stale = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(FOLDERS).and_then(|rest| rest.split('-').next()?.parse().ok());
        process.is_some_and(|process| !network::is_test(process))
    };
    entries.filter(is_stale).map(|entry| entry.path()).collect()
}
