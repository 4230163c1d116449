//! `tlslab stacks`: what there is, in which state, and how to build it.

use std::path::PathBuf;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use comfy_table::{ContentArrangement, Table, presets};
use tlslab_build::{BuiltStack, Event, Options, Recipe, Workshop};
use tlslab_protocol::{Capabilities, Description};
use tlslab_runner::{DriverProgram, Launcher, describe};

use crate::Ended;
use crate::cli::StacksArgs;
use crate::house::House;

/// How long a driver may take to say who it is.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// What is known of a stack.
pub enum State {
    /// Its driver is in the cache and answered.
    Built(PathBuf, Box<Description>),
    /// Its driver is in the cache and did not answer.
    Broken(String),
    /// It is not built.
    NotBuilt,
}

impl State {
    /// What the driver said of itself.
    pub fn description(&self) -> Option<&Description> {
        match self {
            State::Built(_, description) => Some(description),
            State::Broken(_) | State::NotBuilt => None,
        }
    }
}

/// Lists every stack there is a recipe for.
pub fn stacks(house: &House, args: &StacksArgs) -> anyhow::Result<Ended> {
    let recipes = house.shelf()?.every_edition()?;
    let states = descriptions(house, &Arc::new(AtomicBool::new(false)))?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["stack", "version, as it reports itself", "licence", "state", "how to build"]);
    for (recipe, (_, state)) in recipes.iter().zip(&states) {
        let version = state.description().map_or_else(|| "-".to_owned(), version);
        let state = match state {
            State::Built(..) => "built".to_owned(),
            State::Broken(reason) => format!("failed: {reason}"),
            State::NotBuilt => "not built".to_owned(),
        };
        let how = format!("tlslab build {}", recipe.name);
        table.add_row([recipe.name.clone(), version, recipe.licence.clone(), state, how]);
    }
    println!("{table}\n");
    for (name, state) in &states {
        if let State::Built(driver, description) = state {
            println!("{name}: {}", driver.display());
            if args.capabilities {
                print_capabilities(&description.capabilities);
            }
        }
    }
    let broken = states.iter().any(|(_, state)| matches!(state, State::Broken(_)));
    Ok(if broken { Ended::WithFailures } else { Ended::Well })
}

/// Every stack with its state, in the recipes' order.
pub fn descriptions(house: &House, cancel: &Arc<AtomicBool>) -> anyhow::Result<Vec<(String, State)>> {
    let recipes = house.shelf()?.every_edition()?;
    let launcher = Launcher { cpu: None, directory: house.cache.clone(), cancel: cancel.clone() };
    let workshop = house.workshop();
    let planned = workshop.plan(&recipes, cancel);
    let mut states = Vec::new();
    for (recipe, planned) in recipes.iter().zip(planned) {
        let is_cached =
            planned.stages.as_ref().is_ok_and(|stages| stages.last().is_some_and(|stage| stage.is_cached));
        let state = match is_cached.then(|| cached(&workshop, recipe, cancel)).flatten() {
            Some(built) => match describe(&launcher, program(&built), ANSWER_WITHIN) {
                Ok(description) => State::Built(built.driver, Box::new(description)),
                Err(failure) => State::Broken(failure.to_string()),
            },
            None => State::NotBuilt,
        };
        states.push((recipe.name.clone(), state));
    }
    Ok(states)
}

/// The product that is in the cache: building it makes nothing.
fn cached(workshop: &Workshop, recipe: &Recipe, cancel: &AtomicBool) -> Option<BuiltStack> {
    let outcomes = workshop.build(slice::from_ref(recipe), Options::default(), &|_: &Event| {}, cancel);
    outcomes.into_iter().next()?.1.ok()
}

fn program(built: &BuiltStack) -> DriverProgram<'_> {
    DriverProgram { path: &built.driver, environment: &built.environment }
}

fn version(description: &Description) -> String {
    let library = &description.library;
    let parts: Vec<String> =
        library.components.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let with = if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) };
    format!("{} {}{with}", library.name, library.version)
}

fn print_capabilities(able: &Capabilities) {
    let list = |name: &str, values: Vec<String>| println!("  {name:13} {}", values.join(", "));
    list("versions", able.versions.iter().map(|version| version.short_name().into_owned()).collect());
    list("signatures", able.signatures.iter().map(ToString::to_string).collect());
    list("groups", able.groups.iter().map(|group| group.short_name().into_owned()).collect());
    list("suites", able.suites.iter().map(|suite| suite.short_name().into_owned()).collect());
    list("verification", able.verification.iter().map(ToString::to_string).collect());
    list("works", able.works.clone());
    list("tickets", vec![format!("0 to {}", able.max_tickets)]);
    for limit in &able.limits {
        println!("  no {} {}: {}", limit.axis, limit.value, limit.reason);
    }
    for note in &able.notes {
        println!("  note: {note}");
    }
}
