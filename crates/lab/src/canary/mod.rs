//! Canaries: stacks that stay the same over the years, so that a change of their times between two runs is
//! the machine's.
//!
//! A canary is built once and kept when compilers and drivers change. If a history has another canary than
//! the requested one, both are measured in one run, so that its series continue.

mod frozen;
pub(crate) mod names;
mod overlap;

use std::time::Duration;

use tlslab_recipe::{RecipeIndex, Spec};
use tlslab_record::{Canaries, Policy, StackRecord, StackState};
use tlslab_store::Store;

use crate::problem::Problem;
use crate::session::workshop::Workshop;

pub use frozen::{FrozenBuild, frozen_builds, mark_frozen};
pub use names::{CANARY, NO_CANARY, OF_PROJECT, is_canary_name};

/// The requested canary; `None` if the project has none.
///
/// # Errors
/// Fails if the stack is not a released version: it would not stay the same.
pub fn find_asked(workshop: &Workshop<'_>, canary: &str) -> anyhow::Result<Option<String>> {
    let asked = match canary {
        NO_CANARY => return Ok(None),
        OF_PROJECT => workshop.environment.run.canary.clone(),
        stack => Some(stack.to_owned()),
    };
    let Some(stack) = asked else {
        workshop.reporter.warn(
            "no canary is timed, as [run] of tlslab.toml names none: a history of these times drifts with the machine",
        );
        return Ok(None);
    };
    let spec = Spec::parse(&stack)?;
    let is_release = spec.version.is_some() && spec.source.is_none() && spec.dependencies.is_empty();
    match is_release {
        true => Ok(Some(stack)),
        false => Err(Problem::invalid(
            "canary",
            stack,
            "a canary must stay the same, and this stack may change",
            format!("name a version, as in {}@VERSION", spec.name),
        )
        .into()),
    }
}

/// A canary's slices may exceed their target length, as may its iterations: this share is reserved for it.
const HEADROOM: f64 = 0.9;

/// The rounds in which so many canaries take part, which come after the other stacks; `None` if there are
/// none.
pub fn rounds(policy: &Policy, canaries: usize, others: usize) -> Option<Canaries> {
    let stacks: Vec<usize> = (others..others + canaries).collect();
    let share = HEADROOM * policy.comparison.canary_share.clamp(0.01, 0.9);
    (!stacks.is_empty()).then(|| Canaries::beside(stacks, others, share))
}

/// The canary as a run records it; after it the former one, if the history's times were divided by another
/// and this run connects the two.
///
/// # Errors
/// Fails if the stack has no recipe, if programs for its build are missing, or if the history cannot be read.
pub fn records(
    workshop: &Workshop<'_>,
    index: &RecipeIndex,
    stack: &str,
    history: &dyn Store,
    timeout: Duration,
) -> anyhow::Result<Vec<StackRecord>> {
    let canary = frozen::record(workshop, index, stack, timeout)?;
    let mut records = vec![canary];
    if let (StackState::Ready(_), Some(former)) = (&records[0].state, overlap::former(history, &records[0])?)
    {
        match frozen::former_record(workshop, index, &former, timeout) {
            Some(record) => {
                workshop.reporter.note(format!(
                    "canary: {former} is timed once more with {stack}, so that the history's series continue"
                ));
                records.push(record);
            }
            None => workshop.reporter.warn(format!(
                "the history's previous canary, {former}, is no longer in the cache: times before this run cannot be \
                 compared with later ones"
            )),
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_takes_less_than_its_share_is() {
        let every = |others: usize| rounds(&Policy::default(), 1, others).map(|canaries| canaries.every);
        assert_eq!([1, 2, 4, 8].map(every), [Some(5), Some(3), Some(2), Some(1)]);
        assert_eq!(rounds(&Policy::default(), 0, 2), None);
    }
}
