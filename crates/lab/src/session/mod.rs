//! What every part of the engine needs: the environment, somebody who watches, and the request to stop.

pub(crate) mod cancel;
pub(crate) mod conditions;
pub(crate) mod drivers;
pub(crate) mod environment;
pub(crate) mod root;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tlslab_build::{Builder, BuiltStack, MissingTools, Options, Task, missing_tools};
use tlslab_measure::Launcher;
use tlslab_pki::Pki;
use tlslab_process::most_memory;
use tlslab_protocol::Scenario;
use tlslab_recipe::Recipe;
use tlslab_record::Policy;
use tlslab_sandbox::Sandbox;
use tlslab_store::Store;

use crate::cancel::{Cancel, Interrupted};
use crate::conditions::Conditions;
use crate::database::Results;
use crate::drivers::{Built, Drivers, SessionLauncher};
use crate::environment::Environment;
use crate::error::Error;
use crate::event::{Event, Product, Stage, Step};
use crate::exports::Export;
use crate::processors::Cpus;

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
    sandbox: OnceLock<Arc<Sandbox>>,
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
            sandbox: OnceLock::new(),
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

    /// The sandbox in which builds and drivers run, if they run in one.
    pub fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        self.sandbox.get()
    }

    /// Has builds and drivers run in a sandbox from now on.
    pub(crate) fn set_sandbox(&self, sandbox: Arc<Sandbox>) {
        // If another thread has set it, the two are alike.
        let _ = self.sandbox.set(sandbox);
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
        self.choose_sandbox(recipes)?;
        Ok(self.builder().build(&once, Options::default(), self, self.cancel.flag()).into_iter().collect())
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
        self.environment.builder().in_sandbox(self.sandbox().cloned())
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
    fn begins(&self, to_make: &[Task]) {
        self.emit(&Event::BuildPlanned { products: to_make.iter().map(Product::from).collect() });
    }

    fn on(&self, event: &tlslab_build::Event) {
        self.emit(&Event::from(event));
    }
}

/// A run's progress as events.
pub struct RunEvents<'r, 's>(pub &'r Session<'s>);

impl RunEvents<'_, '_> {
    fn step(&self, stage: Stage, stack: &str, scenario: &str, progress: (usize, usize)) {
        self.0.step(stage, progress, format!("{stack}: {scenario}"));
    }
}

impl tlslab_measure::Observer for RunEvents<'_, '_> {
    fn proving(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.step(Stage::Prove, stack, scenario, (done, total));
    }

    fn visiting(&mut self, round: u32, scenario: &str, done: usize, total: usize, left_s: f64) {
        let what = format!("round {}: {scenario}", round + 1);
        self.0.emit(&Event::Step(Step { stage: Stage::Measure, done, total, left_s: Some(left_s), what }));
    }

    fn counting(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.step(Stage::Count, stack, scenario, (done, total));
    }

    fn weighing(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.step(Stage::Weigh, stack, scenario, (done, total));
    }

    fn slicing(&mut self, block: u32, place: usize, total: usize) {
        self.0.emit(&Event::Slice { block, place, total });
    }

    fn warning(&mut self, text: &str) {
        self.0.warn(text);
    }
}
