//! The file that says how a stack is fetched and built.
//!
//! [`Recipe::parse`] is the only way to one: whatever a [`Recipe`] holds has been checked.

mod check;
mod error;
mod placeholder;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub use error::RecipeError;
pub use placeholder::Placeholders;

/// How one stack is fetched and built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The file it was read from, as it was named.
    pub file: String,
    /// SHA-256 of the file's text, hex.
    pub digest: String,
    /// What users type.
    pub name: String,
    /// What readers see.
    pub title: String,
    /// The library's licence, SPDX.
    pub licence: String,
    /// The folder below `drivers/`.
    pub driver: String,
    /// Programs that must be there, beyond those that every build of its kind needs.
    pub tools: Vec<String>,
    /// How the driver comes about.
    pub kind: Kind,
}

/// The two kinds of driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program in C, linked with a library.
    C(CBuild),
    /// A cargo project that has the library in its dependencies.
    Cargo(CargoBuild),
}

/// A library with a C interface, and how the driver is linked with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CBuild {
    /// The library.
    pub library: Library,
    /// Flags for the driver's own sources, after [`C_FLAGS`](crate::C_FLAGS).
    pub cflags: Vec<String>,
    /// Arguments for the linker.
    pub link: Vec<String>,
}

/// Where a C library comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Library {
    /// Built from source into a prefix of its own.
    Built {
        /// The source.
        source: Source,
        /// What turns it into an installed library.
        steps: Steps,
    },
    /// What the system has installed, by its name for `pkg-config`.
    System(String),
}

/// Commands that install a library. `{prefix}` is the folder to install to, `{jobs}` a number of jobs.
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
    /// Which one.
    pub library: Edition,
    /// Features of the driver.
    pub features: Vec<String>,
    /// Whether the driver's default features are on.
    pub default_features: bool,
    /// Packages that must have an exact version.
    pub pins: BTreeMap<String, String>,
    /// Flags for the compiler.
    pub rustflags: Vec<String>,
}

/// Which edition of a package a driver is built with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The registry's, at this version.
    Released(String),
    /// One that stands in for the registry's.
    From(Source),
}

/// A source and the part of it that is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it comes from.
    pub origin: Origin,
    /// The folder within it that is built; empty for all of it.
    pub folder: PathBuf,
}

/// Where a source comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A package of the registry.
    Crate {
        /// Its name.
        package: String,
        /// Its exact version.
        version: String,
        /// Its checksum, as a `Cargo.lock` has it.
        sha256: String,
    },
    /// An archive that `tar` can read.
    Archive {
        /// A path, or an address that `curl` can fetch.
        location: String,
        /// Its SHA-256, hex.
        sha256: String,
        /// Leading folders to drop.
        strip: u32,
    },
    /// A commit.
    Git {
        /// A path or an address.
        repository: String,
        /// A commit, tag or branch.
        revision: String,
    },
    /// A checkout as it stands, changes included.
    Checkout(PathBuf),
}

impl Recipe {
    /// Reads a recipe. Relative paths in it start from the folder of `file`.
    ///
    /// # Errors
    /// If the text is not a recipe, with the key, the cause and what to do.
    pub fn parse(file: &str, text: &str) -> Result<Self, RecipeError> {
        check::recipe(file, text)
    }

    /// Every program that building this stack starts, sorted.
    #[must_use]
    pub fn all_tools(&self) -> Vec<String> {
        let mut tools: BTreeSet<&str> = self.tools.iter().map(String::as_str).collect();
        tools.extend(["cargo", "cc"]);
        if let Kind::C(CBuild { library: Library::System(_), .. }) = &self.kind {
            tools.insert("pkg-config");
        }
        match self.source().map(|source| &source.origin) {
            Some(Origin::Archive { location, .. }) => {
                tools.insert("tar");
                if is_remote(location) {
                    tools.insert("curl");
                }
            }
            Some(Origin::Git { .. }) => {
                tools.insert("git");
            }
            _ => {}
        }
        tools.into_iter().map(str::to_owned).collect()
    }

    /// The source that is fetched for it, if there is one.
    #[must_use]
    pub fn source(&self) -> Option<&Source> {
        match &self.kind {
            Kind::C(CBuild { library: Library::Built { source, .. }, .. }) => Some(source),
            Kind::Cargo(CargoBuild { library: Edition::From(source), .. }) => Some(source),
            _ => None,
        }
    }
}

/// Whether an archive's location is fetched by `curl`.
pub fn is_remote(location: &str) -> bool {
    location.starts_with("https://") || location.starts_with("http://")
}
