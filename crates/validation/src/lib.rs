//! Validation of the lab on this host: false alarms and power of comparisons, and dependence of times on
//! neighbours.

mod claims;
mod error_rates;
mod execute;
mod layouts;
mod ledger;
mod neighbours;
mod null_change;
mod planted;
mod replay;
mod report;
mod request;
mod simulate;
mod trials;

pub use claims::{claims_markdown, claims_sentence};
pub use error_rates::{ErrorRates, SameJobs, SlowedCells};
pub use execute::{Validation, neighbours, validate};
pub use ledger::{CellEntry, Entry};
pub use neighbours::{Found as Neighbours, markdown as neighbours_markdown};
pub use replay::Replayed;
pub use report::{live_markdown, markdown as validation_markdown};
pub use request::{NeighboursRequest, ValidateRequest};
