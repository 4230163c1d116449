//! A sheet for readers: as text, as Markdown.

mod markdown;
mod numbers;
mod text;

pub use markdown::markdown;
pub use text::text;
