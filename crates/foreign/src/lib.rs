//! Results of other benchmark programs, read from the text of their files. Pure: who has the text gives it with its name.
//!
//! A file is read as a whole or not at all: everything that is wrong with it is reported at once, each by file, row, cause and
//! what to do. No text makes a parser panic.

mod bencher;
mod checks;
mod ci_bench;
mod criterion;
mod gungraun;
mod keys;
mod value;

pub use bencher::bencher;
pub use checks::unique;
pub use ci_bench::ci_bench;
pub use criterion::{CriterionFiles, criterion};
pub use gungraun::gungraun;
pub use value::{BadRow, ForeignValue, Text};

/// What a parser gives: every value, or everything that is wrong.
pub type Parsed = Result<Vec<ForeignValue>, Vec<BadRow>>;
