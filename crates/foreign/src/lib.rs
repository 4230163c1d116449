//! Results of other benchmark programs, read from the text of their files. Pure: the caller passes the text
//! with its name.
//!
//! A file is read as a whole or not at all: all its errors are reported at once, each by file, row, cause and
//! next step. No text makes a parser panic.

mod bencher;
mod checks;
mod ci_bench;
mod criterion;
mod github_action;
mod go_test;
mod google_benchmark;
mod gungraun;
mod hyperfine;
mod keys;
mod openssl_speed;
mod pyperf;
mod value;

pub use bencher::bencher;
pub use checks::unique;
pub use ci_bench::ci_bench;
pub use criterion::{CriterionFiles, criterion};
pub use github_action::{github_action, github_action_history};
pub use go_test::go_test;
pub use google_benchmark::google_benchmark;
pub use gungraun::gungraun;
pub use hyperfine::hyperfine;
pub use openssl_speed::openssl_speed;
pub use pyperf::pyperf;
pub use value::{BadRow, ForeignBetter, ForeignRun, ForeignValue, Text};

/// A parser's result: every value, or every error.
pub type Parsed = Result<Vec<ForeignValue>, Vec<BadRow>>;
