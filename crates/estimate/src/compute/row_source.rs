//! The sources of rows.

use tlslab_record::RunRecord;

use super::slices::Slices;
use crate::model::{Cell, ExactCell};

/// The source of rows.
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

    /// The scenario that a column has once, by its name.
    pub(super) fn once(&self, once: &[Option<usize>], at: usize) -> Option<String> {
        once.get(at).copied().flatten().map(|scenario| self.scenario(scenario).to_owned())
    }
}
