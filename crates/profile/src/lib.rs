//! Which functions took what was counted: files in the format of callgrind, read, added up and written; what
//! changed between two; which part of the work a function belongs to; and stacks of functions as a flame
//! graph. Pure.
//!
//! The format is in valgrind's manual, "Callgrind Format Specification". What is read of it: costs by line or
//! by instruction, compressed names and positions, inlined code, calls with what they cost in all, several
//! parts.

mod booked;
mod difference;
mod flame;
mod function;
mod parse;
mod parts;
mod profile;
mod render;
mod sheet;
mod stacks;
mod whole;
mod write;

pub use difference::{Change, Cost, Difference};
pub use flame::Flame;
pub use function::Function;
pub use parse::{Named, Namer, ParseError, parse, parse_naming};
pub use parts::{Part, Parts, Share};
pub use profile::Profile;
pub use render::{markdown, text};
pub use sheet::{Counted, Others, Portion, Row, Sheet, Side};
pub use stacks::{StackError, Stacks};
pub use write::write;
