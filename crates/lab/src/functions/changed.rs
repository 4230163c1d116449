//! Which functions made the count of a side change.

use tlslab_comparison::Reason;
use tlslab_profile::{Counted, Parts, Profile, Side, Stacks};
use tlslab_recipe::Layouts;
use tlslab_record::Plan;

use super::INSTRUCTIONS;
use super::counted::{self, CountedFunctions};
use crate::request::{CountedFunctions as Counting, Selection, Top};
use crate::session::workshop::Workshop;

/// The number of functions stored for each cell.
const FUNCTIONS: usize = 5;

/// The text of a stack that has another name in the plan.
pub fn stack(plan: Option<&Plan>, name: &str) -> String {
    let record = plan.into_iter().flat_map(|plan| &plan.stacks).find(|stack| stack.name == name);
    let recipe = record.and_then(|stack| stack.identity.as_ref()).map(|identity| identity.recipe.clone());
    recipe.unwrap_or_else(|| name.to_owned())
}

/// The functions of both sides of a scenario, counted now; in the first of the stack's layouts if these are
/// given.
///
/// # Errors
/// Fails if a stack cannot be built or counted.
pub fn by_function(
    workshop: &Workshop<'_>,
    stack: (&str, Option<Layouts>),
    scenario: &str,
) -> anyhow::Result<CountedFunctions> {
    let selection = Selection { top: Top::of(FUNCTIONS as u64), ..Selection::default() };
    counted::of_recorded(workshop, stack, scenario, &Counting::default(), &selection)
}

/// The functions that changed most on one side, the largest first.
pub fn changed_on(side: &str, base: &CountedFunctions, new: &CountedFunctions, parts: &Parts) -> Vec<Reason> {
    let nothing = (Profile::default(), Stacks::default());
    let was = base.sides.get(side).unwrap_or(&nothing);
    let is = new.sides.get(side).unwrap_or(&nothing);
    let before = Counted { profile: &was.0, stacks: &was.1, iterations: base.iterations };
    let after = Counted { profile: &is.0, stacks: &is.1, iterations: new.iterations };
    changed(before, after, parts)
}

/// The functions that changed most, the largest first. Functions with different names in two versions are
/// one: if a function is gone and a new one's name ends alike, the difference counts.
fn changed(before: Counted<'_>, after: Counted<'_>, parts: &Parts) -> Vec<Reason> {
    let side = Side::between("", (before, after), INSTRUCTIONS, parts, LOOKED_AT);
    let mut reasons = Vec::new();
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for row in side.functions {
        let change = row.after.unwrap_or(0.0) - row.before.unwrap_or(0.0);
        let reason = Reason { function: row.function, change };
        match (row.before, row.after) {
            (Some(before), None) if before > 0.0 => gone.push(reason),
            (None, Some(after)) if after > 0.0 => new.push(reason),
            _ => reasons.push(reason),
        }
    }
    for mut reason in gone {
        let other = new.iter().position(|other: &Reason| is_renamed(&reason.function, &other.function));
        if let Some(other) = other {
            let other: Reason = new.swap_remove(other);
            reason = Reason { change: reason.change + other.change, ..other };
        }
        reasons.push(reason);
    }
    reasons.extend(new);
    reasons.retain(|reason| reason.change != 0.0);
    reasons.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
    reasons.truncate(FUNCTIONS);
    reasons
}

/// Whether one name is the other's with a prefix, versions in it aside.
fn is_renamed(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.trim_start_matches('_').to_owned();
    let (one, other) = (plain(one), plain(other));
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short.len() >= SHORTEST_NAME && long.ends_with(&short) && {
        let before = &long[..long.len() - short.len()];
        before.is_empty() || before.ends_with(['_', ':'])
    }
}

/// The number of rows that are searched for matching names.
const LOOKED_AT: usize = 400;
/// Shorter names match at random.
const SHORTEST_NAME: usize = 6;

#[cfg(test)]
mod tests {
    use tlslab_profile::parse;

    use super::*;

    #[test]
    fn a_function_with_a_new_name_is_the_one_that_it_was() {
        let before = parse("events: Ir\nfn=sha256_block\n0 1000\nfn=memxor\n0 300\nfn=rest\n0 7\n").unwrap();
        let after =
            parse("events: Ir\nfn=ring_core_0_17_14__sha256_block\n0 1010\nfn=rest\n0 7\nfn=made\n0 20\n")
                .unwrap();
        let nothing = Stacks::default();
        let counted = |profile| Counted { profile, stacks: &nothing, iterations: 1 };
        let found = changed(counted(&before), counted(&after), &Parts::new(vec![]).unwrap());
        let described: Vec<(&str, f64)> =
            found.iter().map(|reason| (reason.function.as_str(), reason.change)).collect();
        assert_eq!(
            described,
            [("memxor", -300.0), ("made", 20.0), ("ring_core_0_17_14__sha256_block", 10.0)]
        );
        assert!(!is_renamed("free", "aead_free") && !is_renamed("blocks", "sha256blocks"));
    }
}
