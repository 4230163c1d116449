//! Errors of the server and of its setup.

use std::path::{Path, PathBuf};

use tlslab_process::ProcessError;

/// Why an action with the server failed.
#[derive(Debug, thiserror::Error)]
pub enum GiteaError {
    /// This machine lacks something; the text names the next step.
    #[error("{0}")]
    Missing(String),
    /// A file or folder cannot be read or written.
    #[error("cannot use {}: {cause}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// A program cannot be started or supervised.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A program failed.
    #[error("{what} failed: {output}")]
    Failed {
        /// The program and its task.
        what: String,
        /// The end of its output.
        output: String,
    },
    /// The server did not answer in time.
    #[error("Gitea does not answer at {url}: {cause}; the end of its log: {log}")]
    Silent {
        /// Its address.
        url: String,
        /// The error of the last attempt.
        cause: String,
        /// The end of its log.
        log: String,
    },
    /// The server refused a request.
    #[error("{method} {path} was answered with status {status}: {body}")]
    Refused {
        /// The request's method.
        method: String,
        /// The request's path, below the API's address.
        path: String,
        /// The status of the answer.
        status: u16,
        /// The answer's text.
        body: String,
    },
    /// The server's answer lacks a field that the API promises.
    #[error("the answer to {method} {path} has no {field}")]
    Answer {
        /// The request's method.
        method: String,
        /// The request's path, below the API's address.
        path: String,
        /// The missing field.
        field: String,
    },
    /// The user was not created with [`Gitea::create_user`](crate::gitea::Gitea::create_user).
    #[error("there is no user {0}; create it with `create_user` first")]
    Stranger(String),
}

/// Adds the file's name to an error of the system.
pub(super) fn describe(path: &Path) -> impl FnOnce(std::io::Error) -> GiteaError {
    let path = path.to_owned();
    move |cause| GiteaError::File { path, cause }
}
