//! How drivers are obtained and started: from the build cache as processes, unless a workshop has others.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tlslab_build::{BuildFailure, BuiltStack};
use tlslab_measure::{DriverFailure, DriverProgram, Launch, Launcher, Talk};
use tlslab_recipe::Recipe;
use tlslab_record::Plan;

/// A built stack, or why it was not built.
pub type Built = Result<BuiltStack, BuildFailure>;

/// A built stack's program without changes: no library is preloaded, and its addresses are fixed.
pub fn program(built: &BuiltStack) -> DriverProgram<'_> {
    DriverProgram {
        path: &built.driver,
        environment: &built.environment,
        preload: None,
        counter: None,
        moves: false,
        placement: None,
        described: None,
    }
}

/// Drivers that are neither built nor started as processes, such as those of a test.
pub trait Drivers: Sync {
    /// The product of a recipe. The program's file must exist: its digest is checked when a run resumes.
    fn built(&self, recipe: &Recipe) -> Built;

    /// Starts a driver, which answers [`DriverFailure::Interrupted`] once it is cancelled.
    ///
    /// # Errors
    /// Returns why it did not start.
    fn launch(
        &self,
        driver: DriverProgram<'_>,
        stop: Arc<AtomicBool>,
    ) -> Result<Box<dyn Talk>, DriverFailure>;
}

/// Starts a workshop's drivers.
pub enum SessionLauncher<'s> {
    /// As processes of this host.
    Processes(Box<Launcher>),
    /// By the workshop's own [`Drivers`].
    Given {
        /// The workshop's drivers.
        drivers: &'s dyn Drivers,
        /// Set when they are cancelled.
        stop: Arc<AtomicBool>,
    },
}

impl SessionLauncher<'_> {
    /// The same for a run, whose drivers must not have changed since it was planned.
    #[must_use]
    pub fn pinned_to(self, plan: &Plan) -> Self {
        match self {
            Self::Processes(launcher) => Self::Processes(Box::new(launcher.pinned_to(plan))),
            given => given,
        }
    }
}

impl Launch for SessionLauncher<'_> {
    fn launch(&self, driver: DriverProgram<'_>) -> Result<Box<dyn Talk>, DriverFailure> {
        match self {
            Self::Processes(launcher) => launcher.launch(driver),
            Self::Given { drivers, stop } => drivers.launch(driver, stop.clone()),
        }
    }

    fn binds(&self) -> bool {
        match self {
            Self::Processes(launcher) => launcher.binds(),
            Self::Given { .. } => false,
        }
    }

    fn processors(&self) -> Option<usize> {
        match self {
            Self::Processes(launcher) => launcher.processors(),
            Self::Given { .. } => None,
        }
    }
}
