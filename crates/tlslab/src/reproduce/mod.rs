//! Published documents measured again: what they ask for, which runs were made, what their programs say, what is written.

mod check;
mod files;
mod made;
mod trials;

pub use check::{budget_s, check};
pub use files::write_files;
pub use made::{Known, Made, definition};
pub use trials::tried;
