//! `tlslab cache`: what is kept from builds, how large it is, and its removal.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indicatif::HumanBytes;
use serde_json::Value;
use tlslab_build::Holding;
use tlslab_lab::Environment;
use tlslab_recipe::Recipe;

use crate::Ended;
use crate::cli::{CacheArgs, CacheVerb, ListFormat, RemoveArgs};
use crate::listing::Listing;

/// How many of the largest are listed unless all are asked for.
const SHOWN: usize = 20;

/// Lists or removes.
pub fn cache(environment: &Environment, args: &CacheArgs) -> anyhow::Result<Ended> {
    let cancel = Arc::new(AtomicBool::new(false));
    let recipes = environment.recipe_index()?.every_edition()?;
    let holdings = environment.builder().holdings(&recipes, &cancel);
    match &args.verb {
        None => list(environment, &holdings, args),
        Some(CacheVerb::Remove(which)) => remove(environment, which, &holdings, &recipes, &cancel)?,
    }
    Ok(Ended::Well)
}

fn list(environment: &Environment, holdings: &[Holding], args: &CacheArgs) {
    let is_json = args.format == ListFormat::Json;
    let mut listing = Listing::new([if is_json { "bytes" } else { "size" }, "what", "used by"]);
    let shown = if args.all || args.format != ListFormat::Table { holdings.len() } else { SHOWN };
    for holding in &holdings[..shown.min(holdings.len())] {
        let what = format!("{}/{}", holding.part, holding.key);
        let size = match is_json {
            true => Value::from(holding.bytes),
            false => Value::from(HumanBytes(holding.bytes).to_string()),
        };
        listing.add([size, what.into(), users(holding).into()]);
    }
    if args.format != ListFormat::Table {
        out!("{}", listing.text(args.format));
        return;
    }
    let mut parts: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for holding in holdings {
        let (count, bytes) = parts.entry(&holding.part).or_default();
        *count += 1;
        *bytes += holding.bytes;
    }
    outln!("{}", environment.cache.display());
    for (part, (count, bytes)) in &parts {
        outln!("{:>12}  {part} ({count})", HumanBytes(*bytes).to_string());
    }
    let unused = holdings.iter().filter(|holding| is_unused(holding));
    outln!(
        "{:>12}  in all, of which",
        HumanBytes(holdings.iter().map(|holding| holding.bytes).sum()).to_string()
    );
    outln!(
        "{:>12}  no recipe uses as it is now (tlslab cache remove --unused)\n",
        HumanBytes(unused.map(|it| it.bytes).sum())
    );
    out!("{}", listing.text(args.format));
    if holdings.len() > shown {
        outln!("and {} smaller ones (tlslab cache --all)", holdings.len() - shown);
    }
}

fn remove(
    environment: &Environment,
    which: &RemoveArgs,
    holdings: &[Holding],
    recipes: &[Recipe],
    cancel: &AtomicBool,
) -> anyhow::Result<()> {
    let wanted = |holding: &&Holding| {
        let only_of = |stack: &str| {
            let is_its = |user: &String| user == stack || user.split('@').next() == Some(stack);
            !holding.used_by.is_empty() && holding.used_by.iter().all(is_its)
        };
        which.everything
            || which.unused && is_unused(holding)
            || which.stacks.iter().any(|stack| only_of(stack))
    };
    for stack in &which.stacks {
        let is_known =
            |recipe: &Recipe| recipe.name == *stack || recipe.name.split('@').next() == Some(stack);
        anyhow::ensure!(
            recipes.iter().any(is_known),
            "no stack is called \"{stack}\"; `tlslab stacks` lists them"
        );
    }
    let (mut count, mut bytes) = (0, 0);
    for holding in holdings.iter().filter(wanted) {
        environment.builder().remove(holding, cancel)?;
        count += 1;
        bytes += holding.bytes;
    }
    outln!("removed {count} folders, {}", HumanBytes(bytes));
    Ok(())
}

/// What cargo keeps between builds belongs to no stack, so it is never called unused.
fn is_unused(holding: &Holding) -> bool {
    holding.used_by.is_empty() && holding.part != "work"
}

fn users(holding: &Holding) -> String {
    match (&holding.used_by[..], holding.part.as_str()) {
        ([], "work") => "cargo's data between builds".to_owned(),
        ([], _) => "nothing".to_owned(),
        (users, _) if users.len() > 3 => format!("{} and {} more", users[..2].join(", "), users.len() - 2),
        (users, _) => users.join(", "),
    }
}
