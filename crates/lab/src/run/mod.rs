//! A run: planned from a request, measured, and reported.

pub mod base;
mod execute;
mod figures;
mod files;
mod forecast;
mod journal;
pub mod plan;
mod recorded;
pub mod stack_record;
pub mod together;

pub use execute::{RowFunctions, RunOutcome, newest_interrupted, report_of, run};
pub use figures::{figures_of, series_name};
pub use files::write_files;
pub use plan::EVICTOR;
pub use recorded::{recorded_id, recorded_run};

pub use base::preload;
pub use execute::{Begun, begin, carried_out, check_same_request, measure, recorded_as, run_named};
pub use journal::StoreJournal;
