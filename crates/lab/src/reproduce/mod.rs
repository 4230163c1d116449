//! Published documents measured again: what they ask for, which runs were made, what their programs report, what is written.

mod check;
mod durations;
mod execute;
mod files;
mod profiles;
mod run_index;
mod trials;
mod work;

pub use execute::{Reproduced, documents, reproduce};
