//! How far the code that valgrind counts is the code that runs natively on this processor.

mod execute;
mod mask_features;
mod profile_pair;
mod text;

pub use execute::{Both, Fidelities, TimeRatio, fidelity};
pub use profile_pair::Contrast;
pub use text::fidelities_text;
