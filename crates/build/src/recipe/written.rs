//! A recipe as it is written; nothing is checked but its shape.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub name: String,
    pub title: String,
    pub licence: String,
    pub driver: String,
    #[serde(default)]
    pub tools: Vec<String>,
    pub source: Option<WrittenSource>,
    pub build: Option<WrittenBuild>,
    pub link: Option<WrittenLink>,
    pub cargo: Option<WrittenCargo>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenSource {
    #[serde(rename = "crate")]
    pub package: Option<String>,
    pub version: Option<String>,
    pub archive: Option<String>,
    pub sha256: Option<String>,
    pub strip: Option<u32>,
    pub git: Option<String>,
    pub revision: Option<String>,
    pub path: Option<String>,
    pub system: Option<String>,
    pub folder: Option<String>,
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
    pub rustflags: Vec<String>,
}

fn yes() -> bool {
    true
}
