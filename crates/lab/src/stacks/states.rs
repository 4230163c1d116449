//! Which stacks are built, and what their drivers report.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_build::{Builder, BuiltStack, Event, Options};
use tlslab_measure::{Launcher, describe};
use tlslab_process::most_memory;
use tlslab_protocol::Description;
use tlslab_recipe::Recipe;

use crate::session::build_place::BuildPlace;
use crate::session::cancel::Cancel;
use crate::session::conditions::Isolation;
use crate::session::drivers::program;
use crate::session::environment::Environment;

/// The time limit for a driver's description.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The state of a stack.
pub enum StackState {
    /// Its driver is in the cache and has answered.
    Built(Box<Description>),
    /// Its driver is in the cache and did not answer; the reason.
    Broken(String),
    /// It is not built.
    NotBuilt,
}

impl StackState {
    /// The driver's description.
    pub fn description(&self) -> Option<&Description> {
        match self {
            StackState::Built(description) => Some(description),
            StackState::Broken(_) | StackState::NotBuilt => None,
        }
    }
}

/// Every stack with its state, in the recipes' order. Drivers, and recipes' queries of the machine, run in a
/// sandbox if the environment requires it.
///
/// # Errors
/// Fails if a sandbox is required and cannot be made.
pub fn stack_states(
    environment: &Environment,
    isolation: &Isolation,
    recipes: &[Recipe],
    cancel: &Cancel,
) -> anyhow::Result<Vec<(String, StackState)>> {
    let place = BuildPlace::decide(environment, recipes, isolation)?;
    let launcher = Launcher {
        cpu: None,
        cpus: vec![],
        directory: environment.cache.clone(),
        cancel: cancel.flag().clone(),
        programs: Arc::default(),
        sandbox: place.sandbox().cloned(),
        trusted: environment.trusted_cache.clone(),
        shown: vec![],
        memory_bytes: most_memory(),
    };
    let builder = place.builder(environment);
    let planned = builder.plan(recipes, cancel.flag());
    let mut states = Vec::new();
    for (recipe, planned) in recipes.iter().zip(planned) {
        let is_cached =
            planned.stages.as_ref().is_ok_and(|stages| stages.last().is_some_and(|stage| stage.is_cached));
        let state = match is_cached.then(|| cached(&builder, recipe, cancel.flag())).flatten() {
            Some(built) => match describe(&launcher, program(&built), ANSWER_WITHIN) {
                Ok(description) => StackState::Built(Box::new(description)),
                Err(failure) => StackState::Broken(failure.to_string()),
            },
            None => StackState::NotBuilt,
        };
        states.push((recipe.name.clone(), state));
    }
    Ok(states)
}

/// The product in the cache, if building would do nothing.
fn cached(builder: &Builder, recipe: &Recipe, cancel: &AtomicBool) -> Option<BuiltStack> {
    let outcomes = builder.build(slice::from_ref(recipe), Options::default(), &|_: &Event| {}, cancel);
    outcomes.into_iter().next()?.1.ok()
}
