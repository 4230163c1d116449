//! Builds stacks and starts their drivers.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tlslab_build::{BuildFailure, Builder, BuiltStack, MissingTools, Options, Stage, ToMake, missing_tools};
use tlslab_instruments::HostFeatures;
use tlslab_measure::Launcher;
use tlslab_pki::Pki;
use tlslab_process::most_memory;
use tlslab_protocol::Scenario;
use tlslab_recipe::{Recipe, ShownProcessor};
use tlslab_record::Policy;
use tlslab_sandbox::Sandbox;

use super::build_place::BuildPlace;
use super::conditions::Conditions;
use super::cpuid_places;
use super::drivers::{Built, Drivers, SessionLauncher};
use super::environment::Environment;
use super::reporter::Reporter;
use super::shown_processor;
use crate::host::processors::Cpus;
use crate::progress::event::{Event, PlannedProduct};
use crate::progress::phase::Phase;

/// Builds stacks and starts their drivers, directly or in a sandbox; it knows no results.
pub struct Workshop<'s> {
    /// The lab's files, the user's own, and the cache.
    pub environment: &'s Environment,
    /// The observer, and cancellation.
    pub reporter: Reporter<'s>,
    pub(crate) conditions: &'s Conditions,
    pub(super) inside: OnceLock<BuildPlace>,
    drivers: Option<&'s dyn Drivers>,
    shown: Mutex<Vec<PathBuf>>,
}

impl<'s> Workshop<'s> {
    pub(super) fn new(
        environment: &'s Environment,
        conditions: &'s Conditions,
        reporter: Reporter<'s>,
    ) -> Self {
        Self {
            environment,
            reporter,
            conditions,
            inside: OnceLock::new(),
            drivers: None,
            shown: Mutex::default(),
        }
    }

    pub(super) fn with_drivers(self, drivers: &'s dyn Drivers) -> Self {
        Self { drivers: Some(drivers), ..self }
    }

    /// Every number that decisions depend on.
    pub fn policy(&self) -> &Policy {
        self.conditions.policy.as_ref().unwrap_or(&self.environment.policy)
    }

    /// The place where builds and drivers run.
    pub fn place(&self) -> &BuildPlace {
        self.inside.get().unwrap_or(&BuildPlace::Outside)
    }

    /// The sandbox in which builds and drivers run, if any.
    pub fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        self.place().sandbox()
    }

    /// Makes a file visible to drivers that are started later in a sandbox.
    pub(crate) fn show(&self, file: PathBuf) {
        self.shown().push(file);
    }

    fn shown(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        // A list that only grows is valid at any time.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts untimed drivers: the kernel places them.
    pub fn launcher(&self) -> SessionLauncher<'s> {
        self.launcher_at(None, vec![])
    }

    fn launcher_at(&self, cpu: Option<usize>, cpus: Vec<usize>) -> SessionLauncher<'s> {
        if let Some(drivers) = self.drivers {
            return SessionLauncher::Given { drivers, stop: self.reporter.cancel().flag().clone() };
        }
        SessionLauncher::Processes(Box::new(Launcher {
            cpu,
            cpus,
            directory: self.environment.cache.clone(),
            cancel: self.reporter.cancel().flag().clone(),
            programs: Arc::default(),
            sandbox: self.sandbox().cloned(),
            trusted: self.environment.trusted_cache.clone(),
            shown: self.shown().clone(),
            memory_bytes: most_memory(),
        }))
    }

    /// Starts timed drivers, on the processors chosen for them.
    pub fn launcher_on(&self, cpus: &Cpus) -> SessionLauncher<'s> {
        self.launcher_at(cpus.driver, cpus.all.clone())
    }

    /// The keys and certificates for some scenarios, made on first use.
    ///
    /// # Errors
    /// Fails if keys cannot be read or made, or if the work was cancelled.
    pub fn keys(&self, scenarios: &[Scenario]) -> anyhow::Result<Pki> {
        let mut report = |text: &str| {
            if self.reporter.is_cancelled() {
                return ControlFlow::Break(());
            }
            self.reporter.note(format!("keys: {text}"));
            ControlFlow::Continue(())
        };
        self.environment.pki(scenarios, &mut report)
    }

    /// Builds recipes, each once, and returns the results by recipe name.
    ///
    /// # Errors
    /// Fails if programs for the builds are not installed.
    pub fn build(&self, recipes: &[&Recipe]) -> anyhow::Result<HashMap<String, Built>> {
        self.built(recipes, self)
    }

    /// The same, after announcing the duration of the whole job: these builds, and further phases.
    ///
    /// # Errors
    /// Fails if programs for the builds are not installed.
    pub fn build_and_announce(
        &self,
        recipes: &[&Recipe],
        further: &[Phase],
    ) -> anyhow::Result<HashMap<String, Built>> {
        if self.drivers.is_some() {
            self.announce_phases((0, Duration::ZERO), further);
        }
        self.built(recipes, &Announcing { workshop: self, further })
    }

    fn announce_phases(&self, (products, about): (usize, Duration), further: &[Phase]) {
        let builds = Phase { steps: Some(products), ..Phase::timed("build", about.as_secs_f64()) };
        let builds = (products > 0).then_some(builds);
        self.reporter
            .emit(&Event::Planned { phases: builds.into_iter().chain(further.iter().cloned()).collect() });
    }

    /// How long later builds take.
    pub(crate) fn later_builds(&self, recipes: &[Recipe]) -> anyhow::Result<Phase> {
        let (products, about) = match self.drivers {
            Some(_) => (0, Duration::ZERO),
            None => {
                // Planning runs the recipes' queries of the machine.
                self.decide_place(&recipes.iter().collect::<Vec<_>>())?;
                self.builder().forecast(recipes, Options::default(), self.reporter.cancel().flag())
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
        let host = self.host_shown_to(&once)?;
        self.decide_place(recipes)?;
        let built = self.builder().build(&once, Options::default(), observer, self.reporter.cancel().flag());
        self.run_as(&once, built.into_iter(), host.as_ref())
    }

    /// The features of this host's processor, if one of the recipes is to be run as another.
    ///
    /// # Errors
    /// Fails if it cannot be: see [`shown_processor::check`].
    fn host_shown_to(&self, recipes: &[Recipe]) -> anyhow::Result<Option<HostFeatures>> {
        if recipes.iter().all(|recipe| recipe.processor.is_none()) {
            return Ok(None);
        }
        let host = self.host_features()?;
        shown_processor::check(recipes, &host)?;
        Ok(Some(host))
    }

    /// The features of this host's processor.
    ///
    /// # Errors
    /// Fails if the program that asks for them cannot be built, and on a host of another kind.
    pub(crate) fn host_features(&self) -> anyhow::Result<HostFeatures> {
        let kind = std::env::consts::ARCH;
        anyhow::ensure!(
            kind == "x86_64",
            "features can be hidden of x86-64 alone, and this host is {kind}; leave +cpu- out"
        );
        Ok(self.environment.instruments().host_features(self, self.reporter.cancel().flag())?)
    }

    /// Built stacks with the variables of those that are run as a processor.
    fn run_as<C: FromIterator<(String, Built)>>(
        &self,
        recipes: &[Recipe],
        built: impl Iterator<Item = (String, Built)>,
        host: Option<&HostFeatures>,
    ) -> anyhow::Result<C> {
        let Some(host) = host else { return Ok(built.collect()) };
        let library = self.preloads()?.cpuid;
        let with_variables = |(name, built): (String, Built)| {
            let shown = recipes.iter().find(|recipe| recipe.name == name);
            let built = match (shown.and_then(|recipe| recipe.processor.as_ref()), built) {
                (Some(shown), Ok(built)) => self.shown_less(shown, built, host, &library),
                (_, built) => built,
            };
            (name, built)
        };
        Ok(built.map(with_variables).collect())
    }

    /// A built stack that is started as a processor.
    fn shown_less(
        &self,
        shown: &ShownProcessor,
        built: BuiltStack,
        host: &HostFeatures,
        library: &Path,
    ) -> Built {
        let places = match &host.no_faults {
            None => None,
            Some(why) => match cpuid_places::write(&self.environment.cache, &built) {
                Ok(places) => Some(places),
                Err(cause) => {
                    let next = "leave +cpu- out, or use a host whose /proc/cpuinfo has the flag cpuid_fault";
                    let cause = format!("CPUID cannot be made to fault here ({why}), and {cause}; {next}");
                    return Err(BuildFailure::unlogged(Stage::Driver, cause));
                }
            },
        };
        if let Some(places) = &places {
            self.show(places.clone());
        }
        let files = (library, places.as_deref());
        let environment = shown_processor::environment(&built.environment, shown, host, files);
        Ok(BuiltStack { environment, ..built })
    }

    /// What there is of some recipes already; no stack is built.
    ///
    /// # Errors
    /// Fails if one of them is to be run as a processor that this host cannot be shown as.
    pub fn made(&self, recipes: &[Recipe]) -> anyhow::Result<Vec<(String, Built)>> {
        if let Some(drivers) = self.drivers {
            return Ok(recipes.iter().map(|recipe| (recipe.name.clone(), drivers.built(recipe))).collect());
        }
        let host = self.host_shown_to(recipes)?;
        let made = self.builder().made(recipes, self.reporter.cancel().flag());
        self.run_as(recipes, made.into_iter(), host.as_ref())
    }

    /// A builder that uses the workshop's sandbox, if it has one.
    pub fn builder(&self) -> Builder {
        self.place().builder(self.environment)
    }

    /// Git's answer about a repository, in the workshop's sandbox if it has one.
    ///
    /// # Errors
    /// Fails if the repository does not exist, or if git's answer is invalid or missing.
    pub fn git(&self, repository: &Path, arguments: &[&str]) -> anyhow::Result<String> {
        Ok(self.builder().ask_git(repository, arguments, self.reporter.cancel().flag())?)
    }

    /// Builds the libraries that are loaded into drivers whose memory or instructions are counted.
    ///
    /// # Errors
    /// Returns why they were not built.
    pub fn preloads(&self) -> anyhow::Result<tlslab_instruments::Preloads> {
        Ok(self.environment.instruments().preload(self, self.reporter.cancel().flag())?)
    }

    /// Rejects builds whose programs are not installed. For work in parts, before the first of them.
    ///
    /// # Errors
    /// Fails with the missing programs and how to install them.
    pub fn check_tools(&self, recipes: &[&Recipe]) -> anyhow::Result<()> {
        if self.drivers.is_some() { Ok(()) } else { check_tools(recipes) }
    }

    /// Builds one stack.
    ///
    /// # Errors
    /// Returns why it was not built.
    pub fn build_one(&self, recipe: &Recipe) -> anyhow::Result<BuiltStack> {
        match self.build(&[recipe])?.remove(&recipe.name) {
            Some(Ok(built)) => Ok(built),
            Some(Err(failure)) => anyhow::bail!("{} was not built: {failure}", recipe.name),
            None => anyhow::bail!("{} was not built", recipe.name),
        }
    }
}

/// Rejects builds whose programs are not installed.
///
/// # Errors
/// Fails with the missing programs and how to install them.
pub fn check_tools(recipes: &[&Recipe]) -> anyhow::Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = missing_tools(recipes.iter().copied(), &path);
    if missing.is_empty() { Ok(()) } else { Err(MissingTools(missing).into()) }
}

impl tlslab_build::Observer for Workshop<'_> {
    fn begins(&self, to_make: &[ToMake], about: Duration) {
        let products = to_make.iter().map(PlannedProduct::from).collect();
        self.reporter.emit(&Event::BuildPlanned { products, about_s: about.as_secs_f64() });
    }

    fn on(&self, event: &tlslab_build::Event) {
        self.reporter.emit(&Event::from(event));
    }
}

/// Announces a whole job with the builds that it begins with.
struct Announcing<'b, 's> {
    workshop: &'b Workshop<'s>,
    further: &'b [Phase],
}

impl tlslab_build::Observer for Announcing<'_, '_> {
    fn begins(&self, to_make: &[ToMake], about: Duration) {
        self.workshop.announce_phases((to_make.len(), about), self.further);
        tlslab_build::Observer::begins(self.workshop, to_make, about);
    }

    fn on(&self, event: &tlslab_build::Event) {
        tlslab_build::Observer::on(self.workshop, event);
    }
}
