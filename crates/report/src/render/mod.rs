//! Renderings of a report. They compute nothing but layout.

mod cold;
mod cross;
mod csv;
mod exact;
mod host;
mod html;
mod json;
mod markdown;
mod rows;
mod shares;
mod table;
mod terminal;

pub(crate) use csv::{HEADER, rows};
pub use csv::{cross_csv, csv};
pub use html::html;
pub use json::json;
pub use markdown::markdown;
pub use rows::{rows_csv, rows_summary};
pub use terminal::terminal;
