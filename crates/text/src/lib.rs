//! Text for readers: numbers with their units, and untrusted text made safe for its destination. Names,
//! reasons and versions come from drivers, recipes, files and forges. They must not control a terminal, be
//! markup in Markdown or HTML, or be a formula in a table.

mod clean;
mod lines;
mod listing;
mod markup;
mod near;
pub mod number;
mod stack_name;
mod words;

pub use clean::{clean, clean_lines};
pub use lines::{first_line, shortened, width, wrapped};
pub use listing::{ListFormat, Listing};
pub use markup::{html, markdown, markdown_code};
pub use near::{did_you_mean, nearest};
pub use stack_name::short_stack;
pub use words::{capitalised, csv_field, shell_word};
