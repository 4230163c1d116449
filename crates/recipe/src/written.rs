//! A recipe as written; only its shape is checked.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Table;

use crate::release::Naming;

/// A recipe's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub name: String,
    pub title: String,
    pub licence: String,
    pub driver: Option<String>,
    #[serde(default)]
    pub tools: Vec<String>,
    pub version: Option<String>,
    #[serde(default)]
    pub needs: Vec<String>,
    #[serde(default)]
    pub versions: BTreeMap<String, Table>,
    pub releases: Option<WrittenReleases>,
    #[serde(default)]
    pub variants: BTreeMap<String, Table>,
    #[serde(default)]
    pub upstream: WrittenUpstream,
    #[serde(default)]
    pub options: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub compiler: WrittenCompiler,
    pub source: Option<WrittenSource>,
    pub build: Option<WrittenBuild>,
    pub link: Option<WrittenLink>,
    pub cargo: Option<WrittenCargo>,
    pub make: Option<WrittenMake>,
    #[serde(default)]
    pub run: WrittenRun,
}

/// Releases of a registry beyond those that have tables.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenReleases {
    #[serde(rename = "crate")]
    pub package: Option<String>,
    pub go: Option<String>,
    pub npm: Option<String>,
    #[serde(default)]
    pub named: Naming,
    pub only: Option<String>,
    #[serde(default)]
    pub lay: Table,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenUpstream {
    pub git: Option<String>,
    #[serde(default)]
    pub folder: String,
    pub system: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenCompiler {
    pub cc: Option<String>,
    pub cxx: Option<String>,
    pub cflags: Option<Vec<String>>,
    #[serde(default)]
    pub ldflags: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenSource {
    #[serde(rename = "crate")]
    pub package: Option<String>,
    pub version: Option<String>,
    pub archive: Option<String>,
    pub debian: Option<String>,
    pub file: Option<String>,
    pub sha256: Option<String>,
    pub strip: Option<u32>,
    pub git: Option<String>,
    pub revision: Option<String>,
    pub path: Option<String>,
    pub system: Option<String>,
    pub folder: Option<String>,
    #[serde(default)]
    pub patches: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenBuild {
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    pub steps: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenLink {
    #[serde(default)]
    pub cflags: Vec<String>,
    #[serde(default)]
    pub args: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenCargo {
    pub package: String,
    pub version: Option<String>,
    #[serde(default)]
    pub features: Vec<String>,
    #[serde(default = "yes")]
    pub default_features: bool,
    #[serde(default)]
    pub pins: BTreeMap<String, String>,
    #[serde(default)]
    pub sources: BTreeMap<String, WrittenSource>,
    #[serde(default)]
    pub rustflags: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenMake {
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    #[serde(default)]
    pub probe: Vec<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenRun {
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}
