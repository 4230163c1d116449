//! Stacks, built side by side.

use std::time::{Duration, Instant};

use tlslab_build::Stage;
use tlslab_recipe::Recipe;

use crate::error::Error;
use crate::request::BuildRequest;
use crate::session::{Built, Session, check_tools};

/// Stacks that were asked for.
pub struct Builds {
    /// Each stack in the order in which it was asked for.
    pub stacks: Vec<StackBuild>,
    /// How long it took.
    pub took: Duration,
}

/// A stack that was asked for.
pub struct StackBuild {
    /// Its name.
    pub name: String,
    /// What was built, or why it was not.
    pub built: Built,
    /// How long each stage took when it was made, which may be long ago, s.
    pub stages: Vec<(Stage, f64)>,
}

/// Builds stacks. With `check_tools` alone nothing is built.
///
/// # Errors
/// A stack that has no recipe, and programs that the builds need and that are not installed.
pub fn build(session: &Session<'_>, request: &BuildRequest) -> Result<Builds, Error> {
    let built = built(session, request);
    match session.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(built?),
    }
}

fn built(session: &Session<'_>, request: &BuildRequest) -> anyhow::Result<Builds> {
    let index = session.environment.recipe_index()?;
    let named = |names: &[String]| -> anyhow::Result<Vec<Recipe>> {
        Ok(names.iter().map(|name| index.named(name)).collect::<Result<_, _>>()?)
    };
    let recipes = match (request.all, request.stacks.is_empty()) {
        (true, _) => index.every_edition()?,
        (false, true) => named(&session.environment.run.stacks)?,
        (false, false) => named(&request.stacks)?,
    };
    let chosen: Vec<&Recipe> = recipes.iter().collect();
    let start = Instant::now();
    if request.check_tools {
        check_tools(&chosen)?;
        return Ok(Builds { stacks: vec![], took: start.elapsed() });
    }
    let built = session.build(&chosen)?;
    let took = start.elapsed();
    session.check()?;
    let planned = session.builder().plan(&recipes, session.cancel().flag());
    let stacks = recipes.iter().zip(planned).map(|(recipe, planned)| {
        let stages = planned.stages.iter().flatten();
        let stages = stages.filter_map(|stage| Some((stage.stage, stage.took?.as_secs_f64()))).collect();
        StackBuild { name: recipe.name.clone(), built: built[&recipe.name].clone(), stages }
    });
    Ok(Builds { stacks: stacks.collect(), took })
}
