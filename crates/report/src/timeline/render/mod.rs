//! Renderings of histories. They compute and decide nothing.

mod markdown;
mod pages;
mod panels;
mod terminal;
mod words;

pub use markdown::markdown;
pub use pages::pages;
pub use terminal::terminal;

use crate::timeline::model::Timelines;

/// With more series than this a text lists them, and does not show their points.
const MOST_SHOWN: usize = 6;

/// All of it, for programs.
pub fn json(timelines: &Timelines) -> String {
    // Plain data with text keys always serialises.
    serde_json::to_string_pretty(timelines).expect("histories serialise") + "\n"
}
