//! Which functions took what was counted: files in the format of callgrind, read and added up. Pure.
//!
//! The format is in valgrind's manual, "Callgrind Format Specification". What is read of it: costs by line or by
//! instruction, compressed names and positions, inlined code, calls (whose inclusive costs are left out), several parts.

mod parse;
mod profile;

pub use parse::{ParseError, parse};
pub use profile::{Function, Profile};
