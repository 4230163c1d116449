//! The products that some stacks need, each once.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_artifact::{Artifact, BuildFailure, Context, Halt, Inputs, Key, Stage, Task, Toolchain};
use tlslab_recipe::{CBuild, CargoBuild, Kind, Library, Need, Placeholders, Recipe, Source, Steps};

use crate::driver_c::{Assembly, C_FLAGS, CDriver, Linked};
use crate::driver_make::{MakeDriver, answers, variable_lines};
use crate::driver_rust::{Replaced, RustDriver, RustProject, arguments, env_lines, rust_flags};
use crate::kit::Kit;
use crate::needs::Needs;
use crate::prefix::{Prefix, compiler_lines, step_lines};
use crate::source::Fetch;
use crate::system::SystemLibrary;
use crate::trees::Trees;
use crate::versions::Versions;

/// Products to build, and their order.
pub(crate) struct Graph {
    /// A node's needs come before it.
    pub nodes: Vec<Node>,
    /// For each recipe, its driver's node and the known part of its identity.
    pub stacks: Vec<Result<PlannedStack, BuildFailure>>,
    /// The compilers for everything.
    pub toolchain: Toolchain,
}

/// One product to build.
pub(crate) struct Node {
    pub task: Task,
    pub needs: Vec<usize>,
    pub maker: Maker,
}

/// How a product is built.
pub(crate) enum Maker {
    /// All inputs are known.
    Known(Box<dyn Artifact>),
    /// A Rust driver whose lock file is the product of a needed node.
    Unsettled(Box<RustProject>),
}

/// A stack in the graph.
#[derive(Clone)]
pub(crate) struct PlannedStack {
    pub driver: usize,
    /// Every node that it needs, its driver last.
    pub nodes: Vec<usize>,
    pub source: SourceText,
    pub flags: Vec<String>,
    /// Variables of the running driver.
    pub placeholders: Placeholders,
}

/// The description of a stack's source.
#[derive(Clone)]
pub(crate) enum SourceText {
    Known {
        description: String,
        digest: String,
    },
    /// A package of the registry; its checksum is in the driver's lock file.
    Locked {
        package: String,
    },
}

impl SourceText {
    /// For a driver whose library comes with its build tools.
    fn made_with(answers: &[String]) -> Self {
        let description = format!("installed: {}", answers.join("; "));
        Self::Known { digest: tlslab_artifact::digest(description.as_bytes()), description }
    }

    /// For a driver without a library.
    fn none() -> Self {
        Self::Known { description: "none".to_owned(), digest: tlslab_artifact::digest(b"none") }
    }
}

impl Node {
    /// The key, as far as it is known before anything is built.
    pub(crate) fn key(&self) -> Option<Key> {
        match &self.maker {
            Maker::Known(product) => Some(product.inputs().key()),
            Maker::Unsettled(_) => None,
        }
    }
}

impl Graph {
    /// Determines what to build. `blocked` are stacks that cannot be built.
    pub(crate) fn new(
        trees: &Trees,
        recipes: &[Recipe],
        toolchain: &Toolchain,
        context: Context<'_>,
        blocked: impl Fn(&Recipe) -> Option<BuildFailure>,
    ) -> Self {
        let mut builder = GraphBuilder {
            trees,
            toolchain,
            context,
            nodes: Vec::new(),
            known: BTreeMap::new(),
            path: Vec::new(),
        };
        let stacks = recipes
            .iter()
            .map(|recipe| {
                if let Some(failure) = blocked(recipe) {
                    return Err(failure);
                }
                builder.path.clear();
                builder.add_stack(recipe).map_err(|halt| BuildFailure::unlogged(Stage::Plan, halt))
            })
            .collect();
        Self { nodes: builder.nodes, stacks, toolchain: toolchain.clone() }.in_order_of_stages()
    }

    /// Nothing can be built, for one reason.
    pub(crate) fn blocked(stacks: usize, failure: &BuildFailure) -> Self {
        let stacks = (0..stacks).map(|_| Err(failure.clone())).collect();
        Self { nodes: Vec::new(), stacks, toolchain: Toolchain::default() }
    }

    /// The products that the build of a node uses: those that it names, and the libraries with which they are
    /// linked.
    pub(crate) fn used_by(&self, node: usize) -> BTreeSet<(Stage, Key)> {
        let mut used = BTreeSet::new();
        let mut left = self.nodes[node].needs.clone();
        while let Some(need) = left.pop() {
            let need = &self.nodes[need];
            let libraries =
                need.needs.iter().filter(|&&library| self.nodes[library].task.stage == Stage::Prefix);
            left.extend(libraries);
            used.extend(need.key().map(|key| (need.task.stage, key)));
        }
        used
    }

    /// Long chains start early: sources, then prefixes, then the rest.
    fn in_order_of_stages(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| self.nodes[node].task.stage);
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        self.nodes = order.into_iter().filter_map(|old| nodes[old].take()).collect();
        let listed = self.nodes.iter_mut().flat_map(|node| &mut node.needs);
        let planned_stack = self.stacks.iter_mut().flatten();
        let of_stacks = planned_stack.flat_map(|stack| stack.nodes.iter_mut().chain([&mut stack.driver]));
        for index in listed.chain(of_stacks) {
            *index = place[*index];
        }
        self
    }
}

struct GraphBuilder<'a> {
    trees: &'a Trees,
    toolchain: &'a Toolchain,
    context: Context<'a>,
    nodes: Vec<Node>,
    known: BTreeMap<(Stage, Key), usize>,
    path: Vec<usize>,
}

impl GraphBuilder<'_> {
    fn add_stack(&mut self, recipe: &Recipe) -> Result<PlannedStack, Halt> {
        let Some(driver) = &recipe.driver else {
            let cause = "it is a library that other recipes need; it has no driver";
            return Err(Halt::wrong(recipe.name.as_str(), cause, "name a stack"));
        };
        let (needs, mut nodes) = self.add_needs(recipe)?;
        let mut flags: Vec<String> =
            recipe.needs.iter().map(|need| format!("needs {}", need.recipe.name)).collect();
        let placeholders = needs.placeholders(&recipe.compiler, self.context.cache);
        let (driver, source) = match &driver.kind {
            Kind::Cargo(build) => {
                flags.extend(cargo_flags(build));
                self.add_rust(recipe, &driver.folder, build, needs, nodes)?
            }
            kind => {
                let (linked, known) = self.add_library(recipe, needs, &mut nodes, &mut flags)?;
                let kit = Kit::plan(&self.trees.lab, self.toolchain, recipe.compiler.target)?;
                let assembly =
                    Assembly { compiler: recipe.compiler.clone(), linked, kit: kit.inputs().key() };
                nodes.push(self.add(recipe, kit, vec![]));
                let (made, source): (Box<dyn Artifact>, _) = match kind {
                    Kind::C(build) => {
                        flags.extend(c_flags(build));
                        let made = CDriver::plan(
                            self.trees,
                            &driver.folder,
                            build,
                            assembly,
                            recipe.layouts,
                            self.toolchain,
                        )?;
                        (Box::new(made), known.unwrap_or_else(SourceText::none))
                    }
                    Kind::Make(build) => {
                        let made_with = answers(build, self.context)?;
                        flags.extend(variable_lines(build).into_iter().chain(made_with.iter().cloned()));
                        let source = known.unwrap_or_else(|| SourceText::made_with(&made_with));
                        let (trees, folder) = (self.trees, &driver.folder);
                        let made =
                            MakeDriver::plan(trees, folder, build, assembly, &made_with, self.toolchain)?;
                        (Box::new(made), source)
                    }
                    Kind::Cargo(_) => unreachable!("the outer match has it"),
                };
                (self.add_boxed(recipe, made, nodes), source)
            }
        };
        flags.extend(
            recipe.is_withdrawn.then(|| "yanked: its registry has withdrawn this release".to_owned()),
        );
        flags.extend(recipe.run_env.iter().map(|(name, value)| format!("run with {name}={value}")));
        Ok(PlannedStack { driver, nodes: self.path.clone(), source, flags, placeholders })
    }

    /// The needs of a recipe, and their needs.
    fn add_needs(&mut self, recipe: &Recipe) -> Result<(Needs, Vec<usize>), Halt> {
        let (mut needs, mut nodes) = (Needs::default(), vec![]);
        for Need { word, recipe } in &recipe.needs {
            let (own, mut before) = self.add_needs(recipe)?;
            let Some(Library::Built { source, steps }) = &recipe.library else {
                let cause = "it installs no library, so nothing can need it";
                return Err(Halt::wrong(recipe.name.as_str(), cause, "name a recipe that builds a library"));
            };
            let (_, prefix, node) = self.add_prefix(recipe, source, steps, own, &mut before)?;
            needs.0.push((word.clone(), prefix));
            nodes.push(node);
        }
        Ok((needs, nodes))
    }

    fn add_prefix(
        &mut self,
        recipe: &Recipe,
        source: &Source,
        steps: &Steps,
        needs: Needs,
        before: &mut Vec<usize>,
    ) -> Result<(SourceText, Key, usize), Halt> {
        let (text, fetch, fetch_node) = self.fetch(recipe, source)?;
        let with = self.toolchain.files_for(recipe.all_tools().iter().map(String::as_str));
        let prefix =
            Prefix::plan((fetch, &source.folder), steps, &recipe.compiler, needs, self.toolchain, &with);
        let key = prefix.inputs().key();
        before.push(fetch_node);
        let node = self.add(recipe, prefix, std::mem::take(before));
        Ok((text, key, node))
    }

    fn add_library(
        &mut self,
        recipe: &Recipe,
        needs: Needs,
        nodes: &mut Vec<usize>,
        flags: &mut Vec<String>,
    ) -> Result<(Linked, Option<SourceText>), Halt> {
        flags.extend(compiler_lines(&recipe.compiler));
        match &recipe.library {
            Some(Library::Built { source, steps }) => {
                let mut before = nodes.clone();
                let (text, key, node) = self.add_prefix(recipe, source, steps, needs.clone(), &mut before)?;
                nodes.push(node);
                flags.extend(step_lines(steps));
                Ok((Linked { prefix: Some(key), system: None, needs }, Some(text)))
            }
            Some(Library::System(package)) => {
                let system = SystemLibrary::ask(package, &recipe.compiler.cc, self.context)?;
                let description = format!("system {package} {}", system.version);
                let digest = tlslab_artifact::digest(system.lines().join("\n").as_bytes());
                flags.extend(system.files.iter().cloned());
                let text = SourceText::Known { description, digest };
                Ok((Linked { prefix: None, system: Some(system), needs }, Some(text)))
            }
            None => Ok((Linked { prefix: None, system: None, needs }, None)),
        }
    }

    fn add_rust(
        &mut self,
        recipe: &Recipe,
        folder: &str,
        build: &CargoBuild,
        prefixes: Needs,
        mut before: Vec<usize>,
    ) -> Result<(usize, SourceText), Halt> {
        let mut text = SourceText::Locked { package: build.package.clone() };
        let mut replaced = vec![];
        for (package, source) in &build.replaced {
            let (known, key, node) = self.fetch(recipe, source)?;
            before.push(node);
            replaced.push(Replaced { package: package.clone(), source: key, folder: source.folder.clone() });
            if *package == build.package {
                text = known;
            }
        }
        let project =
            RustProject::read(self.trees, folder, build, replaced, prefixes)?.with_layouts(recipe.layouts);
        let driver = if project.is_settled() {
            self.add(recipe, RustDriver::plan(project, self.toolchain), before)
        } else {
            let versions = Versions::plan(project.clone());
            let inputs = versions.inputs().clone();
            let node = self.add(recipe, versions, before);
            self.settle_if_cached(recipe, project, &inputs, node)
        };
        Ok((driver, text))
    }

    fn settle_if_cached(
        &mut self,
        recipe: &Recipe,
        project: RustProject,
        inputs: &Inputs,
        node: usize,
    ) -> usize {
        let lock = Versions::lock(&self.context.cache.product(Stage::Versions, &inputs.key()));
        let is_held = self.context.cache.holds(Stage::Versions, inputs);
        match std::fs::read_to_string(lock) {
            Ok(lock) if is_held => {
                self.add(recipe, RustDriver::plan(project.with_lock(lock), self.toolchain), vec![node])
            }
            _ => self.push(recipe, Stage::Driver, vec![node], Maker::Unsettled(Box::new(project))),
        }
    }

    fn fetch(&mut self, recipe: &Recipe, source: &Source) -> Result<(SourceText, Key, usize), Halt> {
        let fetch = Fetch::plan(source, self.context)?;
        let (description, digest) = (fetch.description.clone(), fetch.digest.clone());
        let key = fetch.inputs().key();
        let node = self.add(recipe, fetch, vec![]);
        Ok((SourceText::Known { description, digest }, key, node))
    }

    /// The node of a product; a product is not built twice.
    fn add(&mut self, recipe: &Recipe, product: impl Artifact + 'static, needs: Vec<usize>) -> usize {
        self.add_boxed(recipe, Box::new(product), needs)
    }

    fn add_boxed(&mut self, recipe: &Recipe, product: Box<dyn Artifact>, needs: Vec<usize>) -> usize {
        let (stage, key) = (product.stage(), product.inputs().key());
        if let Some(&node) = self.known.get(&(stage, key.clone())) {
            let stacks = &mut self.nodes[node].task.stacks;
            if !stacks.contains(&recipe.name) {
                stacks.push(recipe.name.clone());
            }
            if !self.path.contains(&node) {
                self.path.push(node);
            }
            return node;
        }
        let node = self.push(recipe, stage, needs, Maker::Known(product));
        self.known.insert((stage, key), node);
        node
    }

    fn push(&mut self, recipe: &Recipe, stage: Stage, needs: Vec<usize>, maker: Maker) -> usize {
        let task = Task { stage, stacks: vec![recipe.name.clone()] };
        self.nodes.push(Node { task, needs, maker });
        self.path.push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}

/// How a driver in C is compiled and linked, for display.
fn c_flags(build: &CBuild) -> [String; 2] {
    let compile = C_FLAGS.iter().copied().chain(build.cflags.iter().map(String::as_str));
    let compile: Vec<&str> = compile.collect();
    [format!("driver: {}", compile.join(" ")), format!("link: {}", build.link.join(" "))]
}

/// How cargo builds a driver, for display.
fn cargo_flags(build: &CargoBuild) -> Vec<String> {
    let mut flags = vec![format!("cargo {}", arguments(build).join(" "))];
    let version = build.version.iter().map(|version| format!("pin: {} {version}", build.package));
    flags.extend(version);
    flags.extend(build.pins.iter().map(|(name, version)| format!("pin: {name} {version}")));
    flags.extend(build.as_of.map(|as_of| format!("dependencies as of: {as_of}")));
    flags.extend(build.replaced.keys().map(|package| format!("replaced: {package}")));
    flags.push(format!("rustflags: {}", rust_flags(build).join(" ")));
    flags.extend(env_lines(build));
    flags
}
