//! How far the code that valgrind counts is the code that runs on this processor.

mod contrast;
mod execute;
mod hiding;
mod known;

pub use contrast::Contrast;
pub use execute::{Both, Fidelities, fidelity};

pub(crate) use known::load as known;
