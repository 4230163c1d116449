//! Counts by function.

use std::collections::BTreeMap;

use crate::Function;

/// The self cost of each function: its own instructions, without callees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The counted events, such as `Ir` for instructions.
    pub events: Vec<String>,
    /// A number for each event, by function.
    pub functions: BTreeMap<Function, Vec<u64>>,
    /// The inclusive cost of calls, by caller and callee; not included above.
    pub calls: BTreeMap<(Function, Function), Vec<u64>>,
}

impl Profile {
    /// An event's place, if it was counted.
    pub fn event(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|event| event == name)
    }

    /// All functions together, a number for each event.
    pub fn totals(&self) -> Vec<u64> {
        let mut totals = vec![0_u64; self.events.len()];
        for costs in self.functions.values() {
            for (total, cost) in totals.iter_mut().zip(costs) {
                *total = total.saturating_add(*cost);
            }
        }
        totals
    }

    /// Adds the counts of another, event by event by its name.
    pub fn add(&mut self, other: &Profile) {
        let places: Vec<usize> = other
            .events
            .iter()
            .map(|event| {
                self.event(event).unwrap_or_else(|| {
                    self.events.push(event.clone());
                    self.events.len() - 1
                })
            })
            .collect();
        let width = self.events.len();
        let add = |sums: &mut Vec<u64>, costs: &[u64]| {
            sums.resize(width, 0);
            for (place, cost) in places.iter().zip(costs) {
                sums[*place] = sums[*place].saturating_add(*cost);
            }
        };
        for (function, costs) in &other.functions {
            add(self.functions.entry(function.clone()).or_default(), costs);
        }
        for (call, costs) in &other.calls {
            add(self.calls.entry(call.clone()).or_default(), costs);
        }
        for sums in self.functions.values_mut().chain(self.calls.values_mut()) {
            sums.resize(width, 0);
        }
    }

    /// The functions, the one that took most of an event first.
    pub fn by(&self, event: usize) -> Vec<(&Function, &[u64])> {
        let mut sorted: Vec<(&Function, &[u64])> =
            self.functions.iter().map(|(function, costs)| (function, &costs[..])).collect();
        let cost = |costs: &[u64]| costs.get(event).copied().unwrap_or(0);
        sorted.sort_by(|one, other| cost(other.1).cmp(&cost(one.1)).then_with(|| one.0.cmp(other.0)));
        sorted
    }
}
