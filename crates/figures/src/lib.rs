//! What history keeps of a run: its figures, and the series that they belong to.
//!
//! A figure's key is cell × runner class × environment epoch. All of it is text that a person can read: see
//! `docs/decisions/0025-figures-and-series.md` for what each part is made of. Everything here is pure.

mod class;
mod difference;
mod epoch;
mod figures;
mod work;

pub use class::runner_class;
pub use difference::{Difference, differences};
pub use epoch::{epoch, is_of_work, work_digest};
pub use figures::{SeriesName, figures, first_error};
pub use work::work_differences;
