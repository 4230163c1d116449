//! Two cells by function.

use std::collections::BTreeSet;

use anyhow::ensure;
use tlslab_profile::{Counted, Profile, Sheet, Side, Stacks};

use super::sheet::{Functions, notes};
use super::{INSTRUCTIONS, counted};
use crate::error::Error;
use crate::request::DiffRequest;
use crate::session::Session;

/// What a reader of two stacks' counts must know first.
const RANKS_NOTHING: &str = "These are two stacks, counted on an emulated processor, on which libraries execute other functions than \
                             on this one: the difference does not show which stack takes fewer instructions here. Frida as the counter does.";

/// Counts what is not counted yet and compares it.
///
/// # Errors
/// A source that cannot be read or counted, and two that were counted by different means.
pub fn diff(session: &Session<'_>, request: &DiffRequest) -> Result<Functions, Error> {
    let compared = compared(session, request);
    match session.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(compared?),
    }
}

fn compared(session: &Session<'_>, request: &DiffRequest) -> anyhow::Result<Functions> {
    let parts = session.environment.parts()?;
    let counted = |source| counted::counted_functions(session, source, &request.counting, &request.selection);
    let (base, new) = (counted(&request.baseline)?, counted(&request.candidate)?);
    if let (Some(was), Some(is)) = (&base.counter, &new.counter) {
        ensure!(
            base.native == new.native,
            "one was counted by {was}, the other by {is}, which execute different code; count both with the same counter"
        );
    }
    let nothing = (Profile::default(), Stacks::default());
    let names: BTreeSet<&String> = base.sides.keys().chain(new.sides.keys()).collect();
    let sides = names.into_iter().map(|name| {
        let (was, is) = (base.sides.get(name).unwrap_or(&nothing), new.sides.get(name).unwrap_or(&nothing));
        let before = Counted { profile: &was.0, stacks: &was.1, iterations: base.iterations };
        let after = Counted { profile: &is.0, stacks: &is.1, iterations: new.iterations };
        Side::between(name, (before, after), INSTRUCTIONS, &parts, request.selection.top.get() as usize)
    });
    let sides = sides.collect();
    let mut notes = notes(&[&base, &new]);
    if !new.native && base.family().is_some() && new.family().is_some() && base.family() != new.family() {
        notes.insert(0, RANKS_NOTHING.to_owned());
    }
    Ok(Functions { sheet: Sheet { title: new.title.clone(), base: Some(base.title.clone()), sides, notes } })
}
