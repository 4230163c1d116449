//! What can go wrong with a queue.

use tlslab_store::StoreError;

/// The queue could not do what was asked.
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
        /// What is wrong.
        cause: String,
    },
    /// Another service did the same first, so nothing was changed.
    #[error("another service did this first: {what}")]
    Conflict {
        /// What it did.
        what: String,
    },
    /// There is no row of that name.
    #[error("there is no {what} \"{name}\"")]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// Its name.
        name: String,
    },
}
