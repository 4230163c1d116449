//! The kind of processor that counted code saw: counts of one kind are comparable on all machines.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use tlslab_record::{CellCount, Counted, CounterKind, Plan, Point};
use tlslab_store::Store;

/// Hexadecimal digits.
const DIGITS: usize = 16;

/// A digest of what each stack of a run saw while it was counted, by its place. `None` if it saw the
/// machine's own processor, or if that is unknown: such counts are comparable only on one kind of machine.
pub(super) fn shown_to(plan: &Plan, counts: &[CellCount]) -> Vec<Option<String>> {
    let mut shown = vec![None; plan.stacks.len()];
    let Some(counting) = plan.counting.as_ref().filter(|counting| !counting.counter.kind.is_native()) else {
        return shown;
    };
    for count in counts {
        if let (Counted::Counted(counted), Some(place)) = (&count.counted, shown.get_mut(count.stack))
            && !counted.features.is_empty()
        {
            *place = Some(digest(counting.counter.kind, &counted.features));
        }
    }
    shown
}

fn digest(kind: CounterKind, features: &[String]) -> String {
    let mut digest = hex::encode(Sha256::digest(format!("{} {}", kind.name(), features.join(" "))));
    digest.truncate(DIGITS);
    digest
}

/// The same for the runs of a database, each read once.
pub(super) struct ShownIn<'s> {
    store: &'s dyn Store,
    runs: HashMap<String, Vec<Option<String>>>,
}

impl<'s> ShownIn<'s> {
    /// Of this database.
    pub(super) fn new(store: &'s dyn Store) -> Self {
        Self { store, runs: HashMap::new() }
    }

    /// What the stack of a point saw.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub(super) fn stack(&mut self, point: &Point) -> anyhow::Result<Option<&str>> {
        if !self.runs.contains_key(&point.run) {
            let counts = self.store.counts(&point.run)?;
            // A run of another program has neither counts nor a plan.
            let shown =
                if counts.is_empty() { vec![] } else { shown_to(&self.store.plan(&point.run)?, &counts) };
            self.runs.insert(point.run.clone(), shown);
        }
        Ok(self.runs[&point.run].get(point.place as usize).and_then(Option::as_deref))
    }
}
