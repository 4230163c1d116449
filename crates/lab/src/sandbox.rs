//! When code runs in a sandbox.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use tlslab_recipe::{Origin, Recipe};
use tlslab_record::Plan;
use tlslab_sandbox::Sandbox;

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

impl Session<'_> {
    /// Decides whether what these recipes become runs in a sandbox; once it does, everything of the session does, so that all stacks are
    /// measured alike.
    ///
    /// # Errors
    /// That a sandbox is needed and none can be made here.
    pub fn choose_sandbox(&self, recipes: &[&Recipe]) -> anyhow::Result<()> {
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        match self.environment.sandbox.is_required(recipes, is_ci) && self.sandbox().is_none() {
            true => self.require_sandbox(),
            false => Ok(()),
        }
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
            self.require_sandbox()?;
        }
        let found = self.sandbox().map(|sandbox| sandbox.description()).unwrap_or_default();
        ensure!(
            found == *wanted,
            "run {} began in another sandbox ({wanted}; here: {found}), so it cannot go on; start a new one",
            plan.id
        );
        Ok(())
    }

    fn require_sandbox(&self) -> anyhow::Result<()> {
        let sandbox = Sandbox::find().context(
            "there is no sandbox for code that nobody vouches for; --sandbox off runs it without one",
        )?;
        self.note(format!("sandbox: {}", sandbox.description()));
        self.set_sandbox(Arc::new(sandbox));
        Ok(())
    }
}
