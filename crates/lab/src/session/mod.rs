//! What every part of the engine needs: the environment, somebody who watches, and the request to stop.

pub mod build_place;
pub mod cancel;
pub mod conditions;
pub mod drivers;
pub mod environment;
pub mod job_id;
pub mod root;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tlslab_build::{Builder, BuiltStack, MissingTools, Options, ToMake, missing_tools};
use tlslab_measure::Launcher;
use tlslab_pki::Pki;
use tlslab_process::most_memory;
use tlslab_protocol::Scenario;
use tlslab_recipe::Recipe;
use tlslab_record::Policy;
use tlslab_sandbox::Sandbox;
use tlslab_store::Store;

use crate::error::Error;
use crate::host::processors::Cpus;
use crate::progress::event::{Event, PlannedProduct, Stage, Step};
use crate::progress::phase::Phase;
use crate::results::Results;
use crate::results::exports::Export;
use crate::session::build_place::BuildPlace;
use crate::session::cancel::{Cancel, Interrupted};
use crate::session::conditions::Conditions;
use crate::session::drivers::{Built, Drivers, SessionLauncher};
use crate::session::environment::Environment;

/// What every part of the engine needs.
pub struct Session<'s> {
    /// The lab's files, the user's own, and the cache.
    pub environment: &'s Environment,
    /// Where results lie.
    pub results: &'s Results,
    /// All of the job but what is asked for.
    pub conditions: &'s Conditions,
    cancel: Cancel,
    report: &'s (dyn Fn(&Event) + Sync),
    drivers: Option<&'s dyn Drivers>,
    inside: OnceLock<BuildPlace>,
    shown: Mutex<Vec<PathBuf>>,
}

impl<'s> Session<'s> {
    /// A session that reports events to a function, from several threads.
    pub fn new(
        environment: &'s Environment,
        results: &'s Results,
        conditions: &'s Conditions,
        report: &'s (dyn Fn(&Event) + Sync),
        cancel: &Cancel,
    ) -> Self {
        Self {
            environment,
            results,
            conditions,
            cancel: cancel.clone(),
            report,
            drivers: None,
            inside: OnceLock::new(),
            shown: Mutex::default(),
        }
    }

    /// The same with drivers that are neither built nor started as processes.
    #[must_use]
    pub fn with_drivers(self, drivers: &'s dyn Drivers) -> Self {
        Self { drivers: Some(drivers), ..self }
    }

    /// The database of runs, in which those of this session belong to its job.
    ///
    /// # Errors
    /// A database that cannot be opened or created.
    pub fn store(&self) -> anyhow::Result<Box<dyn Store>> {
        let mut store = self.results.open()?;
        store.set_job(self.conditions.id.as_str());
        Ok(store)
    }

    /// Every number that decisions depend on.
    pub fn policy(&self) -> &Policy {
        self.conditions.policy.as_ref().unwrap_or(&self.environment.policy)
    }

    /// Where builds and drivers run.
    pub fn place(&self) -> &BuildPlace {
        self.inside.get().unwrap_or(&BuildPlace::Outside)
    }

    /// The sandbox in which builds and drivers run, if they run in one.
    pub fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        self.place().sandbox()
    }

    /// Shows a file to the drivers that are started from now on, where they run in a sandbox.
    pub(crate) fn show(&self, file: PathBuf) {
        self.shown().push(file);
    }

    fn shown(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        // A list to which something is added is whole at any time.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_requested()
    }

    /// Stops here if it was asked to stop.
    ///
    /// # Errors
    /// [`Interrupted`] if it was.
    pub fn check(&self) -> Result<(), Interrupted> {
        self.cancel.check()
    }

    /// The result of work on a run, if a run had begun. Whatever became of work that was asked to stop, it was interrupted.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if it was asked to stop, else the work's own error.
    pub fn finished<T>(&self, run: Option<&str>, result: anyhow::Result<T>) -> Result<T, Error> {
        match result {
            Ok(value) => Ok(value),
            Err(_) if self.is_cancelled() => Err(Error::Interrupted { run: run.map(str::to_owned) }),
            Err(cause) => Err(Error::Failed(cause)),
        }
    }

    /// The request to stop.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Reports an event.
    pub fn emit(&self, event: &Event) {
        (self.report)(event);
    }

    /// Reports files that were written.
    pub fn announce(&self, export: &Export) {
        self.emit(&Event::Written(export.clone()));
    }

    /// Reports what explains what is happening.
    pub fn note(&self, text: impl Into<String>) {
        self.emit(&Event::Note { text: text.into() });
    }

    /// Reports what a reader must know.
    pub fn warn(&self, text: impl Into<String>) {
        self.emit(&Event::Warning { text: text.into() });
    }

    /// Reports a step.
    pub fn step(&self, stage: Stage, (done, total): (usize, usize), what: impl Into<String>) {
        self.emit(&Event::Step(Step { stage, done, total, left_s: None, what: what.into() }));
    }

    /// Starts drivers that are not timed: wherever the kernel puts them.
    pub fn launcher(&self) -> SessionLauncher<'s> {
        self.launcher_at(None, vec![])
    }

    fn launcher_at(&self, cpu: Option<usize>, cpus: Vec<usize>) -> SessionLauncher<'s> {
        if let Some(drivers) = self.drivers {
            return SessionLauncher::Given { drivers, stop: self.cancel.flag().clone() };
        }
        SessionLauncher::Processes(Box::new(Launcher {
            cpu,
            cpus,
            directory: self.environment.cache.clone(),
            cancel: self.cancel.flag().clone(),
            programs: Arc::default(),
            sandbox: self.sandbox().cloned(),
            trusted: self.environment.trusted_cache.clone(),
            shown: self.shown().clone(),
            memory_bytes: most_memory(),
        }))
    }

    /// Starts drivers that are timed, on the processors chosen for them.
    pub fn launcher_on(&self, cpus: &Cpus) -> SessionLauncher<'s> {
        self.launcher_at(cpus.driver, cpus.all.clone())
    }

    /// The keys and certificates of some scenarios, created when they are first needed.
    pub fn keys(&self, scenarios: &[Scenario]) -> anyhow::Result<Pki> {
        let mut report = |text: &str| {
            if self.is_cancelled() {
                return ControlFlow::Break(());
            }
            self.note(format!("keys: {text}"));
            ControlFlow::Continue(())
        };
        self.environment.pki(scenarios, &mut report)
    }

    /// Builds recipes, each once, and returns the outcomes by recipe name.
    ///
    /// # Errors
    /// Programs that the builds need and that are not installed.
    pub fn build(&self, recipes: &[&Recipe]) -> anyhow::Result<HashMap<String, Built>> {
        self.built(recipes, self)
    }

    /// The same after it was announced what the whole job takes: these builds, and further phases.
    ///
    /// # Errors
    /// Programs that the builds need and that are not installed.
    pub fn build_and_announce(
        &self,
        recipes: &[&Recipe],
        further: &[Phase],
    ) -> anyhow::Result<HashMap<String, Built>> {
        if self.drivers.is_some() {
            self.announce_phases((0, Duration::ZERO), further);
        }
        self.built(recipes, &Announcing { session: self, further })
    }

    fn announce_phases(&self, (products, about): (usize, Duration), further: &[Phase]) {
        let builds = Phase { steps: Some(products), ..Phase::timed("build", about.as_secs_f64()) };
        let builds = (products > 0).then_some(builds);
        self.emit(&Event::Planned { phases: builds.into_iter().chain(further.iter().cloned()).collect() });
    }

    /// How long builds take that come later.
    pub(crate) fn later_builds(&self, recipes: &[Recipe]) -> anyhow::Result<Phase> {
        let (products, about) = match self.drivers {
            Some(_) => (0, Duration::ZERO),
            None => {
                // Planning asks the machine what recipes want to know.
                self.decide_place(&recipes.iter().collect::<Vec<_>>())?;
                self.builder().forecast(recipes, Options::default(), self.cancel.flag())
            }
        };
        Ok(Phase { steps: Some(products), ..Phase::timed("build", about.as_secs_f64()) })
    }

    fn built(
        &self,
        recipes: &[&Recipe],
        observer: &dyn tlslab_build::Observer,
    ) -> anyhow::Result<HashMap<String, Built>> {
        let mut once: Vec<Recipe> = Vec::new();
        for recipe in recipes {
            if !once.iter().any(|known| known.name == recipe.name) {
                once.push((*recipe).clone());
            }
        }
        if let Some(drivers) = self.drivers {
            return Ok(once
                .into_iter()
                .map(|recipe| (recipe.name.clone(), drivers.built(&recipe)))
                .collect());
        }
        check_tools(recipes)?;
        self.decide_place(recipes)?;
        Ok(self
            .builder()
            .build(&once, Options::default(), observer, self.cancel.flag())
            .into_iter()
            .collect())
    }

    /// What there is of some recipes already; nothing is built.
    pub fn made(&self, recipes: &[Recipe]) -> Vec<(String, Built)> {
        match self.drivers {
            Some(drivers) => {
                recipes.iter().map(|recipe| (recipe.name.clone(), drivers.built(recipe))).collect()
            }
            None => self.builder().made(recipes, self.cancel.flag()),
        }
    }

    /// Builds in the session's sandbox, if it has one.
    pub fn builder(&self) -> Builder {
        self.place().builder(self.environment)
    }

    /// What git answers about a repository, in the session's sandbox if it has one.
    ///
    /// # Errors
    /// A repository that is not there, and an answer that is none or does not come.
    pub fn git(&self, repository: &Path, arguments: &[&str]) -> anyhow::Result<String> {
        Ok(self.builder().ask_git(repository, arguments, self.cancel.flag())?)
    }

    /// Builds the libraries that are loaded into drivers that are weighed or counted.
    ///
    /// # Errors
    /// Why they were not built.
    pub fn preloads(&self) -> anyhow::Result<tlslab_instruments::Preloads> {
        Ok(self.environment.instruments().preload(self, self.cancel.flag())?)
    }

    /// Builds one stack.
    ///
    /// # Errors
    /// Why it was not built.
    pub fn build_one(&self, recipe: &Recipe) -> anyhow::Result<BuiltStack> {
        match self.build(&[recipe])?.remove(&recipe.name) {
            Some(Ok(built)) => Ok(built),
            Some(Err(failure)) => anyhow::bail!("{} was not built: {failure}", recipe.name),
            None => anyhow::bail!("{} was not built", recipe.name),
        }
    }
}

/// Refuses builds whose programs are not installed.
///
/// # Errors
/// Which programs are missing, and how to install them.
pub fn check_tools(recipes: &[&Recipe]) -> anyhow::Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = missing_tools(recipes.iter().copied(), &path);
    if missing.is_empty() { Ok(()) } else { Err(MissingTools(missing).into()) }
}

impl tlslab_build::Observer for Session<'_> {
    fn begins(&self, to_make: &[ToMake], about: Duration) {
        let products = to_make.iter().map(PlannedProduct::from).collect();
        self.emit(&Event::BuildPlanned { products, about_s: about.as_secs_f64() });
    }

    fn on(&self, event: &tlslab_build::Event) {
        self.emit(&Event::from(event));
    }
}

/// Announces a whole job with the builds that it begins with.
struct Announcing<'b, 's> {
    session: &'b Session<'s>,
    further: &'b [Phase],
}

impl tlslab_build::Observer for Announcing<'_, '_> {
    fn begins(&self, to_make: &[ToMake], about: Duration) {
        self.session.announce_phases((to_make.len(), about), self.further);
        tlslab_build::Observer::begins(self.session, to_make, about);
    }

    fn on(&self, event: &tlslab_build::Event) {
        tlslab_build::Observer::on(self.session, event);
    }
}
