//! History rendering: one model, rendered for terminal, Markdown and JSON.
//!
//! [`Timeline::of`] turns the points of a series into segments and changes; the renderers compute no figures.
//! All of it is pure.

mod advice;
mod model;
mod places;
mod release_steps;
mod releases;
mod render;

pub use advice::{advise, advise_on};
pub use model::{Explanation, Hole, Measured, Timeline, Timelines, control, options};
pub use release_steps::{ReleaseHistory, ReleaseStep, StackReleases};
pub use releases::{Release, by_version};
pub use render::{
    json, markdown, pages, releases_json, releases_markdown, releases_terminal, sentence, terminal,
};
