//! Whether verdicts on this host are honest: comparisons of a stack with itself, and with itself slowed down on purpose.

mod burden;
mod jobs;
mod ledger;
mod neighbours;
mod pool;
mod sheet;

pub use jobs::{Kind, Wanted, run, share_text};
pub use ledger::Ledger;
pub use neighbours::{WantedNeighbours, keep, known_for, markdown as neighbours_markdown, measure};
pub use sheet::{markdown, page};
