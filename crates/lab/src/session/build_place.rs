//! Where stacks are built and drivers run: directly or in a sandbox.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use tlslab_artifact::check_cache;
use tlslab_build::Builder;
use tlslab_recipe::Recipe;
use tlslab_record::Plan;
use tlslab_sandbox::Sandbox;

use crate::problem::Problem;
use crate::session::conditions::Isolation;
use crate::session::conditions::Trust;
use crate::session::environment::Environment;
use crate::session::workshop::Workshop;
use crate::stacks::trusted::is_trusted;

/// Where stacks are built, drivers run, and a recipe's queries of the machine run.
#[derive(Clone, Debug)]
pub enum BuildPlace {
    /// Outside a sandbox, as programs of this user.
    Outside,
    /// In a sandbox.
    Inside(Arc<Sandbox>),
}

impl BuildPlace {
    /// Decides the place for these recipes.
    ///
    /// # Errors
    /// Fails if a sandbox is required and cannot be made.
    pub fn decide<'r>(
        environment: &Environment,
        recipes: impl IntoIterator<Item = &'r Recipe>,
        isolation: &Isolation,
    ) -> anyhow::Result<Self> {
        let is_inside = match isolation {
            Isolation::Always => true,
            Isolation::Never => false,
            Isolation::UnlessReleased { proposals } => {
                let builder = environment.builder();
                !recipes.into_iter().all(|recipe| is_trusted(recipe, builder.trees(), proposals))
            }
        };
        if is_inside { Self::inside(environment) } else { Ok(Self::Outside) }
    }

    /// In a sandbox. Untrusted code must not influence what is taken from the caches.
    fn inside(environment: &Environment) -> anyhow::Result<Self> {
        for cache in [Some(&environment.cache), environment.trusted_cache.as_ref()].into_iter().flatten() {
            let cache = std::path::absolute(cache).unwrap_or_else(|_| Path::new("/").join(cache));
            check_cache(&cache, environment.cargo_home.as_deref())?;
        }
        let sandbox =
            Sandbox::find().context("untrusted code runs only in a sandbox, and none can be made here")?;
        Ok(Self::Inside(Arc::new(sandbox)))
    }

    /// The sandbox, if the place is one.
    pub fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        match self {
            Self::Outside => None,
            Self::Inside(sandbox) => Some(sandbox),
        }
    }

    /// A builder that builds there.
    pub fn builder(&self, environment: &Environment) -> Builder {
        environment.builder().in_sandbox(self.sandbox().cloned())
    }
}

impl Workshop<'_> {
    /// Decides where these recipes are built and run. If that is a sandbox, it applies to the whole workshop,
    /// so that all stacks are measured alike.
    ///
    /// # Errors
    /// Fails if a sandbox is required and cannot be made.
    pub fn decide_place(&self, recipes: &[&Recipe]) -> anyhow::Result<()> {
        self.check_reviewed(recipes)?;
        if self.sandbox().is_none() {
            let recipes = recipes.iter().copied();
            self.go_on(BuildPlace::decide(self.environment, recipes, &self.conditions.isolation)?);
        }
        Ok(())
    }

    /// Resumes in the place of an interrupted run.
    ///
    /// # Errors
    /// Fails if the run began in a sandbox and none can be made here, or if the sandbox differs.
    pub fn resume_place(&self, plan: &Plan) -> anyhow::Result<()> {
        let Some(wanted) = &plan.sandbox else {
            ensure!(
                self.sandbox().is_none(),
                "run {} began without a sandbox and cannot continue in one; resume it without",
                plan.id
            );
            return Ok(());
        };
        if self.sandbox().is_none() {
            self.go_on(BuildPlace::inside(self.environment)?);
        }
        let found = self.sandbox().map(|sandbox| sandbox.description()).unwrap_or_default();
        ensure!(
            found == *wanted,
            "run {} began in another sandbox ({wanted}; here: {found}), so it cannot continue; start a new one",
            plan.id
        );
        Ok(())
    }

    /// Reviewed are the lab's own recipes at released versions.
    fn check_reviewed(&self, recipes: &[&Recipe]) -> Result<(), Problem> {
        if self.conditions.trust != Trust::Reviewed {
            return Ok(());
        }
        let builder = self.environment.builder();
        match recipes.iter().find(|recipe| !is_trusted(recipe, builder.trees(), &[])) {
            None => Ok(()),
            Some(recipe) => Err(Problem::refused(
                &recipe.name,
                "it is not one of the lab's own stacks at a released version, as a job of trust reviewed needs",
                "send the job with trust candidate",
            )),
        }
    }

    fn go_on(&self, place: BuildPlace) {
        if let Some(sandbox) = place.sandbox() {
            self.reporter.note(format!("sandbox: {}", sandbox.description()));
            // If another thread has set it, both values are equal.
            let _ = self.inside.set(place);
        }
    }
}
