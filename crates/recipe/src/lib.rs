//! Recipes: the files that describe how stacks are fetched and built.
//!
//! A [`RecipeIndex`] holds all of them and resolves a user's request to a [`Recipe`]. Every value in a
//! [`Recipe`] has been checked.

mod as_of;
mod check;
mod error;
mod file;
mod index;
mod layouts;
mod options;
mod overlay;
mod page;
mod placeholder;
mod processor;
mod release;
mod run_as;
mod settings;
mod source;
mod spec;
mod stack_request;
mod target;
#[cfg(test)]
mod tests_of_processors;
mod version;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub use as_of::AsOf;
pub use error::RecipeError;
pub use file::RecipeFile;
pub use index::RecipeIndex;
pub use layouts::{Layouts, LinkChange};
pub use page::{CHOICES, DriverFolder, contents as driver_contents, page as driver_page};
pub use placeholder::Placeholders;
pub use processor::Processors;
pub use release::{Listed, Naming, Package, Range, Registries, Registry, Release, Releases};
pub use run_as::{Feature, ShownProcessor};
pub use settings::{Settings, SettingsPlace, SettingsSide};
pub use source::{Origin, Source, is_remote};
pub use spec::{Dependency, Place, Spec, SpecError};
pub use stack_request::StackRequest;
pub use target::Target;
pub use version::{compare, is_commit, is_number, prefix};

/// How one stack, or a library that stacks need, is fetched and built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The file it was read from, as named.
    pub file: String,
    /// SHA-256 of the file's text, hex.
    pub digest: String,
    /// The name that the user typed.
    pub name: String,
    /// The title for readers.
    pub title: String,
    /// The library's licence, as an SPDX expression.
    pub licence: String,
    /// Programs that must be installed, beyond those that every build of its kind needs.
    pub tools: Vec<String>,
    /// Libraries that are built first.
    pub needs: Vec<Need>,
    /// How C and C++ are compiled.
    pub compiler: Compiler,
    /// The library that the driver is linked with, if it is not in Rust.
    pub library: Option<Library>,
    /// How the driver is built; `None` for a library that others need.
    pub driver: Option<DriverBuild>,
    /// The environment of the running driver.
    pub run_env: BTreeMap<String, String>,
    /// The processor that the driver is run as; `None` for the host's own.
    pub processor: Option<ShownProcessor>,
    /// Other layouts of the driver's code that are linked as well.
    pub layouts: Option<Layouts>,
    /// Whether its registry has withdrawn this release.
    pub is_withdrawn: bool,
}

/// Another recipe's library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The placeholder of its prefix.
    pub word: String,
    /// Its recipe.
    pub recipe: Recipe,
}

/// Compilers and flags for a library in C or C++ and its driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The C compiler.
    pub cc: String,
    /// The C++ compiler.
    pub cxx: String,
    /// Flags for both.
    pub cflags: Vec<String>,
    /// Flags for the linker.
    pub ldflags: Vec<String>,
    /// The target; `None` for this machine.
    pub target: Option<Target>,
}

impl Default for Compiler {
    /// The system's compilers. Optimised as most vendors do, without assertions, with the line tables that
    /// attribution needs, and with each function in a section of its own, so that a linker can reorder
    /// functions.
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        Self {
            cc: "cc".into(),
            cxx: "c++".into(),
            cflags: words(&["-O3", "-g1", "-DNDEBUG", "-ffunction-sections"]),
            ldflags: words(&[]),
            target: None,
        }
    }
}

/// A driver's folder, and how it is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverBuild {
    /// The folder below `drivers/`.
    pub folder: String,
    /// How it is built.
    pub kind: Kind,
}

/// The kinds of driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program in C or C++.
    C(CBuild),
    /// A cargo project that depends on the library.
    Cargo(CargoBuild),
    /// The product of its Makefile.
    Make(MakeBuild),
}

/// How a driver in C or C++ is compiled and linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CBuild {
    /// Flags for the driver's own sources, after `tlslab_build::C_FLAGS`.
    pub cflags: Vec<String>,
    /// Arguments for the linker.
    pub link: Vec<String>,
}

/// How a driver with a Makefile of its own is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MakeBuild {
    /// Variables for `make`.
    pub variables: BTreeMap<String, String>,
    /// Commands whose output has the versions of the driver's tools.
    pub probe: Vec<Vec<String>>,
}

/// The source of a C library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Library {
    /// Built from source into a prefix of its own.
    Built {
        /// The source.
        source: Source,
        /// How it is installed.
        steps: Steps,
    },
    /// The system's library, by its name for `pkg-config`.
    System(String),
}

/// Commands that install a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Variables for every command.
    pub env: BTreeMap<String, String>,
    /// The commands, each a program and its arguments, run in the source's folder.
    pub commands: Vec<Vec<String>>,
}

/// How a driver in Rust is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CargoBuild {
    /// The library's package in the driver's dependencies.
    pub package: String,
    /// Its version, if it comes from the registry; else its source is in `replaced`.
    pub version: Option<String>,
    /// Packages that do not come from the registry.
    pub replaced: BTreeMap<String, Source>,
    /// Features of the driver.
    pub features: Vec<String>,
    /// Whether the driver's default features are enabled.
    pub default_features: bool,
    /// Packages that must have an exact version.
    pub pins: BTreeMap<String, String>,
    /// Flags for the compiler.
    pub rustflags: Vec<String>,
    /// Variables for cargo and the build scripts.
    pub env: BTreeMap<String, String>,
    /// The target; `None` for this machine.
    pub target: Option<Target>,
    /// The day as of which the library's dependencies are taken; `None` for the newest ones.
    pub as_of: Option<AsOf>,
}

impl Recipe {
    /// Reads a recipe without needs, in its default version. Relative paths in it start from the folder of
    /// `file`.
    ///
    /// # Errors
    /// Fails if the text is not a recipe or needs another, with the key, the cause and the next step.
    pub fn parse(file: &str, text: &str) -> Result<Self, RecipeError> {
        let file = RecipeFile::parse(file, text)?;
        let name = file.name.clone();
        RecipeIndex::new(vec![file], BTreeMap::new())?.named(&name)
    }

    /// Every program that the build of this stack and its needs starts, sorted.
    #[must_use]
    pub fn all_tools(&self) -> Vec<String> {
        let mut tools: BTreeSet<String> = self.tools.iter().cloned().collect();
        tools.extend(["cargo", "cc"].map(str::to_owned));
        let is_cargo = matches!(self.driver, Some(DriverBuild { kind: Kind::Cargo(_), .. }));
        if !is_cargo {
            tools.insert(self.compiler.cc.clone());
        }
        if let Some(DriverBuild { kind: Kind::Make(build), .. }) = &self.driver {
            tools.insert("make".to_owned());
            tools.extend(build.probe.iter().filter_map(|command| command.first().cloned()));
        }
        if let Some(Library::System(_)) = &self.library {
            tools.insert("pkg-config".to_owned());
        }
        for source in self.sources() {
            tools.extend(source.tools().into_iter().map(str::to_owned));
        }
        tools.extend(self.needs.iter().flat_map(|need| need.recipe.all_tools()));
        tools.into_iter().collect()
    }

    /// The sources that are fetched for it, without those of its needs.
    #[must_use]
    pub fn sources(&self) -> Vec<&Source> {
        match (&self.library, &self.driver) {
            (Some(Library::Built { source, .. }), _) => vec![source],
            (_, Some(DriverBuild { kind: Kind::Cargo(build), .. })) => build.replaced.values().collect(),
            _ => Vec::new(),
        }
    }

    /// The compilers of this build and its needs.
    #[must_use]
    pub fn compilers(&self) -> BTreeSet<String> {
        let needed = self.needs.iter().flat_map(|need| need.recipe.compilers());
        needed.chain([self.compiler.cc.clone(), "cc".to_owned()]).collect()
    }
}

impl Recipe {
    /// The same recipe with the library's dependencies as of a day.
    ///
    /// # Errors
    /// Fails if no dependency of the stack comes from a registry of crates, or for a release's day if it is
    /// not a release.
    fn with_dependencies_as_of(mut self, as_of: AsOf) -> Result<Self, RecipeError> {
        let Some(DriverBuild { kind: Kind::Cargo(build), .. }) = &mut self.driver else {
            let cause = format!("the dependencies of {} do not come from a registry of crates", self.name);
            return Err(RecipeError::asked(&cause, &format!("leave +{} out", as_of.word())));
        };
        if as_of == AsOf::Release && build.version.is_none() {
            let cause = format!("{} is no release of a registry, so it has no day", self.name);
            return Err(RecipeError::asked(&cause, "name the day: +as-of-YYYY-MM-DD"));
        }
        build.as_of = Some(as_of);
        self.title = format!("{}, {}", self.title, as_of.describe());
        Ok(self)
    }

    /// The same, run as a processor.
    ///
    /// # Errors
    /// Fails if it is built for another kind of processor.
    fn run_as(mut self, shown: ShownProcessor) -> Result<Self, RecipeError> {
        let of_driver = match &self.driver {
            Some(DriverBuild { kind: Kind::Cargo(build), .. }) => build.target,
            _ => None,
        };
        if of_driver.or(self.compiler.target).is_some() {
            let cause = format!("{} is not built for this host's kind of processor", self.name);
            return Err(RecipeError::asked(&cause, &format!("leave +{} out", run_as::word(&shown.word))));
        }
        self.title = format!("{}, run as {}", self.title, shown.title);
        self.processor = Some(shown);
        Ok(self)
    }

    /// The same, with other layouts of its driver's code.
    #[must_use]
    pub fn with_layouts(mut self, layouts: Layouts) -> Self {
        self.layouts = Some(layouts);
        self
    }
}

/// Whether this is a recipe's name: parts of letters, digits, `-` and `.`, with `/` between them.
fn is_name(name: &str) -> bool {
    name.split('/').all(|part| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
    })
}

/// The path of a recipe's folder or of a user's tree.
pub(crate) fn resolve_beside(file: &str, path: &str) -> PathBuf {
    std::path::Path::new(file).parent().unwrap_or(std::path::Path::new("")).join(path)
}

/// The JSON Schema of a recipe's file.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(written::Written)
}
