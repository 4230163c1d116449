//! Errors of a queue.

use tlslab_store::StoreError;

/// The queue could not carry out a request.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The database could not.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A row is not one that a queue writes.
    #[error("the database {place} has a row that no queue writes: {cause}; restore it from a backup")]
    Damaged {
        /// Where it is.
        place: String,
        /// The cause.
        cause: String,
    },
    /// Another service was first, so nothing was changed.
    #[error("another service did this first: {what}")]
    Conflict {
        /// The conflicting action.
        what: String,
    },
    /// There is no row of that name.
    #[error("there is no {what} \"{name}\"")]
    Missing {
        /// The kind of the missing row.
        what: &'static str,
        /// Its name.
        name: String,
    },
}
