//! What is in the file of a program or library: functions, sections, and the instructions that ask the
//! processor what it can do.

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
