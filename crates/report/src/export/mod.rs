//! A report's values in the formats of other programs. Cells without a value are in none of them; [`holes`]
//! counts these.

mod action;
mod bencher;
mod figure;
mod go;
mod openmetrics;
#[cfg_attr(not(feature = "parquet"), path = "without_parquet.rs")]
mod parquet;
mod pyperf;

pub use action::{github_action_bigger, github_action_smaller};
pub use bencher::bencher;
pub use figure::holes;
pub use go::go;
pub use openmetrics::openmetrics;
pub use parquet::parquet;
pub use pyperf::pyperf;
