//! How far the code that valgrind counts is the code that runs on this processor.

mod contrast;
mod execute;
mod hiding;

pub use contrast::Contrast;
pub use execute::{Both, Fidelities, fidelity};
