//! What forges report by webhook.
//!
//! [`verify`] checks that a delivery comes from who knows the secret, and [`read`] says what it reports. Both look at
//! bytes that anybody may have sent: they reject what they do not know, and they never panic.

mod checked;
mod gitea;
mod github;
mod gitlab;
mod incoming;
mod like_github;
mod verify;

pub use incoming::{Incoming, Person, PullAction, PullFacts, Repository};
pub use verify::{Delivery, Refused, verify};

pub(crate) use checked::{is_commit, person};
pub(crate) use gitlab::is_bot;
pub(crate) use like_github::RawPull;

use thiserror::Error;

use crate::Kind;

/// Why a delivery cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// It is not the JSON of this event.
    #[error(
        "the body of the event is not the JSON that is expected ({cause}); set the content type of the webhook to application/json"
    )]
    Json {
        /// What the parser reports.
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
        /// What is wrong with it.
        why: &'static str,
    },
}

/// What a delivery reports. `event` is what [`verify`] found.
///
/// Events, actions and fields that are not known are [`Incoming::Ignored`]; an error means that an event of a known kind
/// lacks what it must have.
pub fn read(kind: Kind, event: &str, body: &[u8]) -> Result<Incoming, Unreadable> {
    match kind {
        Kind::Github => github::read(event, body),
        Kind::Gitlab => gitlab::read(event, body),
        Kind::Gitea => gitea::read(event, body),
    }
}
