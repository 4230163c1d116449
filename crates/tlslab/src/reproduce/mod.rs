//! Published documents measured again: what they ask for, which runs were made, what their programs say, what is written.

mod check;
mod files;
mod kept;
mod made;
mod profiles;
mod times;
mod trials;
mod work;

pub use check::{check, total_s};
pub use files::write_files;
pub use made::Made;
pub use times::Times;
pub use work::{Task, is_wanted, share};
