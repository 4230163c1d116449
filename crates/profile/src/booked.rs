//! The costs of functions, with those of functions that are booked to them: an allocator's work counts to its
//! caller.

use std::collections::{BTreeMap, HashMap};

use crate::{Function, Profile};

/// The counts of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Booked {
    /// Its own.
    pub own: f64,
    /// In functions that are booked to it.
    pub called: f64,
}

/// The callers of a function, and the inclusive cost of their calls.
type Callers<'p> = BTreeMap<&'p Function, Vec<(&'p Function, u64)>>;

/// The cost of each function in an event. Costs of functions that are booked to their callers are passed on
/// to these, in proportion to the cost of their calls; without a caller, they stay.
pub(crate) fn booked<'p>(
    profile: &'p Profile,
    event: usize,
    is_booked: &dyn Fn(&Function) -> bool,
) -> BTreeMap<&'p Function, Booked> {
    let mut costs: BTreeMap<&Function, Booked> = BTreeMap::new();
    let callers = callers_of(profile, event, is_booked);
    let mut pending: BTreeMap<&Function, f64> = BTreeMap::new();
    for (function, numbers) in profile.functions.iter().filter(|(_, numbers)| numbers[event] > 0) {
        let own = numbers[event] as f64;
        if callers.contains_key(function) {
            pending.insert(function, own);
        } else {
            costs.entry(function).or_default().own += own;
        }
    }
    // Such functions call each other. The cost that still circulates is negligible after so many passes.
    for _ in 0..MOST_PASSES {
        for (function, cost) in std::mem::take(&mut pending) {
            let callers_of_it = &callers[function];
            let all: f64 = callers_of_it.iter().map(|(_, cost)| *cost as f64).sum();
            for (caller, part) in callers_of_it {
                let passed_on = cost * *part as f64 / all;
                if callers.contains_key(caller) {
                    *pending.entry(caller).or_default() += passed_on;
                } else {
                    costs.entry(caller).or_default().called += passed_on;
                }
            }
        }
    }
    costs
}

/// The functions that are booked to their callers, with these callers. A recursive function is not its own
/// caller.
fn callers_of<'p>(profile: &'p Profile, event: usize, is_booked: &dyn Fn(&Function) -> bool) -> Callers<'p> {
    let mut known: HashMap<&Function, bool> = HashMap::new();
    let mut callers = Callers::new();
    for ((caller, callee), numbers) in &profile.calls {
        let is_booked = *known.entry(callee).or_insert_with(|| is_booked(callee));
        if numbers[event] > 0 && caller != callee && is_booked {
            callers.entry(callee).or_default().push((caller, numbers[event]));
        }
    }
    callers
}

/// How often a cost is passed on, each time to the next callers.
const MOST_PASSES: usize = 40;
