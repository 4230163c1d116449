//! Errors in deliveries.

use thiserror::Error;

/// Why a delivery cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// It is not the JSON of this event.
    #[error(
        "the body of the event is not the JSON that is expected ({cause}); set the content type of the webhook to application/json"
    )]
    Json {
        /// The parser's message.
        cause: String,
    },
    /// A field is missing.
    #[error("the event has no {what}; does the webhook belong to a forge of this kind?")]
    Missing {
        /// The field.
        what: &'static str,
    },
    /// A field has a value that it cannot have.
    #[error("the event has an invalid {what}: {why}")]
    Invalid {
        /// The field.
        what: &'static str,
        /// The reason.
        why: &'static str,
    },
}
