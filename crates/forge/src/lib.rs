//! The lab's requests to a forge (GitHub, GitLab, Gitea or Forgejo), and a forge's reports to it.
//!
//! [`webhook`] checks and reads deliveries. [`leave`] posts one comment on a pull request, and later edits it
//! in place: it finds the comment by an invisible mark and by its author, so it never edits anybody else's.
//! [`Client`] is for a service: pull requests, permissions, statuses, comments and issues, without waiting.
//! [`Forge`] knows how each forge expresses the same things; a [`Transport`] sends the requests, [`Web`] over
//! HTTPS. The crate reads no file and does not know the comment's contents.

mod answer;
mod client;
mod comment;
mod error;
mod forge;
mod kind;
mod notice;
mod patience;
mod web;
pub mod webhook;

pub use answer::{Answer, Ask, Token, Transport};
pub use client::{App, Client, CommitStatus, Hook, Pull, StatusState, needed_events};
pub use comment::{Left, Mark, Measured, leave};
pub use error::ForgeError;
pub use forge::Forge;
pub use kind::Kind;
pub use notice::NoticeHook;
pub use web::{Authorities, Web};
