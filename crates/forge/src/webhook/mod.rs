//! Reports of forges by webhook.
//!
//! [`verify`] checks that a delivery's sender knows the secret, and [`read`] parses it. Both read bytes that
//! anybody may have sent: they reject unknown input, and they never panic.

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

/// Parses a delivery. `event` is the result of [`verify`].
///
/// Unknown events, actions and fields are [`Incoming::Ignored`]; an error means that an event of a known kind
/// lacks a required field.
pub fn read(kind: Kind, event: &str, body: &[u8]) -> Result<Incoming, Unreadable> {
    match kind {
        Kind::Github => github::read(event, body),
        Kind::Gitlab => gitlab::read(event, body),
        Kind::Gitea => gitea::read(event, body),
    }
}
