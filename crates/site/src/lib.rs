//! A database of runs as a web site.
//!
//! [`Site::read`] reads the database; [`Site::make`] makes a page or a file of it, with the addresses of
//! [`Links`](tlslab_pages::Links). [`write`] makes a static site. Nothing here writes to the database.

mod catalogue;
mod choice;
mod comparisons;
mod defaults;
mod feed;
mod files;
mod imported;
mod known;
mod links;
mod make;
mod overview;
mod questions;
mod scenarios;
mod source;
mod stacks;
mod trends;
mod write;

pub use make::{Made, Options, Site};
pub use source::Source;
pub use write::{Written, write};
