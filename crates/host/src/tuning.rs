//! Settings of kernel and processor that change how fast the same instructions run.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpu::field;
use crate::tree::Tree;

/// The current settings, without a judgement.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Tuning {
    /// The frequency governor; if CPUs differ, each one's name once, sorted, joined by `, `.
    pub governor: Option<String>,
    /// Whether the clock may rise above its nominal frequency.
    pub turbo: Option<Turbo>,
    /// The kernel's mitigation of each known weakness of the processor, by its name.
    pub mitigations: Option<BTreeMap<String, String>>,
    /// The clock that the kernel reads.
    pub clocksource: Option<String>,
    /// The clocks that it could read.
    pub clocksources_available: Option<Vec<String>>,
    /// Address-space randomisation of the whole system; the lab switches it off only for its drivers.
    pub address_randomisation: Option<AddressRandomisation>,
    /// When memory comes in huge pages without a request: `always`, `madvise` or `never`.
    pub transparent_huge_pages: Option<String>,
    /// Hardware counters, for this process.
    pub counters: Option<Counters>,
}

/// Turbo (boost) and its switch.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Turbo {
    /// Whether it is on.
    pub on: bool,
    /// The file that switches it.
    pub knob: TurboKnob,
}

/// The two files by which Linux switches turbo.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurboKnob {
    /// `intel_pstate/no_turbo`: 1 is off.
    IntelPstate,
    /// `cpufreq/boost`: 0 is off.
    CpufreqBoost,
}

/// The value of `kernel.randomize_va_space`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressRandomisation {
    /// 0.
    Off,
    /// 1: stack, mappings and shared libraries, but not the heap.
    WithoutHeap,
    /// 2.
    Full,
}

/// Whether this process may count instructions and cycles of its own in hardware.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counters {
    /// It may, as far as the kernel's settings go; a container's system-call filter can still refuse.
    Allowed,
    /// The kernel reserves them for privileged processes, at this level of `kernel.perf_event_paranoid`.
    Forbidden {
        /// The level: above 2 nothing is allowed.
        paranoid: i32,
    },
    /// The kernel finds no counters in this processor, as in most virtual machines.
    NoHardware,
}

impl Tuning {
    pub(crate) fn read(tree: Tree) -> Self {
        let clocks = "sys/devices/system/clocksource/clocksource0";
        let available = tree.text(&format!("{clocks}/available_clocksource"));
        Self {
            governor: governor(tree),
            turbo: turbo(tree),
            mitigations: mitigations(tree),
            clocksource: tree.text(&format!("{clocks}/current_clocksource")),
            clocksources_available: available
                .map(|names| names.split_whitespace().map(str::to_owned).collect()),
            address_randomisation: address_randomisation(tree),
            transparent_huge_pages: transparent_huge_pages(tree),
            counters: counters(tree),
        }
    }
}

fn governor(tree: Tree) -> Option<String> {
    let folders = tree.names("sys/devices/system/cpu")?;
    let of = |name: &String| tree.text(&format!("sys/devices/system/cpu/{name}/cpufreq/scaling_governor"));
    let governors: BTreeSet<String> = folders.iter().filter_map(of).collect();
    (!governors.is_empty()).then(|| governors.into_iter().collect::<Vec<_>>().join(", "))
}

fn turbo(tree: Tree) -> Option<Turbo> {
    let switch = |path: &str| match tree.text(path)?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    let intel = switch("sys/devices/system/cpu/intel_pstate/no_turbo");
    let boost = || switch("sys/devices/system/cpu/cpufreq/boost");
    intel
        .map(|off| Turbo { on: !off, knob: TurboKnob::IntelPstate })
        .or_else(|| boost().map(|on| Turbo { on, knob: TurboKnob::CpufreqBoost }))
}

fn mitigations(tree: Tree) -> Option<BTreeMap<String, String>> {
    let folder = "sys/devices/system/cpu/vulnerabilities";
    let answer = |name: String| tree.text(&format!("{folder}/{name}")).map(|text| (name, text));
    Some(tree.names(folder)?.into_iter().filter_map(answer).collect())
}

fn address_randomisation(tree: Tree) -> Option<AddressRandomisation> {
    match tree.text("proc/sys/kernel/randomize_va_space")?.as_str() {
        "0" => Some(AddressRandomisation::Off),
        "1" => Some(AddressRandomisation::WithoutHeap),
        "2" => Some(AddressRandomisation::Full),
        _ => None,
    }
}

/// The file lists every choice, the current one in brackets.
fn transparent_huge_pages(tree: Tree) -> Option<String> {
    let text = tree.text("sys/kernel/mm/transparent_hugepage/enabled")?;
    let (_, rest) = text.split_once('[')?;
    rest.split_once(']').map(|(choice, _)| choice.to_owned())
}

fn counters(tree: Tree) -> Option<Counters> {
    let paranoid = tree.value("proc/sys/kernel/perf_event_paranoid")?;
    let sources = "sys/bus/event_source/devices";
    // The counters of a core are called `cpu`, or carry the list of the CPUs they belong to.
    let counts_cores = |name: &String| name == "cpu" || tree.exists(&format!("{sources}/{name}/cpus"));
    if !tree.names(sources)?.iter().any(counts_cores) {
        Some(Counters::NoHardware)
    } else if paranoid > HIGHEST_PARANOID_FOR_OWN_CODE && !privileged(tree) {
        Some(Counters::Forbidden { paranoid })
    } else {
        Some(Counters::Allowed)
    }
}

/// Whether this process has one of the capabilities that allow the counters at any level.
fn privileged(tree: Tree) -> bool {
    let status = tree.text("proc/self/status").unwrap_or_default();
    let effective = field(&status, "CapEff").and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(0);
    effective & (1 << CAP_SYS_ADMIN | 1 << CAP_PERFMON) != 0
}

const HIGHEST_PARANOID_FOR_OWN_CODE: i32 = 2;
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
