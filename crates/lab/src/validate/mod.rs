//! Whether the lab's figures and verdicts hold on this host: false alarms and power of comparisons, and dependence on neighbours.

mod execute;
mod layouts;
mod ledger;
mod neighbours;
mod planted;
mod report;
mod trials;

pub use execute::{Validation, neighbours, validate};
pub use ledger::{CellEntry, Entry};
pub use neighbours::{Found as Neighbours, markdown as neighbours_markdown};
pub use report::{
    FalseAlarms, PowerCurve, ValidationTables, markdown as validation_markdown, tables as validation_tables,
};
