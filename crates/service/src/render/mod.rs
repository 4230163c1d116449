//! What people read of jobs: words, lines and tables. Nothing here asks a database.

pub mod command;
pub mod comparison;
pub mod event_line;
pub mod job;
pub mod jobs;
pub mod outcome;
pub mod pulls;
pub mod words;
