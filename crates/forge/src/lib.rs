//! One comment on a pull request: made once, and edited in place ever after.
//!
//! [`leave`] finds its own earlier comment by a mark that readers do not see and by who wrote it, so that nobody else's is
//! ever touched. [`Forge`] knows how GitHub and GitLab say the same things; whoever carries the requests is a
//! [`Transport`], [`Web`] the real one. No file is read here, and nothing is known of what the comment says.

mod answer;
mod comment;
mod error;
mod forge;
mod patience;
mod web;

pub use answer::{Answer, Ask, Transport};
pub use comment::{Left, Mark, Measured, leave};
pub use error::ForgeError;
pub use forge::{Forge, Kind};
pub use web::Web;
