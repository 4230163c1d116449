//! Outcomes of changes.

use crate::error::QueueError;

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Applied {
    /// A job was added.
    Added(String),
    /// This job exists already.
    Merged(String),
    /// So many jobs or rows were changed.
    Changed(u64),
}

pub(crate) fn conflict(what: String) -> QueueError {
    QueueError::Conflict { what }
}
