//! The changes between two profiles, function by function.

mod pairs;

use std::collections::BTreeMap;

use self::pairs::{Costs, pairs};
use crate::booked::{Booked, booked};
use crate::{Function, Parts, Profile};

/// The cost of a function in one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Its own cost, without that of the functions it calls.
    pub own: f64,
    /// In functions that it calls and that are booked to their callers, such as the allocator's.
    pub called: f64,
}

impl Cost {
    /// Both.
    pub fn total(self) -> f64 {
        self.own + self.called
    }
}

/// A function that took another number than before.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The function's name in the newer profile; in the older one if it is gone.
    pub function: Function,
    /// Its cost before; `None` if it did not exist.
    pub before: Option<Cost>,
    /// Its cost; `None` if it is gone.
    pub after: Option<Cost>,
}

impl Change {
    /// How much more it takes.
    pub fn delta(&self) -> f64 {
        self.after.unwrap_or_default().total() - self.before.unwrap_or_default().total()
    }
}

/// The changes. Numbers are of one iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The cost of all functions before.
    pub before: f64,
    /// The cost of all functions.
    pub after: f64,
    /// The functions that changed, the largest change first.
    pub changes: Vec<Change>,
    /// How many functions have the same cost.
    pub same: usize,
}

impl Difference {
    /// Compares an event of two profiles, each with its number of iterations. Functions are paired by name
    /// and source without versions; or by name, if no other unpaired function has it.
    pub fn between(before: (&Profile, u64), after: (&Profile, u64), event: &str, parts: &Parts) -> Self {
        let ((was, was_iterations), (is, is_iterations)) = (before, after);
        let (mut old, mut new) = (costs(was, event, parts), costs(is, event, parts));
        let mut changes = Vec::new();
        let mut same = 0;
        for (function, before, after) in pairs(&mut old, &mut new) {
            let (before, after) = (of_one(before, was_iterations), of_one(after, is_iterations));
            if is_same(before, after) {
                same += 1;
            } else {
                changes.push(Change { function: function.clone(), before, after });
            }
        }
        changes.sort_by(|one, other| {
            let size = |change: &Change| change.delta().abs();
            size(other).total_cmp(&size(one)).then_with(|| one.function.cmp(&other.function))
        });
        let all = |profile: &Profile, iterations: u64| {
            let total = profile.event(event).map_or(0, |event| profile.totals()[event]);
            total as f64 / iterations.max(1) as f64
        };
        Self { before: all(was, was_iterations), after: all(is, is_iterations), changes, same }
    }

    /// How much more all functions take.
    pub fn delta(&self) -> f64 {
        self.after - self.before
    }
}

/// Redistributed shares are not whole numbers: a change below a tenth of an instruction does not count.
fn is_same(before: Option<Cost>, after: Option<Cost>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => before.own == after.own && (before.called - after.called).abs() < 0.1,
        _ => false,
    }
}

/// Functions by their identity across builds.
fn costs<'p>(profile: &'p Profile, event: &str, parts: &Parts) -> Costs<'p> {
    let mut costs = BTreeMap::new();
    let Some(event) = profile.event(event) else { return costs };
    for (function, cost) in booked(profile, event, &|function| parts.is_booked_to_callers(function)) {
        let (_, sum) = costs.entry(function.identity()).or_insert((function, Booked::default()));
        sum.own += cost.own;
        sum.called += cost.called;
    }
    costs
}

fn of_one(counted: Option<Booked>, iterations: u64) -> Option<Cost> {
    let iterations = iterations.max(1) as f64;
    counted.map(|Booked { own, called }| Cost { own: own / iterations, called: called / iterations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Part, parse};

    fn parts() -> Parts {
        Parts::new([Part {
            name: "memory".into(),
            functions: vec!["{malloc,free}".into()],
            files: vec![],
            objects: vec![],
            booked_to_callers: true,
            of_callers_part: false,
        }])
        .unwrap()
    }

    /// The self costs of functions.
    fn changes(difference: &Difference) -> Vec<(&str, Option<f64>, Option<f64>)> {
        let own = |cost: Option<Cost>| cost.map(|cost| cost.own);
        difference
            .changes
            .iter()
            .map(|change| (&*change.function.name, own(change.before), own(change.after)))
            .collect()
    }

    fn between(was: (&str, u64), is: (&str, u64)) -> Difference {
        Difference::between((&parse(was.0).unwrap(), was.1), (&parse(is.0).unwrap(), is.1), "Ir", &parts())
    }

    #[test]
    fn what_is_more_less_new_and_gone_comes_largest_first() {
        let was = "events: Ir\nfl=a.c\nfn=f\n1 100\nfn=g\n1 50\nfn=h\n1 7\nfn=same\n1 3\n";
        let is = "events: Ir\nfl=a.c\nfn=f\n1 240\nfn=g\n1 60\nfn=new\n1 2\nfn=same\n1 6\n";
        let difference = between((was, 1), (is, 2));
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
        let difference = between((was, 1), (is, 1));
        assert_eq!(changes(&difference), [("ring_core_0_17_14__f", Some(10.0), Some(11.0))]);
        assert_eq!(difference.same, 1);
    }

    #[test]
    fn functions_of_one_name_in_two_files_are_not_mixed_up() {
        let was = "events: Ir\nfl=a.c\nfn=f\n1 10\nfl=b.c\nfn=f\n1 20\n";
        let is = "events: Ir\nfl=c.c\nfn=f\n1 10\nfl=b.c\nfn=f\n1 20\n";
        let difference = between((was, 1), (is, 1));
        assert!(difference.changes.is_empty(), "{difference:?}");
        assert_eq!(difference.same, 2, "one f has moved, the other has not");
        let was = "events: Ir\nfl=x/crypto/a.c\nfn=f\n1 10\nfl=x/ssl/a.c\nfn=f\n1 20\n";
        let is = "events: Ir\nfl=y/ssl/a.c\nfn=f\n1 20\nfl=y/crypto/a.c\nfn=f\n1 11\n";
        assert_eq!(changes(&between((was, 1), (is, 1))), [("f", Some(10.0), Some(11.0))]);
    }

    #[test]
    fn a_function_that_is_inlined_no_longer_is_the_same() {
        let was = "events: Ir\nfl=a.rs\nfn=seal\n1 7\n";
        let is = "events: Ir\nfl=a.rs\nfn=m::Layer::seal\n1 9\n";
        assert_eq!(changes(&between((was, 1), (is, 1))), [("m::Layer::seal", Some(7.0), Some(9.0))]);
    }

    #[test]
    fn an_allocation_more_is_its_callers() {
        let called = |allocations: u64| {
            format!(
                "events: Ir\nfl=a.c\nfn=seal\n1 10\ncfn=malloc\ncalls={allocations} 1\n1 {}\nfn=open\n1 5\n\
                 cfn=malloc\ncalls=1 1\n1 60\nfn=malloc\n1 {}\ncfn=free\ncalls=1 1\n1 20\nfn=free\n1 20\n",
                50 * allocations,
                50 * allocations + 40
            )
        };
        let difference = between((&called(2), 1), (&called(3), 1));
        assert_eq!(difference.changes.len(), 1, "{difference:?}");
        let change = &difference.changes[0];
        assert_eq!((&*change.function.name, change.delta()), ("seal", 50.0));
        assert_eq!(
            (change.before, change.after),
            (Some(Cost { own: 10.0, called: 100.0 }), Some(Cost { own: 10.0, called: 150.0 }))
        );
        assert_eq!((difference.before, difference.after), (175.0, 225.0), "the whole is all functions'");
    }
}
