//! The warnings of a report, in order: on the measurement, on the samples, on whole stacks, and last on
//! single cells.

use tlslab_record::RunRecord;

use super::slices::Slices;
use super::{caches, causes, contradictions, memory, notes, overheads, steady, turns};
use crate::model::{Cause, Cell, Headline, Overheads, SteadyShare};

/// The warnings of a run.
pub(super) struct Warnings {
    of_run: Vec<String>,
    of_cells: Vec<String>,
}

impl Warnings {
    pub(super) fn of(
        record: &RunRecord,
        slices: &Slices,
        cells: &[Cell],
        steady: &[SteadyShare],
        overheads: &Overheads,
    ) -> Self {
        let of_run = [
            record.warnings.clone(),
            notes::warnings(record, slices),
            turns::warnings(record),
            steady::warnings(steady),
            caches::warnings(record, slices),
            overheads::warnings(record, overheads),
            memory::warnings(record),
            contradictions::warnings(cells).into_iter().collect(),
        ];
        Self { of_run: of_run.concat(), of_cells: turns::modes(record, cells) }
    }

    /// The same by cause: those of one cause once, whatever cells they are of.
    pub(super) fn causes(&self, record: &RunRecord, cells: &[Cell], headlines: &[Headline]) -> Vec<Cause> {
        causes::causes(record, &self.of_run, cells, headlines)
    }

    /// All of them.
    pub(super) fn all(self) -> Vec<String> {
        [self.of_run, self.of_cells].concat()
    }
}
