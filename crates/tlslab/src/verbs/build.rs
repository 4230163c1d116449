//! `tlslab build`: stacks from source, side by side.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tlslab_build::{
    BuildFailure, BuiltStack, MissingTools, Options, Planned, Recipe, Shelf, Stage, missing_tools,
};

use crate::Ended;
use crate::cli::{BuildArgs, StacksFormat};
use crate::house::House;
use crate::progress::BuildProgress;
use crate::signals::cancel_flag;

/// What came of building a stack.
pub type Built = Result<BuiltStack, BuildFailure>;

/// Builds what is named.
pub fn build(house: &House, args: &BuildArgs) -> anyhow::Result<Ended> {
    let shelf = house.shelf()?;
    let recipes = match (args.all, args.stacks.is_empty()) {
        (true, _) => shelf.every_edition()?,
        (false, true) => named(&shelf, &house.run.stacks)?,
        (false, false) => named(&shelf, &args.stacks)?,
    };
    let chosen: Vec<&Recipe> = recipes.iter().collect();
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
    let planned = house.workshop().plan(&recipes, &cancel);
    if args.format == StacksFormat::Markdown {
        println!("| stack | source s | prefix s | kit s | driver s | all s |\n|---|--:|--:|--:|--:|--:|");
    }
    for (recipe, planned) in chosen.iter().zip(&planned) {
        let took = took(planned);
        match (&built[&recipe.name], args.format) {
            (Ok(_), StacksFormat::Markdown) => println!("{}", row(&recipe.name, &took)),
            (Ok(stack), StacksFormat::Table) => {
                println!("{}: {}{}", recipe.name, stack.driver.display(), times(&took));
            }
            (Err(failure), StacksFormat::Markdown) => println!("| {} | failed: {failure} |", recipe.name),
            (Err(failure), StacksFormat::Table) => println!("{}: failed: {failure}", recipe.name),
        }
    }
    let failed = built.values().filter(|outcome| outcome.is_err()).count();
    eprintln!("{} built, {failed} failed, in {:.1} s", chosen.len() - failed, start.elapsed().as_secs_f64());
    Ok(if failed == 0 { Ended::Well } else { Ended::WithFailures })
}

fn named(shelf: &Shelf, names: &[String]) -> anyhow::Result<Vec<Recipe>> {
    Ok(names.iter().map(|name| shelf.named(name)).collect::<Result<_, _>>()?)
}

/// How long the stages took when they were made, which may be long ago, s.
fn took(planned: &Planned) -> Vec<(Stage, f64)> {
    let stages = planned.stages.iter().flatten();
    stages.filter_map(|stage| Some((stage.stage, stage.took?.as_secs_f64()))).collect()
}

/// A row of the table: what a stack needs is added up stage by stage, also what it shares with others.
fn row(name: &str, took: &[(Stage, f64)]) -> String {
    let sum = |wanted: &dyn Fn(Stage) -> bool| -> String {
        let fitting: Vec<f64> =
            took.iter().filter(|(stage, _)| wanted(*stage)).map(|(_, seconds)| *seconds).collect();
        if fitting.is_empty() { String::new() } else { format!("{:.1}", fitting.iter().sum::<f64>()) }
    };
    let of = |stage: Stage| sum(&|other| other == stage);
    let [source, prefix, kit, driver] = [Stage::Source, Stage::Prefix, Stage::Kit, Stage::Driver].map(of);
    format!("| {name} | {source} | {prefix} | {kit} | {driver} | {} |", sum(&|_| true))
}

/// The same in a line.
fn times(took: &[(Stage, f64)]) -> String {
    let each: Vec<String> = took.iter().map(|(stage, seconds)| format!("{stage} {seconds:.1}")).collect();
    let all: f64 = took.iter().map(|(_, seconds)| seconds).sum();
    if took.is_empty() { String::new() } else { format!(" ({all:.1} s: {})", each.join(", ")) }
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
