//! The lab's tree and its cache: reads recipes, plans and builds.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_artifact::{
    BuildFailure, Cache, Context, Credentials, Doing, Environment, Event, Halt, Happening, Hosts, Key,
    Observer, Stage, Task, ToMake, ensure, file_digest, files, read_plain_text,
};
use tlslab_recipe::{DriverBuild, Kind, Recipe};
use tlslab_sandbox::Sandbox;

use crate::driver::{DRIVER, harness};
use crate::driver_rust::RustDriver;
use crate::durations;
use crate::git;
use crate::graph::{Graph, Maker, Node, PlannedStack, SourceText};
use crate::trees::Trees;
use tlslab_record::{Dependencies, StackIdentity};

use crate::identity::BuiltStack;
use crate::lab_crates::parsed;
use crate::layouts::{self, LinkLayouts};
use crate::lockfile::Lockfile;
use crate::schedule;
use crate::source;
use crate::tools::{MissingTools, missing_tools};
use crate::versions::Versions;

/// The longest lock file of a driver, bytes.
const LONGEST_LOCK: u64 = 4 << 20;

/// The longest recipe, bytes.
const LONGEST_RECIPE: u64 = 1 << 20;

/// The lab's tree and its cache.
#[derive(Clone, Debug)]
pub struct Builder {
    trees: Trees,
    cache: Cache,
    environment: Environment,
    sandbox: Option<Arc<Sandbox>>,
    allowed: Vec<String>,
    /// Known when there is a sandbox.
    hosts: Option<Hosts>,
    credentials: Option<Credentials>,
}

/// How much may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Jobs of each `make` and `cargo`.
    pub jobs: usize,
    /// Products that are built in parallel.
    pub side_by_side: usize,
}

/// The plan of a stack's build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The stack.
    pub stack: String,
    /// Its stages in order; or why nothing can be built.
    pub stages: Result<Vec<PlannedStage>, BuildFailure>,
}

/// One stage of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStage {
    /// The stage.
    pub stage: Stage,
    /// Its key; `None` if it depends on the outcome of an earlier stage.
    pub key: Option<Key>,
    /// Whether the product exists.
    pub is_cached: bool,
    /// How long the build took, if it exists.
    pub took: Option<Duration>,
}

/// A stack's name, and the outcome.
pub type Outcome = (String, Result<BuiltStack, BuildFailure>);

impl Default for Options {
    /// As many jobs as there are processors, two products at a time.
    fn default() -> Self {
        Self { jobs: std::thread::available_parallelism().map_or(1, usize::from), side_by_side: 2 }
    }
}

impl Builder {
    /// A builder for the lab's tree `root` (the folder with `crates/`, `drivers/` and `stacks/`). Its
    /// products are stored in `cache`. Build programs get a selection of this process's environment.
    #[must_use]
    pub fn new(root: &Path, cache: &Path) -> Self {
        Self {
            trees: Trees { lab: root.to_owned(), own: None },
            cache: Cache::new(cache),
            environment: Environment::choose(std::env::vars_os()),
            sandbox: None,
            allowed: Vec::new(),
            hosts: None,
            credentials: None,
        }
    }

    /// With a sandbox for the steps that run fetched code. Sources are then fetched only from hosts that
    /// recipes of the lab's own tree name, and from allowed ones.
    #[must_use]
    pub fn in_sandbox(mut self, sandbox: Option<Arc<Sandbox>>) -> Self {
        self.hosts = sandbox.as_ref().map(|_| self.hosts_of_recipes());
        self.sandbox = sandbox;
        self
    }

    /// With other variables for build programs than a choice of this process's.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// With further hosts from which sources may be fetched for a sandbox, and origins from which git may
    /// fetch.
    #[must_use]
    pub fn allowing(mut self, hosts: &[String]) -> Self {
        self.allowed = hosts.to_vec();
        self
    }

    /// With a provider of credentials for private repositories. They are used only for a sandbox: without
    /// one, a build could read the processes that have them.
    #[must_use]
    pub fn with_credentials(mut self, credentials: Option<Credentials>) -> Self {
        self.credentials = credentials;
        self
    }

    fn hosts_of_recipes(&self) -> Hosts {
        let folder = self.trees.lab.join("stacks");
        // A folder that cannot be read has no recipes; that is reported where they are read.
        let files = files(&folder, &|path| path.extension().is_some_and(|ending| ending == "toml"));
        let texts = files.unwrap_or_default().into_iter();
        let texts = texts.filter_map(|file| read_plain_text(&folder.join(file), LONGEST_RECIPE).ok());
        texts.fold(Hosts::new(&self.allowed), |hosts, text| hosts.with_those_in(&text))
    }

    /// With the contents of a trusted cache, to which nothing is written.
    #[must_use]
    pub fn over(mut self, trusted: Option<&Path>) -> Self {
        self.cache = self.cache.over(trusted);
        self
    }

    /// With a user's own folder, which may have `stacks/`, `drivers/` and `variants/` too.
    #[must_use]
    pub fn with_own(mut self, own: &Path) -> Self {
        self.trees.own = Some(own.to_owned());
        self
    }

    /// The places of recipes and drivers.
    #[must_use]
    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    /// The cache's folder.
    #[must_use]
    pub fn cache(&self) -> &Path {
        self.cache.root()
    }

    /// How long it took to build a driver of this cache and its libraries; `None` if they were not built
    /// here. Fetching sources and building the kit are not included.
    #[must_use]
    pub fn build_time(&self, driver: &Path) -> Option<Duration> {
        let name = driver.parent()?.file_name()?.to_str()?;
        let mut found = BTreeSet::new();
        let mut next = vec![(Stage::Driver, Key::from_digits(name)?)];
        let mut took = Duration::ZERO;
        while let Some((stage, key)) = next.pop() {
            if found.insert(key.as_str().to_owned()) {
                took += self.cache.took(stage, &key)?;
                let inputs = self.cache.inputs(stage, &key)?;
                next.extend(inputs.libraries().into_iter().map(|key| (Stage::Prefix, key)));
            }
        }
        Some(took)
    }

    /// The plan for these. Starts only short queries of compilers and git.
    #[must_use]
    pub fn plan(&self, recipes: &[Recipe], cancel: &AtomicBool) -> Vec<Planned> {
        let context = self.context(cancel);
        let graph = self.graph(recipes, context);
        let stage = |node: &Node| {
            let key = node.key();
            let is_cached = key.as_ref().is_some_and(|key| self.cache.is_complete(node.task.stage, key));
            let took = key.as_ref().and_then(|key| self.cache.took(node.task.stage, key));
            PlannedStage { stage: node.task.stage, key, is_cached, took }
        };
        let stages = |planned_stack: &PlannedStack| {
            planned_stack.nodes.iter().map(|&node| stage(&graph.nodes[node])).collect()
        };
        let stacks = recipes.iter().zip(&graph.stacks);
        stacks
            .map(|(recipe, planned_stack)| Planned {
                stack: recipe.name.clone(),
                stages: planned_stack.as_ref().map(stages).map_err(Clone::clone),
            })
            .collect()
    }

    /// Builds these, except for cached products. A failure of one stack does not affect others. When `cancel`
    /// is set, running steps are killed and unfinished stacks fail.
    #[must_use]
    pub fn build(
        &self,
        recipes: &[Recipe],
        options: Options,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Vec<Outcome> {
        let context = self.context(cancel);
        let graph = self.graph(recipes, context);
        let (to_make, about) = self.to_make(&graph, options);
        observer.begins(&to_make, about);
        let needs: Vec<Vec<usize>> = graph.nodes.iter().map(|node| node.needs.clone()).collect();
        let made = schedule::run(
            &needs,
            options.side_by_side,
            |node| self.make(&graph, node, options, observer, context),
            |node, failure: &BuildFailure| {
                // The caller reports a cancellation once.
                if context.check_cancel().is_err() {
                    return;
                }
                let what = Happening::Failed(failure.clone());
                observer.on(&Event { task: graph.nodes[node].task.clone(), what });
            },
        );
        let stacks = recipes.iter().zip(&graph.stacks);
        stacks
            .map(|(recipe, planned_stack)| {
                let built = planned_stack.clone().and_then(|planned_stack| {
                    let key = made[planned_stack.driver].clone()?;
                    let built = self.built(recipe, &planned_stack, &key, &graph);
                    built.map_err(|halt| BuildFailure::unlogged(Stage::Driver, halt))
                });
                (recipe.name.clone(), built)
            })
            .collect()
    }

    /// How many products these still need, and about how long their builds take. Starts only short queries of
    /// compilers and git.
    #[must_use]
    pub fn forecast(&self, recipes: &[Recipe], options: Options, cancel: &AtomicBool) -> (usize, Duration) {
        let (to_make, about) = self.to_make(&self.graph(recipes, self.context(cancel)), options);
        (to_make.len(), about)
    }

    fn to_make(&self, graph: &Graph, options: Options) -> (Vec<ToMake>, Duration) {
        let about = |Node { task, maker, .. }: &Node| {
            let like = match maker {
                Maker::Known(product) => Some(product.inputs()),
                Maker::Unsettled(_) => None,
            };
            let newest = |like| self.cache.newest_of(owner(task), task.stage, like);
            let last = newest(like).or_else(|| newest(None)).and_then(|(_, took)| took);
            last.unwrap_or_else(|| durations::recorded(task.stage, &task.stacks[0]))
        };
        let is_made =
            |node: &Node| node.key().is_some_and(|key| self.cache.is_complete(node.task.stage, &key));
        let mut to_make = Vec::new();
        let mut tasks = Vec::new();
        for node in &graph.nodes {
            let about = if is_made(node) { Duration::ZERO } else { about(node) };
            tasks.push((about, node.needs.clone()));
            if !is_made(node) {
                to_make.push(ToMake { task: node.task.clone(), about });
            }
        }
        (to_make, durations::elapsed(&tasks, options.side_by_side))
    }

    /// Git's answer about a repository with an untrusted configuration: in the sandbox, if there is one, and
    /// without the programs that the configuration names.
    ///
    /// # Errors
    /// Fails if the repository does not exist, or if git's answer is invalid or missing.
    pub fn ask_git(
        &self,
        repository: &Path,
        arguments: &[&str],
        cancel: &AtomicBool,
    ) -> Result<String, Halt> {
        git::ask(repository, arguments, self.context(cancel)).map(|answer| answer.trim().to_owned())
    }

    /// Whether a repository has a commit, branch or tag. A whole commit is assumed to exist: only a fetch can
    /// check it.
    ///
    /// # Errors
    /// Fails if the repository cannot be queried.
    pub fn has_revision(&self, repository: &str, revision: &str, cancel: &AtomicBool) -> Result<bool, Halt> {
        source::git::has_revision(repository, revision, self.context(cancel))
    }

    /// The packages of a driver that cargo builds, by its lock file; none for other drivers.
    #[must_use]
    pub fn packages(&self, recipe: &Recipe) -> Option<Vec<String>> {
        let DriverBuild { folder, kind: Kind::Cargo(_) } = recipe.driver.as_ref()? else { return None };
        let folder = &Path::new("drivers").join(folder);
        let text =
            read_plain_text(&self.trees.with(folder)?.join(folder).join("Cargo.lock"), LONGEST_LOCK).ok()?;
        let lock = Lockfile::parse(&text).ok()?;
        Some(lock.names().map(str::to_owned).collect())
    }

    /// Existing products of these in the cache; nothing is built. Planning runs the recipes' queries of the
    /// machine.
    #[must_use]
    pub fn made(&self, recipes: &[Recipe], cancel: &AtomicBool) -> Vec<Outcome> {
        let graph = self.graph(recipes, self.context(cancel));
        let failed = |halt| BuildFailure::unlogged(Stage::Driver, halt);
        let held = |planned_stack: &PlannedStack| match &graph.nodes[planned_stack.driver].maker {
            Maker::Known(product) if self.cache.holds(Stage::Driver, product.inputs()) => {
                Ok(product.inputs().key())
            }
            _ => {
                let cause = "the cache has no driver of its current source and recipe";
                Err(failed(Halt::wrong("the driver", cause, "build it, and start a new run")))
            }
        };
        let stacks = recipes.iter().zip(&graph.stacks);
        stacks
            .map(|(recipe, planned_stack)| {
                let made = planned_stack.clone().and_then(|planned_stack| {
                    let key = held(&planned_stack)?;
                    self.built(recipe, &planned_stack, &key, &graph).map_err(failed)
                });
                (recipe.name.clone(), made)
            })
            .collect()
    }

    fn make(
        &self,
        graph: &Graph,
        node: usize,
        options: Options,
        observer: &dyn Observer,
        context: Context<'_>,
    ) -> Result<Key, BuildFailure> {
        let Node { task, needs, maker } = &graph.nodes[node];
        context.check_cancel().map_err(|halt| BuildFailure::unlogged(task.stage, halt))?;
        let report = |what: Happening| observer.on(&Event { task: task.clone(), what });
        let given: Vec<_> =
            graph.used_by(node).into_iter().map(|(stage, key)| self.cache.product(stage, &key)).collect();
        let context = Context { given: &given, ..context };
        let ensure = |product| ensure(product, context, options.jobs, owner(task), &report);
        match maker {
            Maker::Known(product) => ensure(&**product),
            Maker::Unsettled(project) => {
                let keys = needs.iter().filter_map(|&need| graph.nodes[need].key());
                let locks = keys.map(|key| Versions::lock(&self.cache.product(Stage::Versions, &key)));
                let lock = locks.filter_map(|lock| std::fs::read_to_string(lock).ok()).next();
                let project = (**project).clone().with_lock(lock.unwrap_or_default());
                ensure(&RustDriver::plan(project, &graph.toolchain))
            }
        }
    }

    fn built(
        &self,
        recipe: &Recipe,
        planned_stack: &PlannedStack,
        key: &Key,
        graph: &Graph,
    ) -> Result<BuiltStack, Halt> {
        let toolchain = &graph.toolchain;
        let product = self.cache.product(Stage::Driver, key);
        let driver = product.join(DRIVER);
        let driver_digest = file_digest(&driver).doing("read", &driver)?;
        let lock_file = RustDriver::lock(&product);
        let (source, source_digest) = match &planned_stack.source {
            SourceText::Known { description, digest } => (description.clone(), digest.clone()),
            SourceText::Locked { package } => {
                let lock = parsed(&lock_file, Lockfile::parse)?;
                let found = lock.named(package).next();
                let version = found.map_or("", |found| &found.version);
                let checksum = found.and_then(|found| found.checksum.as_deref()).unwrap_or_default();
                (format!("crate {package} {version} sha256 {checksum}"), checksum.to_owned())
            }
        };
        let identity = StackIdentity {
            recipe: recipe.name.clone(),
            recipe_digest: recipe.digest.clone(),
            licence: recipe.licence.clone(),
            source,
            source_digest,
            flags: planned_stack.flags.clone(),
            lock_digest: file_digest(&lock_file).ok(),
            compiler: format!("{}, target: {}", toolchain.version_of(&recipe.compiler.cc), toolchain.target),
            rustc: toolchain.rustc.clone(),
            profile: "release".to_owned(),
            harness_digest: recipe
                .driver
                .as_ref()
                .map(|driver| harness(&self.trees, &driver.folder))
                .transpose()?
                .unwrap_or_default(),
            dependencies: self.dependencies(planned_stack, graph),
            is_withdrawn: recipe.is_withdrawn,
            processor: None,
        };
        let fill = |(name, value): (&String, &String)| (name.clone(), planned_stack.placeholders.fill(value));
        let environment = recipe.run_env.iter().map(fill).collect();
        let is_made =
            |recipe: &Recipe| matches!(recipe.driver, Some(DriverBuild { kind: Kind::Make(_), .. }));
        let layouts = match recipe.layouts {
            Some(_) if is_made(recipe) => Err(layouts::NOT_LINKED.to_owned()),
            Some(layouts) => layouts.built(&product),
            None => Ok(Vec::new()),
        };
        Ok(BuiltStack { driver, driver_digest, layouts, environment, identity })
    }

    /// A library's dependencies as of a day, if they are not the newest.
    fn dependencies(&self, planned_stack: &PlannedStack, graph: &Graph) -> Option<Dependencies> {
        let nodes = planned_stack.nodes.iter().map(|&node| &graph.nodes[node]);
        let key = nodes.filter(|node| node.task.stage == Stage::Versions).find_map(Node::key)?;
        let facts = Versions::dependencies(&self.cache.product(Stage::Versions, &key));
        serde_json::from_str(&read_plain_text(&facts, LONGEST_LOCK).ok()?).ok()
    }

    fn graph(&self, recipes: &[Recipe], context: Context<'_>) -> Graph {
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let missing = missing_tools(recipes, &path);
        let lacks_tools = |recipe: &Recipe| missing.iter().any(|tool| tool.needed_by.contains(&recipe.name));
        // One message with all missing programs, so that one installation is enough.
        let failure = || BuildFailure::unlogged(Stage::Plan, MissingTools(missing.clone()));
        if recipes.iter().all(lacks_tools) && !recipes.is_empty() {
            return Graph::blocked(recipes.len(), &failure());
        }
        let compilers = recipes.iter().filter(|recipe| !lacks_tools(recipe)).flat_map(Recipe::compilers);
        let tools = recipes.iter().filter(|recipe| !lacks_tools(recipe)).flat_map(Recipe::all_tools);
        match context.toolchain(self.cache.root(), compilers.collect(), tools.collect()) {
            Ok(toolchain) => Graph::new(&self.trees, recipes, &toolchain, context, |recipe| {
                lacks_tools(recipe).then(failure)
            }),
            Err(halt) => Graph::blocked(recipes.len(), &BuildFailure::unlogged(Stage::Plan, halt)),
        }
    }

    pub(crate) fn context<'a>(&'a self, cancel: &'a AtomicBool) -> Context<'a> {
        Context {
            cache: &self.cache,
            environment: &self.environment,
            cancel,
            sandbox: self.sandbox.as_deref(),
            hosts: self.hosts.as_ref(),
            credentials: self.credentials.as_ref().filter(|_| self.sandbox.is_some()),
            given: &[],
        }
    }
}

/// The stacks in the name of a task's product: a shared one has its own name, others that of the first stack
/// that needs it.
fn owner(task: &Task) -> &str {
    if task.stage == Stage::Kit { "all" } else { task.stacks[0].as_str() }
}
