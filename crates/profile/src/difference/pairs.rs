//! Which function of one profile is which of another.

use std::collections::BTreeMap;

use crate::Function;
use crate::booked::Booked;

/// A name and a source file, as [`Function::identity`] has them.
pub(super) type Identity = (String, String);

/// Functions by their identity across builds.
pub(super) type Costs<'p> = BTreeMap<Identity, (&'p Function, Booked)>;

/// A function, by its newer name if it exists, before and after.
pub(super) type Pair<'p> = (&'p Function, Option<Booked>, Option<Booked>);

/// All functions of both. Paired ones are removed from the two.
pub(super) fn pairs<'p>(old: &mut Costs<'p>, new: &mut Costs<'p>) -> Vec<Pair<'p>> {
    let mut pairs: Vec<Pair<'p>> = Vec::new();
    new.retain(|identity, (function, cost)| match old.remove(identity) {
        Some((_, before)) => {
            pairs.push((function, Some(before), Some(*cost)));
            false
        }
        None => true,
    });
    // A function that has moved to another file, or whose sources were unpacked elsewhere: unpaired functions
    // of one name are paired by the length of the common end of their paths.
    let mut by_name: BTreeMap<&str, [Vec<&Identity>; 2]> = BTreeMap::new();
    for (side, left) in [&*old, &*new].into_iter().enumerate() {
        for identity in left.keys() {
            by_name.entry(&identity.0).or_default()[side].push(identity);
        }
    }
    let mut moved = Vec::new();
    for [old, new] in by_name.into_values() {
        let mut candidates: Vec<_> = old
            .iter()
            .flat_map(|was| new.iter().map(move |is| (common_end(&was.1, &is.1), *was, *is)))
            .filter(|(common, ..)| *common > 0 || (old.len() == 1 && new.len() == 1))
            .collect();
        candidates
            .sort_by(|one, other| other.0.cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2))));
        for (_, was, is) in candidates {
            if moved.iter().all(|(one, other)| one != was && other != is) {
                moved.push((was.clone(), is.clone()));
            }
        }
    }
    for (was, is) in moved {
        let (before, after) = (old.remove(&was), new.remove(&is));
        if let (Some((_, before)), Some((function, after))) = (before, after) {
            pairs.push((function, Some(before), Some(after)));
        }
    }
    // A function that is inlined in one of them has a name without its modules there.
    let mut short: BTreeMap<Identity, [Vec<Identity>; 2]> = BTreeMap::new();
    for (side, left) in [&*old, &*new].into_iter().enumerate() {
        for identity in left.keys() {
            let key = (last_name(&identity.0).to_owned(), identity.1.clone());
            short.entry(key).or_default()[side].push(identity.clone());
        }
    }
    for [was, is] in short.into_values() {
        if let ([was], [is]) = (&*was, &*is)
            && let (Some((_, before)), Some((function, after))) = (old.remove(was), new.remove(is))
        {
            pairs.push((function, Some(before), Some(after)));
        }
    }
    pairs.extend(new.values().map(|(function, cost)| (*function, None, Some(*cost))));
    pairs.extend(old.values().map(|(function, cost)| (*function, Some(*cost), None)));
    pairs
}

/// `<a::B as c::D<e::F>>::g::<h::I>` is `g`.
fn last_name(name: &str) -> &str {
    let (mut depth, mut begins, mut ends) = (0, 0, name.len());
    for (at, letter) in name.char_indices() {
        match letter {
            '<' => {
                if depth == 0 && at > begins {
                    ends = at;
                }
                depth += 1;
            }
            '>' => depth -= 1,
            ':' if depth == 0 && name[at..].starts_with("::") && !name[at..].starts_with("::<") => {
                (begins, ends) = (at + 2, name.len());
            }
            _ => {}
        }
    }
    name[begins..ends.max(begins)].trim_end_matches(':')
}

/// How many parts two paths have in common at their ends.
fn common_end(one: &str, other: &str) -> usize {
    one.rsplit('/').zip(other.rsplit('/')).take_while(|(one, other)| one == other && !one.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_is_without_modules_and_types() {
        for (name, last) in [
            ("<a::B as c::D<e::F>>::g::<h::I>", "g"),
            ("a::b", "b"),
            ("f", "f"),
            ("sort_by<x::Y, z::{closure#0}>", "sort_by"),
            ("", ""),
            ("operator<", "operator"),
        ] {
            assert_eq!(last_name(name), last, "{name}");
        }
    }
}
