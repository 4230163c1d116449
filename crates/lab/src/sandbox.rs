//! When code runs in a sandbox.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use tlslab_artifact::check_cache;
use tlslab_build::Builder;
use tlslab_recipe::Recipe;
use tlslab_record::Plan;
use tlslab_sandbox::Sandbox;

use crate::environment::Environment;
use crate::sandbox_mode::SandboxMode;
use crate::session::Session;
use crate::trusted::is_trusted;

impl SandboxMode {
    fn is_required(self, is_ci: bool, is_untrusted: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Require => true,
            Self::Off => false,
            Self::Auto => is_ci && is_untrusted(),
        }
    }
}

/// The variables in which CI names the checkout of a job.
const CHECKOUTS: [&str; 8] = [
    "TLSLAB_CHECKOUT",
    "GITHUB_WORKSPACE",
    "CI_PROJECT_DIR",
    "WORKSPACE",
    "BUILD_SOURCESDIRECTORY",
    "CIRCLE_WORKING_DIRECTORY",
    "BITBUCKET_CLONE_DIR",
    "TRAVIS_BUILD_DIR",
];

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
        let is_untrusted = || {
            let checkouts = CHECKOUTS.iter().filter_map(|name| std::env::var_os(name).map(PathBuf::from));
            let checkouts: Vec<PathBuf> = checkouts.collect();
            let builder = self.builder();
            !recipes.iter().all(|recipe| is_trusted(recipe, builder.trees(), &checkouts))
        };
        self.sandbox.is_required(is_ci, is_untrusted).then(|| self.find_sandbox()).transpose()
    }

    /// A sandbox. The caches must lie where untrusted code has no say in what is taken from them.
    fn find_sandbox(&self) -> anyhow::Result<Arc<Sandbox>> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let cargo_home = variable("CARGO_HOME").or_else(|| Some(variable("HOME")?.join(".cargo")));
        for cache in [Some(&self.cache), self.trusted_cache.as_ref()].into_iter().flatten() {
            let cache = std::path::absolute(cache).unwrap_or_else(|_| Path::new("/").join(cache));
            check_cache(&cache, cargo_home.as_deref())?;
        }
        let sandbox =
            Sandbox::find().context("untrusted code needs a sandbox; --sandbox off runs it without one")?;
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

    fn enter(&self, sandbox: Arc<Sandbox>) {
        self.note(format!("sandbox: {}", sandbox.description()));
        self.set_sandbox(sandbox);
    }
}
