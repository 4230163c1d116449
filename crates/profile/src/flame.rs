//! Stacks as a flame graph: boxes as wide as what a function took with all that it called, of one profile or of two.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Stacks;
use crate::function::plain_name;

/// A box with those above it. Numbers are of one iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flame {
    /// The function.
    pub name: String,
    /// What it took with all that it called; left out where there is only one profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// What it takes with all that it calls.
    pub after: f64,
    /// Whom it calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub callees: Vec<Flame>,
}

/// How many iterations the stacks of each side are of.
#[derive(Clone, Copy)]
struct Scale {
    before: Option<u64>,
    after: u64,
}

/// One function's stacks, before and after, where it was there.
type Pair<'s> = [Option<&'s Stacks>; 2];

impl Flame {
    /// Of one profile, with the iterations that it is of.
    pub fn of(name: &str, stacks: &Stacks, iterations: u64) -> Self {
        grow(name, [None, Some(stacks)], Scale { before: None, after: iterations })
    }

    /// Of two: a function is the same one where the name is, but for versions in it, and its callers are.
    pub fn between(name: &str, before: (&Stacks, u64), after: (&Stacks, u64)) -> Self {
        let scale = Scale { before: Some(before.1), after: after.1 };
        grow(name, [Some(before.0), Some(after.0)], scale)
    }

    /// The same without boxes that are less than a share of the whole on both sides: nobody would see them.
    #[must_use]
    pub fn above(mut self, share: f64) -> Self {
        let least = share * self.size();
        self.prune(least);
        self
    }

    fn size(&self) -> f64 {
        self.after.max(self.before.unwrap_or(0.0))
    }

    fn prune(&mut self, least: f64) {
        self.callees.retain(|callee| callee.size() >= least);
        self.callees.iter_mut().for_each(|callee| callee.prune(least));
    }
}

fn grow(name: &str, pair: Pair<'_>, scale: Scale) -> Flame {
    let of_one = |side: usize, iterations: u64| {
        pair[side].map_or(0.0, |stacks| stacks.total() as f64 / iterations.max(1) as f64)
    };
    // Functions of one profile whose names differ in a version alone stay apart: the first meets the other's first.
    let mut callees: BTreeMap<(String, usize), (&str, Pair<'_>)> = BTreeMap::new();
    for (side, stacks) in pair.iter().enumerate() {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (name, callee) in stacks.iter().flat_map(|stacks| &stacks.callees) {
            let plain = plain_name(name);
            let number = seen.entry(plain.clone()).or_default();
            let entry = callees.entry((plain, *number)).or_insert((name, [None, None]));
            entry.0 = name;
            entry.1[side] = Some(callee);
            *number += 1;
        }
    }
    Flame {
        name: name.to_owned(),
        before: scale.before.map(|iterations| of_one(0, iterations)),
        after: of_one(1, scale.after),
        callees: callees.into_values().map(|(name, pair)| grow(name, pair, scale)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_of_one_iteration() {
        let stacks = Stacks::parse("a;b 6\na 2\nc 2\n").unwrap();
        let flame = Flame::of("all", &stacks, 2);
        let leaf = |name: &str, after: f64| Flame { name: name.into(), before: None, after, callees: vec![] };
        let a = Flame { callees: vec![leaf("b", 3.0)], ..leaf("a", 4.0) };
        assert_eq!(flame, Flame { callees: vec![a, leaf("c", 1.0)], ..leaf("all", 5.0) });
        let cut = flame.above(0.25);
        assert_eq!((cut.callees.len(), cut.after), (1, 5.0), "what is too small to see is its caller's own");
    }

    #[test]
    fn two_profiles_meet_by_name_but_for_versions() {
        let before = Stacks::parse("lib_1_2_3_f;x 4\ngone 2\n").unwrap();
        let after = Stacks::parse("lib_1_2_4_f;x 5\nnew 3\n").unwrap();
        let flame = Flame::between("all", (&before, 1), (&after, 1));
        let said: Vec<(&str, Option<f64>, f64)> =
            flame.callees.iter().map(|one| (&*one.name, one.before, one.after)).collect();
        assert_eq!(
            said,
            [("gone", Some(2.0), 0.0), ("lib_1_2_4_f", Some(4.0), 5.0), ("new", Some(0.0), 3.0)]
        );
        assert_eq!((flame.before, flame.after), (Some(6.0), 8.0));
    }
}
