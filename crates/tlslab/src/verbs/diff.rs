//! `tlslab diff`: which functions take more or fewer instructions than before.

use std::collections::BTreeSet;

use tlslab_profile::{Counted, Profile, Sheet, Side, Stacks};

use super::profile::{INSTRUCTIONS, notes, shown};
use crate::Ended;
use crate::cli::DiffArgs;
use crate::counted;
use crate::house::House;
use crate::signals::cancel_flag;

/// Counts what is not counted yet, and prints what changed.
pub fn diff(house: &House, args: &DiffArgs) -> anyhow::Result<Ended> {
    let cancel = cancel_flag()?;
    let parts = house.parts()?;
    let of =
        |thing: &str| counted::of(house, thing, args.scenario.as_deref(), &args.how, &args.shown, &cancel);
    let (base, new) = (of(&args.base)?, of(&args.new)?);
    let nothing = (Profile::default(), Stacks::default());
    let names: BTreeSet<&String> = base.sides.keys().chain(new.sides.keys()).collect();
    let sides = names.into_iter().map(|name| {
        let (was, is) = (base.sides.get(name).unwrap_or(&nothing), new.sides.get(name).unwrap_or(&nothing));
        let before = Counted { profile: &was.0, stacks: &was.1, iterations: base.iterations };
        let after = Counted { profile: &is.0, stacks: &is.1, iterations: new.iterations };
        Side::between(name, (before, after), INSTRUCTIONS, &parts, args.shown.top)
    });
    let sheet = Sheet {
        title: new.title.clone(),
        base: Some(base.title.clone()),
        sides: sides.collect(),
        notes: notes(&[&base, &new]),
    };
    print!("{}", shown(&sheet, args.shown.format, false)?);
    Ok(Ended::Well)
}
