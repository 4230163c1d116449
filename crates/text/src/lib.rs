//! Text for readers: numbers with their units, and text from outside, made safe for where it is shown. Names,
//! reasons and versions come from drivers, recipes, files and forges; in a terminal they must not steer it,
//! in Markdown and HTML they must not be markup, in a table they must not be a formula.

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
