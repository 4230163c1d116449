//! What has to be made for some stacks, each product once.

use std::collections::BTreeMap;
use std::path::Path;

use crate::bench::Desk;
use crate::driver_c::{C_FLAGS, CDriver, SystemLibrary};
use crate::driver_rust::{RustDriver, RustProject, arguments};
use crate::event::Task;
use crate::failure::BuildFailure;
use crate::halt::Halt;
use crate::inputs::Key;
use crate::kit::Kit;
use crate::prefix::{Prefix, step_lines};
use crate::product::Product;
use crate::recipe::{CBuild, CargoBuild, Edition, Kind, Library, Recipe, Source};
use crate::source::Fetch;
use crate::stage::Stage;
use crate::toolchain::Toolchain;
use crate::versions::Versions;

/// Products to be made and which of them wait for which.
pub struct Graph {
    /// A node's needs come before it.
    pub nodes: Vec<Node>,
    /// For each recipe, its driver's node and what is known of its identity.
    pub stacks: Vec<Result<Planted, BuildFailure>>,
    /// The compilers that everything is made with.
    pub toolchain: Toolchain,
}

/// One product to be made.
pub struct Node {
    pub task: Task,
    pub needs: Vec<usize>,
    pub maker: Maker,
}

/// How a product is made.
pub enum Maker {
    /// All inputs are known.
    Known(Box<dyn Product>),
    /// A Rust driver whose lock file is the product of the node it needs.
    Unsettled(Box<RustProject>),
}

/// A stack in the graph.
#[derive(Clone)]
pub struct Planted {
    pub driver: usize,
    /// Every node that it needs, its driver last.
    pub nodes: Vec<usize>,
    pub source: SourceText,
    pub flags: Vec<String>,
}

/// What is said of a stack's source.
#[derive(Clone)]
pub enum SourceText {
    Known {
        description: String,
        digest: String,
    },
    /// A package of the registry; its checksum stands in the driver's lock file.
    Locked {
        package: String,
    },
}

impl Node {
    /// The key, as far as it is known before anything is made.
    pub fn key(&self) -> Option<Key> {
        match &self.maker {
            Maker::Known(product) => Some(product.inputs().key()),
            Maker::Unsettled(_) => None,
        }
    }
}

impl Graph {
    /// Finds out what has to be made. `blocked` are stacks for which nothing can be.
    pub fn new(
        root: &Path,
        recipes: &[Recipe],
        toolchain: &Toolchain,
        desk: Desk<'_>,
        blocked: impl Fn(&Recipe) -> Option<BuildFailure>,
    ) -> Self {
        let mut planter =
            Planter { root, toolchain, desk, nodes: Vec::new(), known: BTreeMap::new(), path: Vec::new() };
        let stacks = recipes
            .iter()
            .map(|recipe| {
                if let Some(failure) = blocked(recipe) {
                    return Err(failure);
                }
                planter.path.clear();
                planter.plant(recipe).map_err(|halt| BuildFailure::unlogged(Stage::Plan, halt))
            })
            .collect();
        Self { nodes: planter.nodes, stacks, toolchain: toolchain.clone() }.in_order_of_stages()
    }

    /// Nothing to be made, for one reason.
    pub fn blocked(stacks: usize, failure: &BuildFailure) -> Self {
        let stacks = (0..stacks).map(|_| Err(failure.clone())).collect();
        Self { nodes: Vec::new(), stacks, toolchain: Toolchain::default() }
    }

    /// Long chains start early: sources before prefixes before the rest.
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
        let planted = self.stacks.iter_mut().flatten();
        let of_stacks = planted.flat_map(|stack| stack.nodes.iter_mut().chain([&mut stack.driver]));
        for index in listed.chain(of_stacks) {
            *index = place[*index];
        }
        self
    }
}

struct Planter<'a> {
    root: &'a Path,
    toolchain: &'a Toolchain,
    desk: Desk<'a>,
    nodes: Vec<Node>,
    known: BTreeMap<(Stage, Key), usize>,
    path: Vec<usize>,
}

impl Planter<'_> {
    fn plant(&mut self, recipe: &Recipe) -> Result<Planted, Halt> {
        match &recipe.kind {
            Kind::C(build) => self.plant_c(recipe, build),
            Kind::Cargo(build) => self.plant_rust(recipe, build),
        }
    }

    fn plant_c(&mut self, recipe: &Recipe, build: &CBuild) -> Result<Planted, Halt> {
        let kit = Kit::plan(self.root, self.toolchain)?;
        let (mut needs, mut flags) = (vec![], vec![]);
        let (source, prefix, system) = match &build.library {
            Library::Built { source, steps } => {
                let (text, fetch, fetch_node) = self.fetch(recipe, source)?;
                let prefix = Prefix::plan(fetch, &source.folder, steps, self.toolchain);
                let key = prefix.inputs().key();
                needs.push(self.add(recipe, prefix, vec![fetch_node]));
                flags.extend(step_lines(steps));
                (text, Some(key), None)
            }
            Library::System(package) => {
                let system = SystemLibrary::ask(package, self.desk)?;
                let description = format!("system {package} {}", system.version);
                let digest = crate::digest::digest(description.as_bytes());
                (SourceText::Known { description, digest }, None, Some(system))
            }
        };
        let kit_key = kit.inputs().key();
        flags.push(format!(
            "driver: cc {}",
            [&C_FLAGS.map(str::to_owned)[..], &build.cflags].concat().join(" ")
        ));
        flags.push(format!("link: {}", build.link.join(" ")));
        let (toolchain, name) = (self.toolchain, &recipe.driver);
        let driver = CDriver::plan(self.root, name, build, system.as_ref(), prefix, kit_key, toolchain)?;
        needs.push(self.add(recipe, kit, vec![]));
        let driver = self.add(recipe, driver, needs);
        Ok(Planted { driver, nodes: self.path.clone(), source, flags })
    }

    fn plant_rust(&mut self, recipe: &Recipe, build: &CargoBuild) -> Result<Planted, Halt> {
        let (mut text, mut source, mut needs) =
            (SourceText::Locked { package: build.package.clone() }, None, vec![]);
        if let Edition::From(from) = &build.library {
            let (known, key, node) = self.fetch(recipe, from)?;
            (text, source, needs) = (known, Some(key), vec![node]);
        }
        let project = RustProject::read(self.root, &recipe.driver, build, source)?;
        let pins = project.pins().into_iter().map(|(name, version)| format!("pin: {name} {version}"));
        let mut flags = vec![format!("cargo {}", arguments(build).join(" "))];
        flags.extend(pins);
        flags.push(format!("rustflags: {}", build.rustflags.join(" ")));
        let driver = if project.is_settled() {
            self.add(recipe, RustDriver::plan(project, self.toolchain), needs)
        } else {
            let versions = Versions::plan(project.clone());
            let key = versions.inputs().key();
            let node = self.add(recipe, versions, needs);
            self.settle_if_cached(recipe, project, &key, node)
        };
        Ok(Planted { driver, nodes: self.path.clone(), source: text, flags })
    }

    fn settle_if_cached(&mut self, recipe: &Recipe, project: RustProject, key: &Key, node: usize) -> usize {
        let lock = Versions::lock(&self.desk.cache.product(Stage::Versions, key));
        let is_complete = self.desk.cache.is_complete(Stage::Versions, key);
        match std::fs::read_to_string(lock) {
            Ok(lock) if is_complete => {
                self.add(recipe, RustDriver::plan(project.with_lock(lock), self.toolchain), vec![node])
            }
            _ => self.push(recipe, Stage::Driver, vec![node], Maker::Unsettled(Box::new(project))),
        }
    }

    fn fetch(&mut self, recipe: &Recipe, source: &Source) -> Result<(SourceText, Key, usize), Halt> {
        let fetch = Fetch::plan(&source.origin, self.desk)?;
        let (description, digest) = (fetch.description.clone(), fetch.digest.clone());
        let key = fetch.inputs().key();
        let node = self.add(recipe, fetch, vec![]);
        Ok((SourceText::Known { description, digest }, key, node))
    }

    /// The node of a product; the same product is not made twice.
    fn add(&mut self, recipe: &Recipe, product: impl Product + 'static, needs: Vec<usize>) -> usize {
        let (stage, key) = (product.stage(), product.inputs().key());
        if let Some(&node) = self.known.get(&(stage, key.clone())) {
            let stacks = &mut self.nodes[node].task.stacks;
            if !stacks.contains(&recipe.name) {
                stacks.push(recipe.name.clone());
            }
            self.path.push(node);
            return node;
        }
        let node = self.push(recipe, stage, needs, Maker::Known(Box::new(product)));
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
