//! Where a comparison's records go while it runs.

use tlslab_measure::{Journal, JournalError};
use tlslab_record::{
    CellCount, CellState, Overhead, PairSample, PairState, Plan, RunRecord, Sample, Visit, Weight,
};
use tlslab_store::Store;

use crate::run::StoreJournal;

/// A journal that can be read again.
pub(super) trait Recorder {
    /// The destination of records.
    fn journal(&mut self) -> Box<dyn Journal + '_>;
    /// All that was recorded.
    fn record(&self) -> anyhow::Result<RunRecord>;
}

/// In a database: a killed comparison can resume.
pub(super) struct StoreRecorder<'s> {
    /// The database.
    pub store: &'s mut dyn Store,
    /// The run's name.
    pub run: String,
}

impl Recorder for StoreRecorder<'_> {
    fn journal(&mut self) -> Box<dyn Journal + '_> {
        Box::new(StoreJournal { store: &mut *self.store, run: self.run.clone() })
    }

    fn record(&self) -> anyhow::Result<RunRecord> {
        Ok(self.store.load(&self.run)?)
    }
}

/// In memory: for measurements in support of another one.
pub(super) struct MemoryRecorder {
    record: RunRecord,
}

impl MemoryRecorder {
    /// Nothing is recorded yet.
    pub(super) fn of(plan: Plan) -> Self {
        let record = RunRecord {
            plan,
            complete: false,
            measuring_s: 0.0,
            warnings: vec![],
            cells: vec![],
            overheads: vec![],
            visits: vec![],
            samples: vec![],
            weights: vec![],
            counts: vec![],
            fidelity: vec![],
            neighbours: vec![],
            layouts: Vec::new(),
            between_runs: Vec::new(),
            pairs: vec![],
            pair_samples: vec![],
        };
        Self { record }
    }
}

impl Recorder for MemoryRecorder {
    fn journal(&mut self) -> Box<dyn Journal + '_> {
        Box::new(InMemory(&mut self.record))
    }

    fn record(&self) -> anyhow::Result<RunRecord> {
        Ok(self.record.clone())
    }
}

struct InMemory<'m>(&'m mut RunRecord);

impl Journal for InMemory<'_> {
    fn cell(&mut self, cell: &CellState) -> Result<(), JournalError> {
        self.0.cells.retain(|known| (known.scenario, known.stack) != (cell.scenario, cell.stack));
        self.0.cells.push(cell.clone());
        Ok(())
    }

    fn overhead(&mut self, overhead: &Overhead) -> Result<(), JournalError> {
        self.0.overheads.push(overhead.clone());
        Ok(())
    }

    fn begin_visit(&mut self, visit: &Visit) -> Result<(), JournalError> {
        self.0.visits.push(visit.clone());
        Ok(())
    }

    fn sample(&mut self, sample: &Sample) -> Result<(), JournalError> {
        self.0.samples.push(sample.clone());
        Ok(())
    }

    fn pair(&mut self, pair: &PairState) -> Result<(), JournalError> {
        self.0.pairs.push(pair.clone());
        Ok(())
    }

    fn pair_sample(&mut self, sample: &PairSample) -> Result<(), JournalError> {
        self.0.pair_samples.push(sample.clone());
        Ok(())
    }

    fn end_visit(&mut self, visit: &Visit, took_s: f64) -> Result<(), JournalError> {
        let is_it = |known: &&mut Visit| {
            (known.round, known.scenario, known.attempt) == (visit.round, visit.scenario, visit.attempt)
        };
        if let Some(known) = self.0.visits.iter_mut().find(is_it) {
            known.complete = visit.complete;
        }
        self.0.measuring_s += took_s;
        Ok(())
    }

    fn count(&mut self, count: &CellCount) -> Result<(), JournalError> {
        self.0.counts.push(count.clone());
        Ok(())
    }

    fn weight(&mut self, weight: &Weight) -> Result<(), JournalError> {
        self.0.weights.push(weight.clone());
        Ok(())
    }

    fn warn(&mut self, text: &str) -> Result<(), JournalError> {
        if !self.0.warnings.iter().any(|known| known == text) {
            self.0.warnings.push(text.to_owned());
        }
        Ok(())
    }
}
