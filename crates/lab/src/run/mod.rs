//! A run: planned from a request, measured, and reported.

mod execute;
mod figures;
mod files;
mod journal;
pub(crate) mod plan;

pub use execute::{RowFunctions, RunOutcome, recorded, report_of, run};
pub use figures::{CANARY, figures_of, series_name};
pub use files::{Files, write_files};
pub use plan::{EVICTOR, alias_of};

pub(crate) use execute::{carried_out, measure, resumed};
pub(crate) use journal::StoreJournal;
