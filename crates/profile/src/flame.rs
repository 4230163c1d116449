//! Stacks as a flame graph of one profile or of two: boxes as wide as a function's inclusive cost.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Stacks;
use crate::function::plain_name;

/// A box with those above it. Numbers are of one iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flame {
    /// The function.
    pub name: String,
    /// Its inclusive cost before; omitted if there is only one profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Its inclusive cost.
    pub after: f64,
    /// Whom it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callees: Vec<Flame>,
}

/// The greatest depth of boxes. JSON is commonly read to a depth of 128, and a level takes two of them; the
/// cost of a deeper recursion is part of the last box.
const DEEPEST: usize = 50;

/// How many iterations the stacks of each side are of.
#[derive(Clone, Copy)]
struct Scale {
    before: Option<u64>,
    after: u64,
}

/// One function's stacks, before and after, if it existed.
type Pair<'s> = [Option<&'s Stacks>; 2];

impl Flame {
    /// Of one profile, with the iterations that it is of.
    pub fn of(name: &str, stacks: &Stacks, iterations: u64) -> Self {
        grow(name, [None, Some(stacks)], Scale { before: None, after: iterations }, DEEPEST)
    }

    /// The graph of two profiles: functions are paired by name without versions, and by their callers.
    pub fn between(name: &str, before: (&Stacks, u64), after: (&Stacks, u64)) -> Self {
        let scale = Scale { before: Some(before.1), after: after.1 };
        grow(name, [Some(before.0), Some(after.0)], scale, DEEPEST)
    }

    /// The graph without boxes that are less than a share of the whole on both sides, which would be
    /// invisible.
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

fn grow(name: &str, pair: Pair<'_>, scale: Scale, levels: usize) -> Flame {
    let of_one = |side: usize, iterations: u64| {
        pair[side].map_or(0.0, |stacks| stacks.total() as f64 / iterations.max(1) as f64)
    };
    let mut callees: BTreeMap<Key, (&str, Pair<'_>)> = BTreeMap::new();
    for (side, stacks) in pair.iter().enumerate().filter(|_| levels > 0) {
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
    let stands_in = if scale.before.is_some() { inlined(&mut callees) } else { BTreeMap::new() };
    let callees = callees.iter().map(|(key, (name, pair))| {
        let mut pair = *pair;
        if let Some((side, stacks)) = stands_in.get(key) {
            pair[*side] = Some(stacks);
        }
        grow(name, pair, scale, levels - 1)
    });
    Flame {
        name: name.to_owned(),
        before: scale.before.map(|iterations| of_one(0, iterations)),
        after: of_one(1, scale.after),
        callees: callees.collect(),
    }
}

/// A name without versions. Functions of one profile whose names differ only in a version stay separate: the
/// first meets the other's first.
type Key = (String, usize);

/// Functions on only one side whose own callees are in their place on the other side: there they are inlined.
/// Those callees are removed from the map, and represent the function on that side.
fn inlined(callees: &mut BTreeMap<Key, (&str, Pair<'_>)>) -> BTreeMap<Key, (usize, Stacks)> {
    let mut stands_in = BTreeMap::new();
    let alone: Vec<Key> =
        callees.iter().filter(|(_, (_, pair))| pair.contains(&None)).map(|(key, _)| key.clone()).collect();
    for key in &alone {
        let Some((_, pair)) = callees.get(key) else { continue };
        let other = if pair[0].is_none() { 0 } else { 1 };
        let Some(stacks) = pair[1 - other] else { continue };
        let called: BTreeSet<String> = stacks.callees.keys().map(|name| plain_name(name)).collect();
        let is_inlined = |one: &&Key| {
            called.contains(&one.0)
                && callees.get(*one).is_some_and(|(_, pair)| pair[other].is_some() && *one != key)
        };
        let found: Vec<&Key> = alone.iter().filter(is_inlined).collect();
        let mut stands_for = Stacks::default();
        for one in found {
            if let Some((name, [Some(stacks), None] | [None, Some(stacks)])) = callees.remove(one) {
                stands_for.callees.insert(name.to_owned(), stacks.clone());
            }
        }
        if !stands_for.callees.is_empty() {
            stands_in.insert(key.clone(), (other, stands_for));
        }
    }
    stands_in
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
    fn a_function_that_is_inlined_on_one_side_hides_nothing() {
        let before = Stacks::parse("send;seal 10\nsend 5\n").unwrap();
        let after = Stacks::parse("send;encrypt;seal 10\nsend;encrypt 3\nsend 2\n").unwrap();
        for (before, after, seal) in
            [(&before, &after, (Some(10.0), 10.0)), (&after, &before, (Some(10.0), 10.0))]
        {
            let flame = Flame::between("all", (before, 1), (after, 1));
            let encrypt = &flame.callees[0].callees[0];
            assert_eq!((&*encrypt.name, encrypt.callees.len()), ("encrypt", 1), "{flame:?}");
            assert_eq!((encrypt.callees[0].before, encrypt.callees[0].after), seal);
        }
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
