//! A recipe as written; only its shape is checked.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Table;

use crate::release::Naming;
use crate::settings::Settings;
use crate::target::Target;

pub(crate) const ONE_OF: &str = "write one of crate, archive, debian, pypi, git, path and system in [source]";

/// A recipe's file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    /// The name, such as `openssl`; parts are separated by `/`.
    pub name: String,
    /// The title for readers.
    pub title: String,
    /// The licence of the library, SPDX.
    pub licence: String,
    /// The folder of the driver in drivers/; without it, it is a library that other recipes need.
    pub driver: Option<String>,
    /// Programs that must be installed beyond those that every build of its kind needs.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The version that the bare name means.
    pub version: Option<String>,
    /// Recipes that are built first; `{NAME}` is the prefix of one.
    #[serde(default)]
    pub needs: Vec<String>,
    /// By version or range of versions: tables that override the rest.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, serde_json::Value>>")]
    #[serde(default)]
    pub versions: BTreeMap<String, Table>,
    /// Releases of a registry that can be built besides the versions.
    pub releases: Option<WrittenReleases>,
    /// By variant: tables that override the rest.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, serde_json::Value>>")]
    #[serde(default)]
    pub variants: BTreeMap<String, Table>,
    /// Where the library is developed.
    #[serde(default)]
    pub upstream: WrittenUpstream,
    /// Lists of words that steps can name.
    #[serde(default)]
    pub options: BTreeMap<String, Vec<String>>,
    /// The processor that it is built for, if that is not this machine's.
    pub target: Option<Target>,
    /// How C and C++ are compiled.
    #[serde(default)]
    pub compiler: WrittenCompiler,
    /// Where the source comes from.
    pub source: Option<WrittenSource>,
    /// How a library that is not in Rust is built and installed.
    pub build: Option<WrittenBuild>,
    /// How a driver in C or C++ is linked with the library.
    pub link: Option<WrittenLink>,
    /// How a driver in Rust is built.
    pub cargo: Option<WrittenCargo>,
    /// How a driver with a makefile of its own is built.
    pub make: Option<WrittenMake>,
    /// How the driver is started.
    #[serde(default)]
    pub run: WrittenRun,
    /// How a program sets up the library; of a variant.
    pub settings: Option<Settings>,
}

/// Releases of a registry besides those with tables.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenReleases {
    /// The crate that carries the source.
    #[serde(rename = "crate")]
    pub package: Option<String>,
    /// The Go module that carries it.
    pub go: Option<String>,
    /// The npm package that carries it.
    pub npm: Option<String>,
    /// How a library's version is derived from the package's.
    #[serde(default)]
    pub named: Naming,
    /// The releases that can be built: bounds such as `>=0.20, <0.24`.
    pub only: Option<String>,
    /// Tables that override the rest; `{version}` and `{sha256}` are replaced.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    #[serde(default)]
    pub lay: Table,
}

/// Where the library is developed.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenUpstream {
    /// Its repository.
    pub git: Option<String>,
    /// The folder of the library in the repository.
    #[serde(default)]
    pub folder: String,
    /// Its name for pkg-config, as a library of the system.
    pub system: Option<String>,
}

/// How C and C++ are compiled.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenCompiler {
    /// The C compiler.
    pub cc: Option<String>,
    /// The C++ compiler.
    pub cxx: Option<String>,
    /// Flags of both.
    pub cflags: Option<Vec<String>>,
    /// Flags of the linker.
    #[serde(default)]
    pub ldflags: Vec<String>,
}

/// Where a source comes from.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenSource {
    /// A crate of crates.io.
    #[serde(rename = "crate")]
    pub package: Option<String>,
    /// The version of the crate, or of the package.
    pub version: Option<String>,
    /// The address or path of an archive.
    pub archive: Option<String>,
    /// A source package of Debian.
    pub debian: Option<String>,
    /// A project of the Python Package Index.
    pub pypi: Option<String>,
    /// The archive in it: Debian's original one, or the project's source distribution.
    pub file: Option<String>,
    /// SHA-256 of the archive, hex.
    pub sha256: Option<String>,
    /// How many leading folders of the archive are dropped.
    pub strip: Option<u32>,
    /// A repository.
    pub git: Option<String>,
    /// A commit, tag or branch.
    pub revision: Option<String>,
    /// A folder, in its current state.
    pub path: Option<String>,
    /// A library of the system, by its name for pkg-config.
    pub system: Option<String>,
    /// The folder of the library in the source.
    pub folder: Option<String>,
    /// Patches that are applied, in this order.
    #[serde(default)]
    pub patches: Vec<String>,
}

/// How a library is built.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenBuild {
    /// Variables of the steps.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Commands, each a list of words with `{prefix}`, `{cc}`, `{cflags}`, `{jobs}` and the like.
    pub steps: Vec<Vec<String>>,
}

/// How a driver is linked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenLink {
    /// Flags with which the driver is compiled.
    #[serde(default)]
    pub cflags: Vec<String>,
    /// What it is linked with.
    #[serde(default)]
    pub args: Vec<String>,
}

/// How a driver in Rust is built.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenCargo {
    /// The library's crate.
    pub package: String,
    /// Its version.
    pub version: Option<String>,
    /// Features of the driver.
    #[serde(default)]
    pub features: Vec<String>,
    /// Whether the driver's default features are on.
    #[serde(default = "yes")]
    pub default_features: bool,
    /// Other crates and the versions that they must have.
    #[serde(default)]
    pub pins: BTreeMap<String, String>,
    /// Crates that come from another source.
    #[serde(default)]
    pub sources: BTreeMap<String, WrittenSource>,
    /// Flags of rustc.
    #[serde(default)]
    pub rustflags: Vec<String>,
    /// Variables of the build.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// How a driver with a makefile is built.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenMake {
    /// Variables of the makefile.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// Commands whose output is a part of the build's identity.
    #[serde(default)]
    pub probe: Vec<Vec<String>>,
}

/// How a driver is started.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenRun {
    /// Variables of the running driver.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}
