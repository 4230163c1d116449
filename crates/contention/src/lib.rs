//! Contention of threads, per connection: accesses to cache lines that at least two threads use and one
//! writes, and instructions executed while a thread holds alone a lock that others take. Pure.
//!
//! The input file's format is described in the counter's README, `instruments/counter/README.md`.

mod ceilings;
mod model;
mod parse;
mod places;
mod text;

pub use ceilings::{Ceilings, Limit, Limits};
pub use model::{Accesses, Contention, Held, Line, Lock, Owner, Step, Touch};
pub use parse::{ParseError, parse};
pub use text::text;
