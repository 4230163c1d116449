//! `tlslab build`: stacks from source, side by side.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tlslab_build::{BuildFailure, BuiltStack, MissingTools, Options, Recipe, missing_tools};

use crate::Ended;
use crate::cli::BuildArgs;
use crate::house::House;
use crate::progress::BuildProgress;
use crate::signals::cancel_flag;

/// What came of building a stack.
pub type Built = Result<BuiltStack, BuildFailure>;

/// Builds what is named.
pub fn build(house: &House, args: &BuildArgs) -> anyhow::Result<Ended> {
    let recipes = house.recipes()?;
    let names: Vec<String> = match (args.all, args.stacks.is_empty()) {
        (true, _) => recipes.iter().map(|recipe| recipe.name.clone()).collect(),
        (false, true) => house.config.run.stacks.clone(),
        (false, false) => args.stacks.clone(),
    };
    let chosen = names.iter().map(|name| house.recipe(&recipes, name)).collect::<anyhow::Result<Vec<_>>>()?;
    if args.check_tools {
        check_tools(&chosen)?;
        println!("every program that these builds need is there");
        return Ok(Ended::Well);
    }
    let cancel = cancel_flag()?;
    let start = Instant::now();
    let built = build_all(house, &chosen, true, &cancel)?;
    if cancel.load(Ordering::Relaxed) {
        eprintln!("interrupted; what was built is kept, and `tlslab build` goes on");
        return Ok(Ended::Interrupted);
    }
    let mut failed = 0;
    for recipe in &chosen {
        match &built[&recipe.name] {
            Ok(stack) => println!("{}: {}", recipe.name, stack.driver.display()),
            Err(failure) => {
                failed += 1;
                println!("{}: failed: {failure}", recipe.name);
            }
        }
    }
    eprintln!("{} built, {failed} failed, in {:.1} s", chosen.len() - failed, start.elapsed().as_secs_f64());
    Ok(if failed == 0 { Ended::Well } else { Ended::WithFailures })
}

/// Builds recipes, each once, and gives the outcomes by recipe name.
pub fn build_all(
    house: &House,
    recipes: &[&Recipe],
    tell_cached: bool,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<HashMap<String, Built>> {
    let mut once: Vec<Recipe> = Vec::new();
    for recipe in recipes {
        if !once.iter().any(|known| known.name == recipe.name) {
            once.push((*recipe).clone());
        }
    }
    check_tools(recipes)?;
    let progress = BuildProgress::new(tell_cached);
    Ok(house.workshop().build(&once, Options::default(), &progress, cancel).into_iter().collect())
}

fn check_tools(recipes: &[&Recipe]) -> anyhow::Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = missing_tools(recipes.iter().copied(), &path);
    if missing.is_empty() { Ok(()) } else { Err(MissingTools(missing).into()) }
}
