//! Where a runner keeps what a job needs while it is carried out.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::RunnerError;

/// The folder of a job: its database, its reports and its cache.
pub struct JobFolder {
    path: PathBuf,
}

impl JobFolder {
    /// That of a job, which is made if it is not there. A job that comes again finds what it left.
    pub fn open(runner: &Path, job: &str) -> Result<Self, RunnerError> {
        // The identifier comes from the service: it is one name and no path.
        let is_name = !job.is_empty()
            && job.len() <= 128
            && job.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let path = runner.join("jobs").join(if is_name { job } else { "invalid" });
        fs::create_dir_all(&path).map_err(|cause| RunnerError::File { path: path.clone(), cause })?;
        Ok(Self { path })
    }

    /// Where its results go.
    pub fn results(&self) -> PathBuf {
        self.path.join("results")
    }

    /// Its database.
    pub fn database(&self) -> PathBuf {
        self.path.join("results").join("tlslab.sqlite")
    }

    /// Its own cache.
    pub fn cache(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// What its processes wrote to standard error.
    pub fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    /// Deletes it.
    pub fn remove(self) -> Result<(), RunnerError> {
        remove(&self.path)
    }

    /// Deletes those of jobs that are not this one: their leases have passed to others.
    pub fn remove_others(runner: &Path, job: &str) -> Result<(), RunnerError> {
        let jobs = runner.join("jobs");
        let Ok(entries) = fs::read_dir(&jobs) else { return Ok(()) };
        for entry in entries.flatten() {
            if entry.file_name() != job {
                remove(&entry.path())?;
            }
        }
        Ok(())
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
