//! What each function took, with what those took that are booked to it.

use std::collections::{BTreeMap, HashMap};

use crate::{Function, Parts, Profile};

/// Numbers that were counted: a function's own, and what those took that are booked to it.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Counted {
    /// By itself.
    pub own: f64,
    /// In functions that are booked to it.
    pub called: f64,
}

/// A name and a source file, as [`Function::identity`] has them.
pub type Identity = (String, String);

/// Functions by what they have in common with themselves elsewhere.
pub type Costs<'p> = BTreeMap<Identity, (&'p Function, Counted)>;

/// Who calls a function, and what these calls cost with all that was called from there.
type Callers<'p> = BTreeMap<&'p Function, Vec<(&'p Function, u64)>>;

/// What each function took, by what it has in common with itself elsewhere. What functions took that are booked to their
/// callers is passed on to those, to each in the proportion of what its calls cost.
pub fn costs<'p>(profile: &'p Profile, event: &str, parts: &Parts) -> Costs<'p> {
    let mut costs = Costs::new();
    let Some(event) = profile.event(event) else { return costs };
    let callers = callers_of_booked(profile, event, parts);
    let mut pending: BTreeMap<&Function, f64> = BTreeMap::new();
    for (function, numbers) in profile.functions.iter().filter(|(_, numbers)| numbers[event] > 0) {
        let own = numbers[event] as f64;
        if callers.contains_key(function) {
            pending.insert(function, own);
        } else {
            costs.entry(function.identity()).or_insert((function, Counted::default())).1.own += own;
        }
    }
    // Such functions call each other. What goes round in a circle is next to nothing after so many rounds.
    for _ in 0..ROUNDS {
        for (function, cost) in std::mem::take(&mut pending) {
            let callers_of_it = &callers[function];
            let all: u64 = callers_of_it.iter().map(|(_, cost)| cost).sum();
            for (caller, part) in callers_of_it {
                let passed_on = cost * *part as f64 / all as f64;
                if callers.contains_key(caller) {
                    *pending.entry(caller).or_default() += passed_on;
                } else {
                    let entry = costs.entry(caller.identity()).or_insert((caller, Counted::default()));
                    entry.1.called += passed_on;
                }
            }
        }
    }
    costs
}

/// The functions that are booked to their callers, with these. One that calls itself is no caller of its own.
fn callers_of_booked<'p>(profile: &'p Profile, event: usize, parts: &Parts) -> Callers<'p> {
    let mut booked: HashMap<&Function, bool> = HashMap::new();
    let mut callers = Callers::new();
    for ((caller, callee), numbers) in &profile.calls {
        let is_booked = *booked.entry(callee).or_insert_with(|| parts.is_booked_to_callers(callee));
        if numbers[event] > 0 && caller != callee && is_booked {
            callers.entry(callee).or_default().push((caller, numbers[event]));
        }
    }
    callers
}

const ROUNDS: usize = 40;
