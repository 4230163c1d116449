//! When code runs in a sandbox.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use tlslab_artifact::check_cache;
use tlslab_build::Builder;
use tlslab_recipe::Recipe;
use tlslab_record::Plan;
use tlslab_sandbox::Sandbox;

use crate::conditions::Isolation;
use crate::environment::Environment;
use crate::job::Trust;
use crate::problem::Problem;
use crate::session::Session;
use crate::trusted::is_trusted;

impl Environment {
    /// Builds these recipes in a sandbox, if they are to run in one. Planning runs the commands by which a recipe asks the machine.
    ///
    /// # Errors
    /// That a sandbox is needed and none can be made here.
    pub fn builder_for(&self, recipes: &[Recipe], isolation: &Isolation) -> anyhow::Result<Builder> {
        Ok(self.builder().in_sandbox(self.sandbox_for(&recipes.iter().collect::<Vec<_>>(), isolation)?))
    }

    /// The sandbox for what these recipes become, if it is to run in one.
    ///
    /// # Errors
    /// That a sandbox is needed and none can be made here.
    pub(crate) fn sandbox_for(
        &self,
        recipes: &[&Recipe],
        isolation: &Isolation,
    ) -> anyhow::Result<Option<Arc<Sandbox>>> {
        let is_required = match isolation {
            Isolation::Always => true,
            Isolation::Never => false,
            Isolation::UnlessReleased { proposals } => {
                let builder = self.builder();
                !recipes.iter().all(|recipe| is_trusted(recipe, builder.trees(), proposals))
            }
        };
        is_required.then(|| self.find_sandbox()).transpose()
    }

    /// A sandbox. The caches must lie where bounded_read code has no say in what is taken from them.
    fn find_sandbox(&self) -> anyhow::Result<Arc<Sandbox>> {
        for cache in [Some(&self.cache), self.trusted_cache.as_ref()].into_iter().flatten() {
            let cache = std::path::absolute(cache).unwrap_or_else(|_| Path::new("/").join(cache));
            check_cache(&cache, self.cargo_home.as_deref())?;
        }
        let sandbox = Sandbox::find().context("bounded_read code runs in a sandbox and not without one")?;
        Ok(Arc::new(sandbox))
    }
}

impl Session<'_> {
    /// Decides whether what these recipes become runs in a sandbox; once it does, everything of the session does, so that all stacks are
    /// measured alike.
    ///
    /// # Errors
    /// That a sandbox is needed and none can be made here.
    pub fn choose_sandbox(&self, recipes: &[&Recipe]) -> anyhow::Result<()> {
        self.check_reviewed(recipes)?;
        if self.sandbox().is_none()
            && let Some(sandbox) = self.environment.sandbox_for(recipes, &self.conditions.isolation)?
        {
            self.enter(sandbox);
        }
        Ok(())
    }

    /// Goes on in the sandbox of a run that was interrupted.
    ///
    /// # Errors
    /// That there is none here, or another one.
    pub fn sandbox_of(&self, plan: &Plan) -> anyhow::Result<()> {
        let Some(wanted) = &plan.sandbox else {
            ensure!(
                self.sandbox().is_none(),
                "run {} began without a sandbox and cannot go on in one; resume it without",
                plan.id
            );
            return Ok(());
        };
        if self.sandbox().is_none() {
            self.enter(self.environment.find_sandbox()?);
        }
        let found = self.sandbox().map(|sandbox| sandbox.description()).unwrap_or_default();
        ensure!(
            found == *wanted,
            "run {} began in another sandbox ({wanted}; here: {found}), so it cannot go on; start a new one",
            plan.id
        );
        Ok(())
    }

    /// What is reviewed is the lab's own recipes at released versions.
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

    fn enter(&self, sandbox: Arc<Sandbox>) {
        self.note(format!("sandbox: {}", sandbox.description()));
        self.set_sandbox(sandbox);
    }
}
