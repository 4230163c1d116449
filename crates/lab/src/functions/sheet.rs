//! Functions with their instructions, and notes on the count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_profile::Sheet;
use tlslab_recipe::Spec;

use super::counted::CountedFunctions;

/// Functions with their instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Functions {
    /// The table, which [`tlslab_profile`] prints.
    pub sheet: Sheet,
}

/// The counter, and its limits.
pub(super) fn notes(all: &[&CountedFunctions]) -> Vec<String> {
    let mut counters: Vec<(&String, bool)> =
        all.iter().filter_map(|found| Some((found.counter.as_ref()?, found.native))).collect();
    counters.dedup();
    let note = |(counter, native): (&String, bool)| match native {
        true => format!("Counted by {counter}."),
        false => {
            format!("Counted by {counter}, whose processor has fewer features than this one's may have.")
        }
    };
    let stacks = all.iter().filter_map(|found| found.stack.as_deref());
    let run_as = stacks.filter(|stack| Spec::parse(stack).is_ok_and(|spec| spec.processor.is_some()));
    let cautions = run_as.map(|stack| {
        format!("{stack}: features of this host's processor are hidden; this chooses code, and is no forecast of another's speed.")
    });
    counters.into_iter().map(note).chain(cautions).collect()
}
