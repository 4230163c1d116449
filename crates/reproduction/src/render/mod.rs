//! Renderings of the model.

mod html;
mod markdown;
mod picture;
mod plot;
mod terminal;
mod words;

pub use html::{claims_html, html};

pub use markdown::{claims_markdown, markdown};
pub use picture::claims_svg;
pub use terminal::terminal;

use crate::model::Reproduction;

/// The whole model, for programs.
pub fn json(reproduction: &Reproduction) -> String {
    let mut text = serde_json::to_string_pretty(reproduction).expect("the model serialises");
    text.push('\n');
    text
}
