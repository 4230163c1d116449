//! When code runs in a sandbox.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use tlslab_build::Builder;
use tlslab_recipe::{Origin, Recipe};
use tlslab_record::Plan;
use tlslab_sandbox::Sandbox;

use crate::environment::Environment;
use crate::sandbox_mode::SandboxMode;
use crate::session::Session;

impl SandboxMode {
    fn is_required(self, recipes: &[&Recipe], is_ci: bool) -> bool {
        match self {
            Self::Require => true,
            Self::Off => false,
            Self::Auto => is_ci && recipes.iter().any(|recipe| is_checkout(recipe)),
        }
    }
}

/// Whether it is made of what lies on this machine: under CI that is somebody's proposal.
fn is_checkout(recipe: &Recipe) -> bool {
    let of_needs = recipe.needs.iter().any(|need| is_checkout(&need.recipe));
    of_needs
        || recipe.sources().iter().any(|source| match &source.origin {
            Origin::Checkout(_) => true,
            Origin::Git { repository, .. } => Path::new(repository).exists(),
            Origin::Crate { .. } | Origin::Archive { .. } | Origin::Debian { .. } => false,
        })
}

impl Environment {
    /// Builds these recipes in a sandbox, if they are to run in one. Planning runs the commands by which a recipe asks the machine.
    ///
    /// # Errors
    /// That a sandbox is needed and none can be made here.
    pub fn builder_for(&self, recipes: &[Recipe]) -> anyhow::Result<Builder> {
        Ok(self.builder().in_sandbox(self.sandbox_for(&recipes.iter().collect::<Vec<_>>())?))
    }

    /// The sandbox for what these recipes become, if it is to run in one.
    ///
    /// # Errors
    /// That a sandbox is needed and none can be made here.
    pub(crate) fn sandbox_for(&self, recipes: &[&Recipe]) -> anyhow::Result<Option<Arc<Sandbox>>> {
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        self.sandbox.is_required(recipes, is_ci).then(find).transpose()
    }
}

fn find() -> anyhow::Result<Arc<Sandbox>> {
    let sandbox =
        Sandbox::find().context("untrusted code needs a sandbox; --sandbox off runs it without one")?;
    Ok(Arc::new(sandbox))
}

impl Session<'_> {
    /// Decides whether what these recipes become runs in a sandbox; once it does, everything of the session does, so that all stacks are
    /// measured alike.
    ///
    /// # Errors
    /// That a sandbox is needed and none can be made here.
    pub fn choose_sandbox(&self, recipes: &[&Recipe]) -> anyhow::Result<()> {
        if self.sandbox().is_none()
            && let Some(sandbox) = self.environment.sandbox_for(recipes)?
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
                "run {} began without a sandbox and cannot go on in one; resume it with --sandbox off",
                plan.id
            );
            return Ok(());
        };
        if self.sandbox().is_none() {
            self.enter(find()?);
        }
        let found = self.sandbox().map(|sandbox| sandbox.description()).unwrap_or_default();
        ensure!(
            found == *wanted,
            "run {} began in another sandbox ({wanted}; here: {found}), so it cannot go on; start a new one",
            plan.id
        );
        Ok(())
    }

    fn enter(&self, sandbox: Arc<Sandbox>) {
        self.note(format!("sandbox: {}", sandbox.description()));
        self.set_sandbox(sandbox);
    }
}
