//! The folders of a runner's jobs.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::RunnerError;

/// The file with the version of the lab that wrote the others.
const VERSION: &str = "version";

/// The folder of a job: its database, its reports and its cache.
pub(crate) struct JobFolder {
    path: PathBuf,
}

impl JobFolder {
    /// The folder of a job, which is created if it does not exist. A repeated job finds its former contents.
    /// Measurements of another version of the lab are not continued: the job starts over.
    pub(crate) fn open(runner: &Path, slot: u32, job: &str, version: &str) -> Result<Self, RunnerError> {
        // The identifier comes from the service: it is a single name, not a path.
        let is_name = !job.is_empty()
            && job.len() <= 128
            && job.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let path = jobs(runner, slot).join(if is_name { job } else { "invalid" });
        let mark = path.join(VERSION);
        if path.is_dir() && fs::read_to_string(&mark).ok().as_deref() != Some(version) {
            remove(&path)?;
        }
        let failed = |path: &Path, cause| RunnerError::File { path: path.to_owned(), cause };
        fs::create_dir_all(&path).map_err(|cause| failed(&path, cause))?;
        if !mark.is_file() {
            fs::write(&mark, version).map_err(|cause| failed(&mark, cause))?;
        }
        Ok(Self { path })
    }

    /// The place of its results.
    pub(crate) fn results(&self) -> PathBuf {
        self.path.join("results")
    }

    /// Its database.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("results").join("tlslab.sqlite")
    }

    /// Its own cache.
    pub(crate) fn cache(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// The standard error of its processes.
    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    /// Deletes it.
    pub(crate) fn remove(self) -> Result<(), RunnerError> {
        remove(&self.path)
    }

    /// Deletes those of other jobs: other runners have their leases.
    pub(crate) fn remove_others(runner: &Path, slot: u32, job: &str) -> Result<(), RunnerError> {
        let Ok(entries) = fs::read_dir(jobs(runner, slot)) else { return Ok(()) };
        for entry in entries.flatten() {
            if entry.file_name() != job {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// The folder of a place's jobs.
fn jobs(runner: &Path, slot: u32) -> PathBuf {
    match slot {
        0 => runner.join("jobs"),
        slot => runner.join(format!("jobs-{slot}")),
    }
}

fn remove(path: &Path) -> Result<(), RunnerError> {
    match fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => {
            Err(RunnerError::File { path: path.to_owned(), cause })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_comes_again_finds_what_the_same_lab_has_left() {
        let runner = tempfile::tempdir().unwrap();
        let open = |slot, version: &str| JobFolder::open(runner.path(), slot, "j", version).unwrap();
        fs::write(open(0, "1").log(), "so far").unwrap();
        assert_eq!(fs::read_to_string(open(0, "1").log()).unwrap(), "so far");
        assert!(!open(1, "1").log().exists(), "another place has a folder of its own");
        assert!(!open(0, "2").log().exists(), "another lab starts over");
    }

    #[test]
    fn others_of_the_same_place_are_deleted() {
        let runner = tempfile::tempdir().unwrap();
        let path = |slot, job| JobFolder::open(runner.path(), slot, job, "1").unwrap().path;
        let (a, b, beside) = (path(0, "a"), path(0, "b"), path(1, "c"));
        JobFolder::remove_others(runner.path(), 0, "b").unwrap();
        assert_eq!([a, b, beside].map(|path| path.exists()), [false, true, true]);
    }
}
