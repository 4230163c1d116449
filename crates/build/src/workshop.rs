//! The lab's tree and its cache: reads recipes, plans and builds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::bench::{Desk, program};
use crate::cache::Cache;
use crate::counter::{BuiltCounter, Counter, ShownFeatures};
use crate::digest::file_digest;
use crate::driver::{DRIVER, harness};
use crate::driver_rust::RustDriver;
use crate::environment::Environment;
use crate::event::{Event, Happening, Observer, Task};
use crate::failure::BuildFailure;
use crate::frida::{FRIDA_VERSION, Frida, Stalker};
use crate::graph::{Graph, Maker, Node, Planted, SourceText};
use crate::halt::{Doing, Halt};
use crate::houses::Houses;
use tlslab_record::StackIdentity;

use crate::identity::BuiltStack;
use crate::inputs::Key;
use crate::lab_crates::parsed;
use crate::layouts;
use crate::lockfile::Lockfile;
use crate::preload::{Preload, Preloads};
use crate::product::ensure;
use crate::recipe::{DriverBuild, Kind, Recipe};
use crate::schedule;
use crate::stage::Stage;
use crate::toolchain::Toolchain;
use crate::tools::on_path;
use crate::tools::{MissingTools, missing_tools};
use crate::versions::Versions;

/// The lab's tree and its cache.
#[derive(Clone, Debug)]
pub struct Workshop {
    houses: Houses,
    cache: Cache,
    environment: Environment,
}

/// How much may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Jobs of each `make` and `cargo`.
    pub jobs: usize,
    /// Products that are made side by side.
    pub side_by_side: usize,
}

/// What building a stack would do.
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
    /// Its key; `None` if it hangs on what an earlier stage finds out.
    pub key: Option<Key>,
    /// Whether the product is there.
    pub is_cached: bool,
    /// How long it took to make, if it is there.
    pub took: Option<Duration>,
}

/// A stack's name, and what became of it.
pub type Outcome = (String, Result<BuiltStack, BuildFailure>);

impl Default for Options {
    /// As many jobs as there are processors, two products at a time.
    fn default() -> Self {
        Self { jobs: std::thread::available_parallelism().map_or(1, usize::from), side_by_side: 2 }
    }
}

impl Workshop {
    /// A workshop in the lab's tree `root` (the folder that holds `crates/`, `drivers/` and `stacks/`) that keeps what
    /// it builds in `cache`. Build programs see a choice of this process's environment.
    #[must_use]
    pub fn new(root: &Path, cache: &Path) -> Self {
        Self {
            houses: Houses { lab: root.to_owned(), own: None },
            cache: Cache::new(cache),
            environment: Environment::choose(std::env::vars_os()),
        }
    }

    /// With a folder of the user's own, which may have `stacks/`, `drivers/` and `variants/` too.
    #[must_use]
    pub fn with_own(mut self, own: &Path) -> Self {
        self.houses.own = Some(own.to_owned());
        self
    }

    /// Where recipes and drivers are.
    #[must_use]
    pub fn houses(&self) -> &Houses {
        &self.houses
    }

    /// The cache's folder.
    #[must_use]
    pub fn cache(&self) -> &Path {
        self.cache.root()
    }

    /// What building these would do. Starts nothing but short questions to compilers and git.
    #[must_use]
    pub fn plan(&self, recipes: &[Recipe], cancel: &AtomicBool) -> Vec<Planned> {
        let desk = self.desk(cancel);
        let graph = self.graph(recipes, desk);
        let stage = |node: &Node| {
            let key = node.key();
            let is_cached = key.as_ref().is_some_and(|key| self.cache.is_complete(node.task.stage, key));
            let took = key.as_ref().and_then(|key| self.cache.took(node.task.stage, key));
            PlannedStage { stage: node.task.stage, key, is_cached, took }
        };
        let stages =
            |planted: &Planted| planted.nodes.iter().map(|&node| stage(&graph.nodes[node])).collect();
        let stacks = recipes.iter().zip(&graph.stacks);
        stacks
            .map(|(recipe, planted)| Planned {
                stack: recipe.name.clone(),
                stages: planted.as_ref().map(stages).map_err(Clone::clone),
            })
            .collect()
    }

    /// Builds these, what is cached aside. One stack's failure is no other's. When `cancel` is set, what runs is killed
    /// and the stacks that are not finished fail.
    #[must_use]
    pub fn build(
        &self,
        recipes: &[Recipe],
        options: Options,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Vec<Outcome> {
        let desk = self.desk(cancel);
        let graph = self.graph(recipes, desk);
        let is_made =
            |node: &Node| node.key().is_some_and(|key| self.cache.is_complete(node.task.stage, &key));
        let to_make: Vec<Task> =
            graph.nodes.iter().filter(|node| !is_made(node)).map(|node| node.task.clone()).collect();
        observer.begins(&to_make);
        let needs: Vec<Vec<usize>> = graph.nodes.iter().map(|node| node.needs.clone()).collect();
        let made = schedule::run(
            &needs,
            options.side_by_side,
            |node| self.make(&graph, node, options, observer, desk),
            |node, failure: &BuildFailure| {
                let what = Happening::Failed(failure.clone());
                observer.on(&Event { task: graph.nodes[node].task.clone(), what });
            },
        );
        let stacks = recipes.iter().zip(&graph.stacks);
        stacks
            .map(|(recipe, planted)| {
                let built = planted.clone().and_then(|planted| {
                    let key = made[planted.driver].clone()?;
                    let built = self.built(recipe, &planted, &key, &graph.toolchain);
                    built.map_err(|halt| BuildFailure::unlogged(Stage::Driver, halt))
                });
                (recipe.name.clone(), built)
            })
            .collect()
    }

    /// What is loaded into drivers that are weighed or counted.
    pub fn preload(&self, observer: &dyn Observer, cancel: &AtomicBool) -> Result<Preloads, BuildFailure> {
        let desk = self.desk(cancel);
        let planned =
            self.toolchain(desk, BTreeSet::new()).and_then(|tools| Preload::plan(&self.houses.lab, &tools));
        let planned = planned.map_err(|halt| BuildFailure::unlogged(Stage::Preload, halt))?;
        let task = Task { stage: Stage::Preload, stacks: vec!["all".to_owned()] };
        let tell = |what: Happening| observer.on(&Event { task: task.clone(), what });
        let key = ensure(&planned, desk, 1, "all", &tell)?;
        let product = self.cache.product(Stage::Preload, &key);
        Ok(Preload::built(&product))
    }

    /// The tool that counts instructions. Where it cannot be had, the failure says in one line what is missing.
    pub fn counter(
        &self,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<BuiltCounter, BuildFailure> {
        let desk = self.desk(cancel);
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let planned = Counter::check_tools(&path)
            .and_then(|()| self.toolchain(desk, BTreeSet::new()))
            .and_then(|tools| Counter::plan(&self.houses.lab, &tools, &path));
        let planned = planned.map_err(|halt| BuildFailure::unlogged(Stage::Counter, halt))?;
        let task = Task { stage: Stage::Counter, stacks: vec!["all".to_owned()] };
        let tell = |what: Happening| observer.on(&Event { task: task.clone(), what });
        let key = ensure(&planned, desk, 1, "all", &tell)?;
        Ok(planned.built(&self.cache.product(Stage::Counter, &key)))
    }

    /// Valgrind as it is installed, with its version as it tells it; `None` where there is none that runs.
    #[must_use]
    pub fn stock_valgrind(&self) -> Option<(PathBuf, String)> {
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let launcher = on_path("valgrind", &path)?;
        let said = std::process::Command::new(&launcher).arg("--version").output().ok()?;
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let version = said.strip_prefix("valgrind-").unwrap_or(&said).to_owned();
        (!version.is_empty()).then_some((launcher, version))
    }

    /// Which features of the processor a program sees by itself and under the counter.
    pub fn shown_features(
        &self,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ShownFeatures, BuildFailure> {
        let tool = self.counter(observer, cancel)?;
        let asks = self.preload(observer, cancel)?.features;
        let desk = self.desk(cancel);
        let ask = || {
            let folder = self.cache.root();
            let natively = desk.ask(program(&asks.to_string_lossy(), folder))?;
            let counted = program(&tool.tool.to_string_lossy(), folder).args(&tool.arguments).arg(&asks);
            let counted = desk.ask(counted.envs(&tool.environment))?;
            Ok(ShownFeatures { natively: words(&natively)?, counted: words(&counted)? })
        };
        ask().map_err(|halt: Halt| BuildFailure::unlogged(Stage::Preload, halt))
    }

    /// What counts a driver's code as it runs on the processor itself. Where it cannot be had, the failure says in one
    /// line what is missing.
    pub fn stalker(&self, observer: &dyn Observer, cancel: &AtomicBool) -> Result<Stalker, BuildFailure> {
        let desk = self.desk(cancel);
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let plan = || {
            let python = Frida::python(&path)?;
            let version = desk.ask(program(&python.to_string_lossy(), Path::new("/")).arg("--version"))?;
            let toolchain = self.toolchain(desk, BTreeSet::new())?;
            Ok((python, Frida::plan(&version, &toolchain.target)?))
        };
        let (python, planned) = plan().map_err(|halt: Halt| BuildFailure::unlogged(Stage::Frida, halt))?;
        let task = Task { stage: Stage::Frida, stacks: vec!["all".to_owned()] };
        let tell = |what: Happening| observer.on(&Event { task: task.clone(), what });
        let key = ensure(&planned, desk, 1, "all", &tell)?;
        let preloads = self.preload(observer, cancel)?;
        Ok(Stalker {
            python,
            attach: preloads.attach,
            packages: Frida::packages(&self.cache.product(Stage::Frida, &key)),
            library: preloads.blocks,
            version: FRIDA_VERSION.to_owned(),
        })
    }

    fn make(
        &self,
        graph: &Graph,
        node: usize,
        options: Options,
        observer: &dyn Observer,
        desk: Desk<'_>,
    ) -> Result<Key, BuildFailure> {
        let Node { task, needs, maker } = &graph.nodes[node];
        let tell = |what: Happening| observer.on(&Event { task: task.clone(), what });
        // Shared products are named after what they are, the others after the first stack that wants them.
        let owner = if task.stage == Stage::Kit { "all" } else { task.stacks[0].as_str() };
        let ensure = |product| ensure(product, desk, options.jobs, owner, &tell);
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
        planted: &Planted,
        key: &Key,
        toolchain: &Toolchain,
    ) -> Result<BuiltStack, Halt> {
        let product = self.cache.product(Stage::Driver, key);
        let driver = product.join(DRIVER);
        let driver_digest = file_digest(&driver).doing("read", &driver)?;
        let lock_file = RustDriver::lock(&product);
        let (source, source_digest) = match &planted.source {
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
            flags: planted.flags.clone(),
            lock_digest: file_digest(&lock_file).ok(),
            compiler: format!("{}, target: {}", toolchain.version_of(&recipe.compiler.cc), toolchain.target),
            rustc: toolchain.rustc.clone(),
            profile: "release".to_owned(),
            harness_digest: recipe
                .driver
                .as_ref()
                .map(|driver| harness(&self.houses, &driver.folder))
                .transpose()?
                .unwrap_or_default(),
        };
        let fill = |(name, value): (&String, &String)| (name.clone(), planted.placeholders.fill(value));
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

    fn graph(&self, recipes: &[Recipe], desk: Desk<'_>) -> Graph {
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let missing = missing_tools(recipes, &path);
        let lacks_tools = |recipe: &Recipe| missing.iter().any(|tool| tool.needed_by.contains(&recipe.name));
        // One message with all that is missing, so that one installation does.
        let failure = || BuildFailure::unlogged(Stage::Plan, MissingTools(missing.clone()));
        if recipes.iter().all(lacks_tools) && !recipes.is_empty() {
            return Graph::blocked(recipes.len(), &failure());
        }
        let compilers = recipes.iter().filter(|recipe| !lacks_tools(recipe)).flat_map(Recipe::compilers);
        match self.toolchain(desk, compilers.collect()) {
            Ok(toolchain) => Graph::new(&self.houses, recipes, &toolchain, desk, |recipe| {
                lacks_tools(recipe).then(failure)
            }),
            Err(halt) => Graph::blocked(recipes.len(), &BuildFailure::unlogged(Stage::Plan, halt)),
        }
    }

    /// Asks the compilers who they are, in the cache, where they will run: rustup goes by the folder.
    fn toolchain(&self, desk: Desk<'_>, compilers: BTreeSet<String>) -> Result<Toolchain, Halt> {
        let folder = self.cache.root();
        std::fs::create_dir_all(folder).doing("create", folder)?;
        let ask = |name: &str, option: &str| desk.ask(program(name, folder).arg(option));
        let (cc, target) = (ask("cc", "--version")?, ask("cc", "-dumpmachine")?);
        // Where the kernel does not say, the key goes without.
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let mut toolchain = Toolchain::from_outputs(&cc, &target, &ask("rustc", "-vV")?).on_cpu(&cpuinfo);
        for compiler in compilers.iter().filter(|compiler| *compiler != "cc") {
            toolchain = toolchain.with(compiler, &ask(compiler, "--version")?);
        }
        Ok(toolchain)
    }

    fn desk<'a>(&'a self, cancel: &'a AtomicBool) -> Desk<'a> {
        Desk { cache: &self.cache, environment: &self.environment, cancel }
    }
}

/// Eight words in hex.
fn words(said: &str) -> Result<[u32; 8], Halt> {
    let said = said.trim();
    let word = |at: usize| said.get(8 * at..8 * at + 8).and_then(|word| u32::from_str_radix(word, 16).ok());
    let words: Option<Vec<u32>> = (0..8).map(word).collect();
    words.and_then(|words| words.try_into().ok()).ok_or_else(|| {
        let cause = format!("it said `{said}`");
        Halt::wrong("the program that reads the processor's features", cause, "look at preload/features.c")
    })
}
