//! `tlslab diff`: which functions take more or fewer instructions than before.

use std::collections::BTreeSet;

use anyhow::ensure;
use tlslab_profile::{Counted, Profile, Sheet, Side, Stacks};

use super::profile::{INSTRUCTIONS, notes, shown};
use crate::Ended;
use crate::cli::DiffArgs;
use crate::counted;
use crate::house::House;
use crate::signals::cancel_flag;

/// What a reader of two stacks' counts must know first.
const RANKS_NOTHING: &str = "These are two stacks, counted on an emulated processor, on which libraries run other functions than \
                             on this one: the difference does not say which of them takes fewer instructions here. --counter frida does.";

/// Counts what is not counted yet, and prints what changed.
pub fn diff(house: &House, args: &DiffArgs) -> anyhow::Result<Ended> {
    let cancel = cancel_flag()?;
    let parts = house.parts()?;
    let of =
        |thing: &str| counted::of(house, thing, args.scenario.as_deref(), &args.how, &args.shown, &cancel);
    let (base, new) = (of(&args.base)?, of(&args.new)?);
    if let (Some(was), Some(is)) = (&base.counter, &new.counter) {
        ensure!(
            base.native == new.native,
            "one was counted by {was}, the other by {is}, which do not see the same code; count both by one of them"
        );
    }
    let nothing = (Profile::default(), Stacks::default());
    let names: BTreeSet<&String> = base.sides.keys().chain(new.sides.keys()).collect();
    let sides = names.into_iter().map(|name| {
        let (was, is) = (base.sides.get(name).unwrap_or(&nothing), new.sides.get(name).unwrap_or(&nothing));
        let before = Counted { profile: &was.0, stacks: &was.1, iterations: base.iterations };
        let after = Counted { profile: &is.0, stacks: &is.1, iterations: new.iterations };
        Side::between(name, (before, after), INSTRUCTIONS, &parts, args.shown.top)
    });
    let mut notes = notes(&[&base, &new]);
    if !new.native && base.family().is_some() && new.family().is_some() && base.family() != new.family() {
        notes.insert(0, RANKS_NOTHING.to_owned());
    }
    let sheet =
        Sheet { title: new.title.clone(), base: Some(base.title.clone()), sides: sides.collect(), notes };
    print!("{}", shown(&sheet, args.shown.format, false)?);
    Ok(Ended::Well)
}
