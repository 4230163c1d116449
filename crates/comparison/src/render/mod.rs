//! Renderings of a comparison. They compute and decide nothing.

mod alike;
mod markdown;
mod method;
mod rules;
mod scatter;
mod summary;
mod terminal;
mod words;

pub use markdown::{CommentParts, LIMIT as MARKDOWN_LIMIT, markdown, markdown_within};
pub use method::method;
pub use rules::acceptable_percent;
pub use summary::{Conclusion, Summary, described, sentence};
pub use terminal::terminal;
pub use words::{change_of, figure, figures, groups, has_no_ratio, reasons, verdict};

use crate::model::Comparison;

/// The whole comparison as JSON.
pub fn json(comparison: &Comparison) -> String {
    // Records are plain data with text keys, which always serialise.
    serde_json::to_string_pretty(comparison).expect("comparisons serialise") + "\n"
}
