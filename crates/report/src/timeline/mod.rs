//! History rendering: one model, rendered for terminal, Markdown and JSON.
//!
//! [`Timeline::of`] turns the points of a series into segments and changes; the renderers compute nothing of
//! their own. All of it is pure.

mod model;
mod places;
mod releases;
mod render;

pub use model::{Explanation, Hole, Measured, Timeline, Timelines, control, options};
pub use releases::{Release, by_version};
pub use render::{json, markdown, pages, terminal};
