//! Texts on jobs for people: words, lines and tables. Nothing here asks a database.

pub(crate) mod advice;
pub(crate) mod command;
pub(crate) mod comparison;
pub(crate) mod event_line;
pub(crate) mod failure;
pub(crate) mod job;
pub(crate) mod job_lists;
pub(crate) mod outcome;
pub(crate) mod pull_page;
pub(crate) mod words;
