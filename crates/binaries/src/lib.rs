//! What is in the file of a program or library: functions, sections, and the instructions that ask the
//! processor what it can do.

mod cpuid;
mod sections;
mod symbols;

pub use cpuid::{DisassemblyError, Found, find_cpuid};
pub use sections::{Sections, needed};
pub use symbols::{Frame, Symbols};
