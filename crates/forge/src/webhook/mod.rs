//! What forges report by webhook.
//!
//! [`verify`] checks that a delivery comes from who knows the secret, and [`read`] says what it reports. Both
//! look at bytes that anybody may have sent: they reject what they do not know, and they never panic.

mod checked;
mod gitea;
mod github;
mod gitlab;
mod incoming;
mod like_github;
mod unreadable;
mod verify;

pub use incoming::{Incoming, Person, PullAction, PullFacts, Repository};
pub use unreadable::Unreadable;
pub use verify::{Delivery, Refused, verify};

pub(crate) use checked::{is_commit, person, repository, unix_s};
pub(crate) use gitlab::is_bot;
pub(crate) use like_github::{RawPull, shorten};

use crate::Kind;

/// What a delivery reports. `event` is what [`verify`] found.
///
/// Events, actions and fields that are not known are [`Incoming::Ignored`]; an error means that an event of a
/// known kind lacks what it must have.
pub fn read(kind: Kind, event: &str, body: &[u8]) -> Result<Incoming, Unreadable> {
    match kind {
        Kind::Github => github::read(event, body),
        Kind::Gitlab => gitlab::read(event, body),
        Kind::Gitea => gitea::read(event, body),
    }
}
