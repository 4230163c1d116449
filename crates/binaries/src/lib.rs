//! The contents of a program or library: functions, sections, and the instructions that query the processor's
//! features.

mod cpuid;
mod owners;
mod sections;
mod size;
mod symbols;

pub use cpuid::{DisassemblyError, Found, find_cpuid};
pub use owners::Unit;
pub use sections::{Sections, needed, run_paths};
pub use size::{LibrarySize, SizeError, library_size, whole_size};
pub use symbols::{Frame, Symbols};
