//! What can go wrong with a store.

use std::path::PathBuf;

/// A store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused or failed.
    #[error("the database {}: {cause}", path.display())]
    Database {
        /// Its file.
        path: PathBuf,
        /// What it said.
        cause: rusqlite::Error,
    },
    /// The database was written by a newer lab.
    #[error(
        "the database {} has schema {found}, this lab knows up to {known}; use the newer lab, or another --out",
        path.display()
    )]
    Newer {
        /// Its file.
        path: PathBuf,
        /// The schema it has.
        found: u32,
        /// The newest schema known here.
        known: u32,
    },
    /// There is no such run.
    #[error("there is no run {id} in {}; `tlslab runs` lists them", path.display())]
    NoSuchRun {
        /// What was asked for.
        id: String,
        /// The database's file.
        path: PathBuf,
    },
    /// A stored value is not what it should be.
    #[error("the run {id} in {} is damaged: {cause}", path.display())]
    Damaged {
        /// The run.
        id: String,
        /// The database's file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The folder could not be made.
    #[error("cannot make the folder {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
}
