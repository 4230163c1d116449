//! The number of CPUs, and which of them share a core.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu::field;
use crate::cpu_list::parse_cpu_list;
use crate::tree::Tree;

/// Counts of CPUs. A *CPU* is what the scheduler runs a thread on; with SMT several share a core.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Topology {
    /// CPUs that are online.
    pub logical_cpus: Option<u32>,
    /// CPUs that this process may run on.
    pub allowed_cpus: Option<u32>,
    /// Physical cores behind the CPUs that are online.
    pub cores: Option<u32>,
    /// Simultaneous multithreading.
    pub smt: Option<Smt>,
}

/// Whether two CPUs share a core.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Smt {
    /// They do.
    On,
    /// They could, but the kernel keeps all but one of each core offline.
    Off,
    /// Each core is one CPU.
    NotSupported,
}

impl Topology {
    pub(crate) fn read(tree: Tree) -> Self {
        let cpuinfo = tree.text("proc/cpuinfo").unwrap_or_default();
        let online = tree.text("sys/devices/system/cpu/online").and_then(|text| parse_cpu_list(&text));
        let logical_cpus = online.map(|cpus| cpus.len()).or_else(|| count(processors(&cpuinfo)));
        Self {
            logical_cpus: logical_cpus.map(small),
            allowed_cpus: allowed_cpus(tree).map(|cpus| small(cpus.len())),
            cores: count(core_by_cpu(tree).into_values().collect::<BTreeSet<_>>()).map(small),
            smt: smt(tree),
        }
    }
}

/// The CPUs that this process may run on.
pub(crate) fn allowed_cpus(tree: Tree) -> Option<BTreeSet<u32>> {
    parse_cpu_list(field(&tree.text("proc/self/status")?, "Cpus_allowed_list")?)
}

/// Whether two CPUs are threads of one core, if the system under `root` shows it.
pub fn share_a_core(root: &Path, [one, other]: [u32; 2]) -> bool {
    let cores = core_by_cpu(Tree::new(root));
    cores.get(&one).is_some_and(|core| cores.get(&other) == Some(core))
}

/// A name for the core of each CPU: equal names, same core. CPUs whose core is not shown are absent.
pub(crate) fn core_by_cpu(tree: Tree) -> BTreeMap<u32, String> {
    let folders = tree.names("sys/devices/system/cpu").unwrap_or_default();
    let cpus = folders.iter().filter_map(|name| name.strip_prefix("cpu")?.parse::<u32>().ok());
    let shown: BTreeMap<u32, String> =
        cpus.filter_map(|cpu| Some((cpu, core_from_sys(tree, cpu)?))).collect();
    if shown.is_empty() { cores_from_cpuinfo(&tree.text("proc/cpuinfo").unwrap_or_default()) } else { shown }
}

/// The list of CPUs on the same core names it; core ids alone repeat from package to package.
fn core_from_sys(tree: Tree, cpu: u32) -> Option<String> {
    let folder = format!("sys/devices/system/cpu/cpu{cpu}/topology");
    let names = ["core_cpus_list", "thread_siblings_list"];
    let siblings = names.iter().find_map(|name| tree.text(&format!("{folder}/{name}")))?;
    parse_cpu_list(&siblings).map(|_| siblings)
}

fn cores_from_cpuinfo(cpuinfo: &str) -> BTreeMap<u32, String> {
    let core = |block: &str| {
        let (package, core) = (field(block, "physical id")?, field(block, "core id")?);
        Some((field(block, "processor")?.parse().ok()?, format!("{package}/{core}")))
    };
    cpuinfo.split("\n\n").filter_map(core).collect()
}

fn processors(cpuinfo: &str) -> Vec<&str> {
    let is_processor = |line: &&str| line.split_once(':').is_some_and(|(key, _)| key.trim() == "processor");
    cpuinfo.lines().filter(is_processor).collect()
}

fn smt(tree: Tree) -> Option<Smt> {
    match tree.text("sys/devices/system/cpu/smt/control").as_deref() {
        Some("notsupported") => return Some(Smt::NotSupported),
        Some("off" | "forceoff") => return Some(Smt::Off),
        Some("notimplemented") => return None,
        _ => {}
    }
    match tree.text("sys/devices/system/cpu/smt/active").as_deref() {
        Some("1") => Some(Smt::On),
        Some("0") => Some(Smt::Off),
        _ => None,
    }
}

/// The number of items; `None` if the list is empty, as the host then shows nothing.
fn count<T>(items: impl IntoIterator<Item = T>) -> Option<usize> {
    Some(items.into_iter().count()).filter(|&number| number > 0)
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
