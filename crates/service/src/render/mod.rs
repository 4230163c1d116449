//! What people read of jobs: words, lines and tables. Nothing here asks a database.

pub(crate) mod command;
pub(crate) mod comparison;
pub(crate) mod event_line;
pub(crate) mod job;
pub mod jobs;
pub(crate) mod outcome;
pub mod pulls;
pub(crate) mod words;
