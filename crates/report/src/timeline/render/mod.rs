//! Renderings of histories. They compute and decide nothing.

mod markdown;
mod pages;
mod panels;
mod release_texts;
mod sentence;
mod step_table;
mod terminal;
mod words;

pub use markdown::markdown;
pub use pages::pages;
pub use release_texts::{releases_markdown, releases_terminal};
pub use sentence::sentence;
pub use terminal::terminal;

use crate::timeline::model::Timelines;
use crate::timeline::release_steps::ReleaseHistory;

/// With more series than this a text lists them, and does not show their points.
const MOST_SHOWN: usize = 6;

/// All of it, for programs.
pub fn json(timelines: &Timelines) -> String {
    // Plain data with text keys always serialises.
    serde_json::to_string_pretty(timelines).expect("histories serialise") + "\n"
}

/// The releases of all stacks, for programs.
pub fn releases_json(history: &ReleaseHistory) -> String {
    // Plain data with text keys always serialises.
    serde_json::to_string_pretty(history).expect("releases serialise") + "\n"
}
