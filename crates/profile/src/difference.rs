//! What changed between two profiles, function by function.

use std::collections::{BTreeMap, HashMap};

use crate::{Function, Profile};

/// A function that took another number than before. Numbers are of one iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The function as the newer profile calls it; as the older one does where it is gone.
    pub function: Function,
    /// What it took; `None` where it was not there.
    pub before: Option<f64>,
    /// What it takes; `None` where it is gone.
    pub after: Option<f64>,
}

impl Change {
    /// How much more it takes.
    pub fn delta(&self) -> f64 {
        self.after.unwrap_or(0.0) - self.before.unwrap_or(0.0)
    }
}

/// What changed. Numbers are of one iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What all functions took.
    pub before: f64,
    /// What all functions take.
    pub after: f64,
    /// The functions that changed, the largest change first.
    pub changes: Vec<Change>,
    /// How many functions took the same.
    pub same: usize,
}

type Costs<'p> = BTreeMap<(String, String), (&'p Function, u64)>;

impl Difference {
    /// Compares what an event was counted in two profiles, each with the iterations that it is of. A function is the same one
    /// where name and source are, but for versions in them; or where the name is, and nothing else that is left over has it.
    pub fn between(before: (&Profile, u64), after: (&Profile, u64), event: &str) -> Self {
        let ((was, was_iterations), (is, is_iterations)) = (before, after);
        let (mut old, mut new) = (costs(was, event), costs(is, event));
        let pairs = pairs(&mut old, &mut new);
        let of_one =
            |costs: Option<u64>, iterations: u64| costs.map(|cost| cost as f64 / iterations.max(1) as f64);
        let mut changes = Vec::new();
        let mut same = 0;
        let (mut all_before, mut all_after) = (0.0, 0.0);
        for (function, before, after) in pairs {
            let (before, after) = (of_one(before, was_iterations), of_one(after, is_iterations));
            all_before += before.unwrap_or(0.0);
            all_after += after.unwrap_or(0.0);
            if before == after {
                same += 1;
            } else {
                changes.push(Change { function: function.clone(), before, after });
            }
        }
        changes.sort_by(|one, other| {
            let size = |change: &Change| change.delta().abs();
            size(other).total_cmp(&size(one)).then_with(|| one.function.cmp(&other.function))
        });
        Self { before: all_before, after: all_after, changes, same }
    }

    /// How much more all functions take.
    pub fn delta(&self) -> f64 {
        self.after - self.before
    }
}

/// What each function took, by what it has in common with itself elsewhere.
fn costs<'p>(profile: &'p Profile, event: &str) -> Costs<'p> {
    let mut costs = Costs::new();
    let Some(event) = profile.event(event) else { return costs };
    for (function, numbers) in &profile.functions {
        let cost = numbers.get(event).copied().unwrap_or(0);
        if cost > 0 {
            costs.entry(function.identity()).or_insert((function, 0)).1 += cost;
        }
    }
    costs
}

type Pair<'p> = (&'p Function, Option<u64>, Option<u64>);

fn pairs<'p>(old: &mut Costs<'p>, new: &mut Costs<'p>) -> Vec<Pair<'p>> {
    let mut pairs: Vec<Pair<'p>> = Vec::new();
    new.retain(|identity, (function, cost)| match old.remove(identity) {
        Some((_, before)) => {
            pairs.push((function, Some(before), Some(*cost)));
            false
        }
        None => true,
    });
    // A function that has moved to another file.
    let mut by_name: HashMap<&str, Vec<&(String, String)>> = HashMap::new();
    for identity in old.keys() {
        by_name.entry(&identity.0).or_default().push(identity);
    }
    let mut of_new: HashMap<&str, usize> = HashMap::new();
    for (name, _) in new.keys() {
        *of_new.entry(name).or_default() += 1;
    }
    let mut moved = Vec::new();
    for ((name, _), (function, cost)) in &*new {
        match by_name.get(&**name).map(Vec::as_slice) {
            Some([identity]) if of_new[&**name] == 1 => {
                pairs.push((function, Some(old[*identity].1), Some(*cost)));
                moved.push((*identity).clone());
            }
            _ => pairs.push((function, None, Some(*cost))),
        }
    }
    for identity in moved {
        old.remove(&identity);
    }
    pairs.extend(old.values().map(|(function, cost)| (*function, Some(*cost), None)));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn changes(difference: &Difference) -> Vec<(&str, Option<f64>, Option<f64>)> {
        difference
            .changes
            .iter()
            .map(|change| (&*change.function.name, change.before, change.after))
            .collect()
    }

    #[test]
    fn what_is_more_less_new_and_gone_comes_largest_first() {
        let was = parse("events: Ir\nfl=a.c\nfn=f\n1 100\nfn=g\n1 50\nfn=h\n1 7\nfn=same\n1 3\n").unwrap();
        let is = parse("events: Ir\nfl=a.c\nfn=f\n1 240\nfn=g\n1 60\nfn=new\n1 2\nfn=same\n1 6\n").unwrap();
        let difference = Difference::between((&was, 1), (&is, 2), "Ir");
        assert_eq!(
            changes(&difference),
            [
                ("f", Some(100.0), Some(120.0)),
                ("g", Some(50.0), Some(30.0)),
                ("h", Some(7.0), None),
                ("new", None, Some(1.0))
            ]
        );
        assert_eq!((difference.before, difference.after, difference.same), (160.0, 154.0, 1));
        assert_eq!(difference.delta(), -6.0);
    }

    #[test]
    fn another_version_or_place_is_the_same_function() {
        let was = "events: Ir\nfl=/c/registry/src/i/ring-0.17.8/a.c\nfn=ring_core_0_17_8__f\n1 10\nfl=old.c\nfn=moved\n1 5\n";
        let is = "events: Ir\nfl=/c/registry/src/i/ring-0.17.14/a.c\nfn=ring_core_0_17_14__f\n1 11\nfl=new.c\nfn=moved\n1 5\n";
        let difference = Difference::between((&parse(was).unwrap(), 1), (&parse(is).unwrap(), 1), "Ir");
        assert_eq!(changes(&difference), [("ring_core_0_17_14__f", Some(10.0), Some(11.0))]);
        assert_eq!(difference.same, 1);
    }

    #[test]
    fn functions_of_one_name_in_two_files_are_not_mixed_up() {
        let was = parse("events: Ir\nfl=a.c\nfn=f\n1 10\nfl=b.c\nfn=f\n1 20\n").unwrap();
        let is = parse("events: Ir\nfl=c.c\nfn=f\n1 10\nfl=b.c\nfn=f\n1 20\n").unwrap();
        let difference = Difference::between((&was, 1), (&is, 1), "Ir");
        assert!(difference.changes.is_empty(), "{difference:?}");
        assert_eq!(difference.same, 2, "one f has moved, the other has not");
    }
}
