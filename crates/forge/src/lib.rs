//! What the lab asks of a forge (GitHub, GitLab, Gitea or Forgejo), and what a forge reports to it.
//!
//! [`webhook`] checks and reads deliveries. [`leave`] makes one comment on a pull request, and edits it in
//! place ever after: it finds it by a mark that readers do not see and by who wrote it, so that nobody else's
//! is ever touched. [`Client`] is for a service: pull requests, permissions, statuses, comments and issues,
//! without waiting. [`Forge`] knows how the forges say the same things; whoever carries the requests is a
//! [`Transport`], [`Web`] the real one. No file is read here, and nothing is known of what the comment says.

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
