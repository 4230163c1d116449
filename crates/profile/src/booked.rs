//! What functions took, with what those took that are booked to them: what an allocator does, it does for who
//! asks.

use std::collections::{BTreeMap, HashMap};

use crate::{Function, Profile};

/// What was counted of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Booked {
    /// Its own.
    pub own: f64,
    /// In functions that are booked to it.
    pub called: f64,
}

/// Who calls a function, and what these calls cost with all that was called from there.
type Callers<'p> = BTreeMap<&'p Function, Vec<(&'p Function, u64)>>;

/// What each function took of an event. What those took that are booked to their callers is passed on to
/// those, to each in the proportion of what its calls cost; where nobody calls them, it stays.
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
    // Such functions call each other. What goes round in a circle is next to nothing after so many passes.
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
