//! Costs of functions: files in the format of callgrind, read, added up and written; the changes between two;
//! the part of the work to which a function belongs; and stacks of functions as a flame graph. Pure.
//!
//! The format is in valgrind's manual, "Callgrind Format Specification". Supported are: costs by line or by
//! instruction, compressed names and positions, inlined code, calls with their inclusive costs, several
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
