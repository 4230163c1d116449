//! `tlslab stacks`: what there is, in which state, and how to build it.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use comfy_table::{ContentArrangement, Table, presets};
use tlslab_build::{BuiltStack, Event, Options, Recipe, Shelf, Workshop};
use tlslab_protocol::Description;
use tlslab_runner::{DriverProgram, Launcher, describe};

use crate::Ended;
use crate::capabilities::{document, drift, section};
use crate::cli::{StacksArgs, StacksFormat};
use crate::house::House;

/// How long a driver may take to say who it is.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// What is known of a stack.
pub enum State {
    /// Its driver is in the cache and answered.
    Built(Box<Description>),
    /// Its driver is in the cache and did not answer.
    Broken(String),
    /// It is not built.
    NotBuilt,
}

impl State {
    /// What the driver said of itself.
    pub fn description(&self) -> Option<&Description> {
        match self {
            State::Built(description) => Some(description),
            State::Broken(_) | State::NotBuilt => None,
        }
    }
}

/// Lists stacks, or says what they can do.
pub fn stacks(house: &House, args: &StacksArgs) -> anyhow::Result<Ended> {
    let shelf = house.shelf()?;
    let recipes = match args.stacks.is_empty() {
        true => shelf.every_edition()?,
        false => args.stacks.iter().map(|name| shelf.named(name)).collect::<Result<_, _>>()?,
    };
    let states = descriptions(house, &recipes, &Arc::new(AtomicBool::new(false)));
    let broken = states.iter().any(|(_, state)| matches!(state, State::Broken(_)));
    let has_drifted = match args.capabilities {
        true => capabilities(house, args, &states)?,
        false => {
            list(&recipes, &states);
            list_variants(&shelf);
            false
        }
    };
    Ok(if broken || has_drifted { Ended::WithFailures } else { Ended::Well })
}

fn list(recipes: &[Recipe], states: &[(String, State)]) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["stack", "version, as it reports itself", "licence", "state"]);
    for (recipe, (_, state)) in recipes.iter().zip(states) {
        let version = state.description().map_or_else(|| "-".to_owned(), version);
        let state = match state {
            State::Built(..) => "built".to_owned(),
            State::Broken(reason) => format!("failed: {reason}"),
            State::NotBuilt => "not built".to_owned(),
        };
        table.add_row([recipe.name.clone(), version, recipe.licence.clone(), state]);
    }
    println!("{table}\n");
    println!("`tlslab build STACK` builds one; a name without @ is the recipe's own choice of version.");
}

fn list_variants(shelf: &Shelf) {
    println!("\nVariants, such as openssl+lto:");
    for (name, title) in shelf.variants() {
        println!("  +{name:14} {title}");
    }
    for file in shelf.files().iter().filter(|file| file.is_stack) {
        let own: Vec<String> = file.variants().map(|variant| format!("+{variant}")).collect();
        if !own.is_empty() {
            println!("  {}: {}", file.name, own.join(" "));
        }
    }
}

/// Prints what the built ones can do. Whether a committed table says otherwise.
fn capabilities(house: &House, args: &StacksArgs, states: &[(String, State)]) -> anyhow::Result<bool> {
    let catalogue = house.catalogue()?;
    let scenarios = catalogue.select(&catalogue.suite(CONFORMANCE)?.scenarios)?;
    let sections: Vec<(&String, String)> = states
        .iter()
        .filter_map(|(name, state)| Some((name, section(name, state.description()?, &scenarios))))
        .collect();
    let Some(file) = &args.check else {
        let texts: Vec<String> = sections.into_iter().map(|(_, text)| text).collect();
        match args.format {
            StacksFormat::Markdown => print!("{}", document(&texts)),
            StacksFormat::Table => print!("{}", texts.join("\n")),
        }
        return Ok(false);
    };
    let committed =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let drifted: Vec<String> =
        sections.iter().flat_map(|(name, text)| drift(name, text, &committed)).collect();
    for line in &drifted {
        println!("{line}");
    }
    println!("{} stacks compared, {} differences", sections.len(), drifted.len());
    Ok(!drifted.is_empty())
}

/// The suite that has every value of every axis.
const CONFORMANCE: &str = "conformance";

/// Every stack with its state, in the recipes' order.
pub fn descriptions(house: &House, recipes: &[Recipe], cancel: &Arc<AtomicBool>) -> Vec<(String, State)> {
    let launcher =
        Launcher { cpu: None, cpus: vec![], directory: house.cache.clone(), cancel: cancel.clone() };
    let workshop = house.workshop();
    let planned = workshop.plan(recipes, cancel);
    let mut states = Vec::new();
    for (recipe, planned) in recipes.iter().zip(planned) {
        let is_cached =
            planned.stages.as_ref().is_ok_and(|stages| stages.last().is_some_and(|stage| stage.is_cached));
        let state = match is_cached.then(|| cached(&workshop, recipe, cancel)).flatten() {
            Some(built) => match describe(&launcher, program(&built), ANSWER_WITHIN) {
                Ok(description) => State::Built(Box::new(description)),
                Err(failure) => State::Broken(failure.to_string()),
            },
            None => State::NotBuilt,
        };
        states.push((recipe.name.clone(), state));
    }
    states
}

/// The product that is in the cache: building it makes nothing.
fn cached(workshop: &Workshop, recipe: &Recipe, cancel: &AtomicBool) -> Option<BuiltStack> {
    let outcomes = workshop.build(slice::from_ref(recipe), Options::default(), &|_: &Event| {}, cancel);
    outcomes.into_iter().next()?.1.ok()
}

fn program(built: &BuiltStack) -> DriverProgram<'_> {
    DriverProgram {
        path: &built.driver,
        environment: &built.environment,
        preload: None,
        counter: None,
        moves: false,
    }
}

fn version(description: &Description) -> String {
    let library = &description.library;
    let parts: Vec<String> =
        library.components.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let with = if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) };
    format!("{} {}{with}", library.name, library.version)
}
