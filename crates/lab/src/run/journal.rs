//! Writes a run's records to the store as they arrive.

use tlslab_measure::{Journal, JournalError};
use tlslab_record::{CellCount, CellState, Overhead, PairSample, PairState, Sample, Visit, Weight};
use tlslab_store::Store;

/// A journal of one run.
pub struct StoreJournal<'s> {
    /// The store.
    pub store: &'s mut dyn Store,
    /// The run's name.
    pub run: String,
}

impl Journal for StoreJournal<'_> {
    fn cell(&mut self, cell: &CellState) -> Result<(), JournalError> {
        Ok(self.store.put_cell(&self.run, cell)?)
    }

    fn overhead(&mut self, overhead: &Overhead) -> Result<(), JournalError> {
        Ok(self.store.add_overhead(&self.run, overhead)?)
    }

    fn begin_visit(&mut self, visit: &Visit) -> Result<(), JournalError> {
        Ok(self.store.begin_visit(&self.run, visit)?)
    }

    fn sample(&mut self, sample: &Sample) -> Result<(), JournalError> {
        Ok(self.store.add_sample(&self.run, sample)?)
    }

    fn pair(&mut self, pair: &PairState) -> Result<(), JournalError> {
        Ok(self.store.put_pair(&self.run, pair)?)
    }

    fn pair_sample(&mut self, sample: &PairSample) -> Result<(), JournalError> {
        Ok(self.store.add_pair_sample(&self.run, sample)?)
    }

    fn end_visit(&mut self, visit: &Visit, took_s: f64) -> Result<(), JournalError> {
        Ok(self.store.end_visit(&self.run, visit, took_s)?)
    }

    fn count(&mut self, count: &CellCount) -> Result<(), JournalError> {
        Ok(self.store.add_count(&self.run, count)?)
    }

    fn weight(&mut self, weight: &Weight) -> Result<(), JournalError> {
        Ok(self.store.add_weight(&self.run, weight)?)
    }

    fn warn(&mut self, text: &str) -> Result<(), JournalError> {
        Ok(self.store.warn(&self.run, text)?)
    }
}
