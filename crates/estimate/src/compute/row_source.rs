//! What rows are computed from.

use tlslab_record::RunRecord;

use super::slices::Slices;
use crate::model::{Cell, ExactCell};

/// What rows are made of.
pub(super) struct Source<'a, 'r> {
    pub record: &'r RunRecord,
    pub slices: &'a Slices<'r>,
    pub exact: &'a [ExactCell],
    pub cells: &'a [Cell],
}

impl Source<'_, '_> {
    pub(super) fn scenario(&self, scenario: usize) -> &str {
        &self.record.plan.scenarios[scenario].name
    }

    pub(super) fn stack(&self, stack: usize) -> &str {
        &self.record.plan.stacks[stack].name
    }

    /// What a column has once besides, by the scenario's name.
    pub(super) fn once(&self, once: &[Option<usize>], at: usize) -> Option<String> {
        once.get(at).copied().flatten().map(|scenario| self.scenario(scenario).to_owned())
    }
}
