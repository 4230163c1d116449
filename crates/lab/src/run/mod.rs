//! A run: planned from a request, measured, and reported.

pub(crate) mod base;
mod execute;
mod figures;
mod files;
mod forecast;
mod journal;
pub(crate) mod plan;
mod recorded;
pub(crate) mod stack_record;
pub(crate) mod together;

pub use execute::{RowFunctions, RunOutcome, newest_interrupted, report_of, run};
pub use figures::{figures_of, series_name};
pub use files::write_files;
pub use plan::{EVICTOR, alias_of};
pub use recorded::{Recorded, recorded, recorded_run};

pub(crate) use base::preload;
pub(crate) use execute::{Begun, begin, carried_out, check_same_request, measure, recorded_as, run_named};
pub(crate) use journal::StoreJournal;
