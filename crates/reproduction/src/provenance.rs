//! Where a document's figures come from: the lab's commit, the load of the host, the version of each stack.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Library;
use tlslab_record::StackIdentity;

/// How the parts of a document were measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The lab's version.
    pub lab_version: String,
    /// The commits of the lab's tree that parts were measured with, each once; none if the tree is not a git
    /// checkout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<Commit>,
    /// The share of the document's own measuring time that was taken: 1 is all of it.
    pub share: f64,
    /// The parts that were measured, each with the state of the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartProvenance>,
    /// The sources of comparisons' stacks, as `COMPARISON/STACK`; empty in earlier records.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub built: BTreeMap<String, Built>,
    /// The versions of stacks with counted functions only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub profiled: BTreeMap<String, String>,
}

/// A stack as built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Built {
    /// Its library, as that reports itself.
    pub library: Library,
    /// Source, flags, compilers and digests.
    pub identity: StackIdentity,
}

/// A commit of the lab's tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// Its digest.
    pub id: String,
    /// Whether files differed from it.
    #[serde(default)]
    pub dirty: bool,
}

/// A measurement or comparison, and the state of the host meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartProvenance {
    /// The part's name.
    pub part: String,
    /// The load of the last minute when it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_at_start: Option<f64>,
    /// The same when it ended. The lab's own work is part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_at_end: Option<f64>,
    /// CPUs that other processes kept busy meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_busy_cpus: Option<f64>,
    /// Time that the hypervisor took from the CPU that lost most, %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_percent: Option<f64>,
    /// Whether it was measured twice because the host was busy the first time: the quieter of the two is
    /// kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// A stack of a document: the version that was published and the one that was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackVersion {
    /// The stack.
    pub stack: String,
    /// Its specification, if it has a chosen name: `rustls/ring+clang,ring=0.17.8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The published version, if the document states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The measured version, with the libraries below it and patches over it, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// The C compiler, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
}
