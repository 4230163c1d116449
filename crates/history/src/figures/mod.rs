//! The history's data of a run: its figures, and the series that they belong to.
//!
//! A figure's key is cell × runner class × environment epoch. All of it is text that a person can read:
//! `docs/decisions/0025-figures-and-series.md` describes each part. Everything here is pure.

mod class;
mod difference;
mod entries;
mod epoch;
mod work;

pub use class::runner_class;
pub use difference::{Difference, differences};
pub use entries::{SeriesName, figures, first_error};
pub use epoch::{epoch, is_of_work, work_digest};
pub use work::work_differences;
