//! Two cells by function.

use std::collections::BTreeSet;

use anyhow::ensure;
use tlslab_profile::{Counted, Profile, Sheet, Side, Stacks};

use super::sheet::{Functions, notes};
use super::{INSTRUCTIONS, counted};
use crate::error::Error;
use crate::request::DiffRequest;
use crate::session::workshop::Workshop;

/// The note that a reader of two stacks' counts needs.
const RANKS_NOTHING: &str = "These are two stacks, counted on an emulated processor, on which libraries execute other functions than \
                             on this one: the difference does not show which stack takes fewer instructions here. Frida as the counter does.";

/// Counts missing functions and compares them.
///
/// # Errors
/// Fails if a source cannot be read or counted, or if two were counted by different counters.
pub fn diff(workshop: &Workshop<'_>, request: &DiffRequest) -> Result<Functions, Error> {
    let compared = compared(workshop, request);
    match workshop.reporter.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(compared?),
    }
}

fn compared(workshop: &Workshop<'_>, request: &DiffRequest) -> anyhow::Result<Functions> {
    let parts = workshop.environment.parts()?;
    let counted =
        |source| counted::counted_functions(workshop, source, &request.counting, &request.selection);
    let (baseline, candidate) = (counted(&request.baseline)?, counted(&request.candidate)?);
    if let (Some(was), Some(is)) = (&baseline.counter, &candidate.counter) {
        ensure!(
            baseline.native == candidate.native,
            "one was counted by {was}, the other by {is}, which execute different code; count both with the same counter"
        );
    }
    let nothing = (Profile::default(), Stacks::default());
    let names: BTreeSet<&String> = baseline.sides.keys().chain(candidate.sides.keys()).collect();
    let sides = names.into_iter().map(|name| {
        let (was, is) =
            (baseline.sides.get(name).unwrap_or(&nothing), candidate.sides.get(name).unwrap_or(&nothing));
        let before = Counted { profile: &was.0, stacks: &was.1, iterations: baseline.iterations };
        let after = Counted { profile: &is.0, stacks: &is.1, iterations: candidate.iterations };
        Side::between(name, (before, after), INSTRUCTIONS, &parts, request.selection.top.get() as usize)
    });
    let sides = sides.collect();
    let mut notes = notes(&[&baseline, &candidate]);
    if !candidate.native
        && baseline.family().is_some()
        && candidate.family().is_some()
        && baseline.family() != candidate.family()
    {
        notes.insert(0, RANKS_NOTHING.to_owned());
    }
    Ok(Functions {
        sheet: Sheet { title: candidate.title.clone(), baseline: Some(baseline.title.clone()), sides, notes },
    })
}
