//! Parallel builds of stacks.

use std::path::PathBuf;
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_build::{BuildFailure, Stage};
use tlslab_recipe::Recipe;
use tlslab_record::StackIdentity;
use tlslab_store::Store;

use crate::error::Error;
use crate::request::BuildRequest;
use crate::session::Session;
use crate::session::drivers::{Built, program};
use crate::session::reporter::Reporter;
use crate::session::workshop::{Workshop, check_tools};
use crate::stacks::capability;

/// The requested stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Builds {
    /// Each stack, in the order of the request.
    pub stacks: Vec<StackBuild>,
    /// The total time, s.
    pub took_s: f64,
}

/// A requested stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackBuild {
    /// Its name.
    pub name: String,
    /// The product, or why the build failed.
    pub outcome: BuildOutcome,
    /// How long each stage took when it was built, which may be long ago.
    pub stages: Vec<StageTime>,
}

/// The product of a stack, or why its build failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BuildOutcome {
    /// It was built, now or before.
    Built {
        /// The program, on the machine that built it.
        driver: PathBuf,
        /// SHA-256 of the program, hex.
        driver_digest: String,
        /// Its identity.
        identity: Box<StackIdentity>,
    },
    /// It was not built.
    Failed(BuildFailure),
}

/// The time of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// The time that it took, s.
    pub took_s: f64,
}

impl From<&Built> for BuildOutcome {
    fn from(built: &Built) -> Self {
        match built {
            Ok(built) => Self::Built {
                driver: built.driver.clone(),
                driver_digest: built.driver_digest.clone(),
                identity: Box::new(built.identity.clone()),
            },
            Err(failure) => Self::Failed(failure.clone()),
        }
    }
}

/// Builds stacks. With `check_tools` nothing is built.
///
/// # Errors
/// Fails if a stack has no recipe, or if programs for the builds are not installed.
pub fn build(session: &Session<'_>, request: &BuildRequest) -> Result<Builds, Error> {
    ended(session.reporter(), built(&session.workshop, request, None))
}

/// The same, and records the stacks' capabilities in the session's database.
///
/// # Errors
/// As [`build`]; also fails if the database cannot be opened.
pub fn build_and_note(session: &Session<'_>, request: &BuildRequest) -> Result<Builds, Error> {
    let store = session.store()?;
    ended(session.reporter(), built(&session.workshop, request, Some(store)))
}

fn ended(reporter: &Reporter<'_>, built: anyhow::Result<Builds>) -> Result<Builds, Error> {
    match reporter.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(built?),
    }
}

fn built(
    workshop: &Workshop<'_>,
    request: &BuildRequest,
    mut store: Option<Box<dyn Store>>,
) -> anyhow::Result<Builds> {
    let index = workshop.environment.recipe_index()?;
    let named = |names: &[String]| -> anyhow::Result<Vec<Recipe>> {
        Ok(names.iter().map(|name| index.named(name)).collect::<Result<_, _>>()?)
    };
    let recipes = match (request.all_stacks, request.stacks.is_empty()) {
        (true, _) => index.every_edition()?,
        (false, true) => named(&workshop.environment.run.stacks)?,
        (false, false) => named(&request.stacks)?,
    };
    let chosen: Vec<&Recipe> = recipes.iter().collect();
    let start = Instant::now();
    if request.check_tools {
        check_tools(&chosen)?;
        return Ok(Builds { stacks: vec![], took_s: start.elapsed().as_secs_f64() });
    }
    let built = workshop.build(&chosen)?;
    let took_s = start.elapsed().as_secs_f64();
    workshop.reporter.check()?;
    if let Some(store) = &mut store {
        for (name, built) in built.iter().filter_map(|(name, built)| Some((name, built.as_ref().ok()?))) {
            capability::ask(workshop, &mut **store, name, &built.driver_digest, program(built))?;
        }
    }
    let planned = workshop.builder().plan(&recipes, workshop.reporter.cancel().flag());
    let stacks = recipes.iter().zip(planned).map(|(recipe, planned)| {
        let stages = planned.stages.iter().flatten();
        let took = stages.filter_map(|stage| Some((stage.stage, stage.took?)));
        let stages = took.map(|(stage, took)| StageTime { stage, took_s: took.as_secs_f64() }).collect();
        StackBuild { name: recipe.name.clone(), outcome: (&built[&recipe.name]).into(), stages }
    });
    Ok(Builds { stacks: stacks.collect(), took_s })
}
