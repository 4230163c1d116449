//! A sheet for readers: as text, as Markdown, as a page.

mod markdown;
mod numbers;
mod page;
mod text;

pub use markdown::markdown;
pub use page::page;
pub use text::text;
