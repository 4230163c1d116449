//! Reads every setting and decides whether it is to be changed. It changes nothing.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};

use crate::boot::boot_parameters;
use crate::cpus::{CPUS, Cpus};
use crate::error::Error;
use crate::machine::{Machine, is_root, names, read};
use crate::plan::{Entry, Finding, Plan};
use crate::setting::{CLOCKS, SINGLE, Setting, number};
use crate::topic::Topic;
use crate::units::{Slice, Unit};

/// Plans the changes for measuring on the `chosen` CPUs, or else on the highest one.
///
/// # Errors
/// Fails if a CPU is not online, or if these are all that are.
pub fn probe(machine: &dyn Machine, chosen: Option<&BTreeSet<u32>>) -> Result<Plan, Error> {
    let cpus = Cpus::find(machine, chosen)?;
    let mut plan = Plan {
        is_root: is_root(machine),
        entries: Vec::new(),
        boot: boot_parameters(machine, &cpus),
        address_randomisation: read(machine, "proc/sys/kernel/randomize_va_space").ok(),
        cpus,
    };
    let has_systemd = machine.root().join("run/systemd/system").is_dir();
    if has_systemd {
        plan.entries.extend(units(machine));
        plan.entries.extend(slices(machine, &plan.cpus));
    }
    for setting in files(machine, &plan.cpus) {
        let Some(file) = setting.file() else { continue };
        match read(machine, &file) {
            Ok(now) => plan
                .entries
                .push(Entry { setting, finding: compare_file(machine, &plan, setting, &file, now) }),
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(cause) => {
                let finding = Finding::Blocked { now: "?".to_owned(), reason: reason(&cause) };
                plan.entries.push(Entry { setting, finding });
            }
        }
    }
    take_watchdogs_together(machine, &mut plan.entries);
    plan.entries.sort_by_key(|entry| entry.setting);
    Ok(plan)
}

/// The settings in files that this machine may have.
fn files(machine: &dyn Machine, cpus: &Cpus) -> BTreeSet<Setting> {
    let numbers = |folder: &str, prefix: &str| {
        let found = names(machine, folder);
        let numbers = found.iter().filter_map(|name| number(name.strip_prefix(prefix)?));
        numbers.collect::<Vec<_>>()
    };
    let mut all: BTreeSet<Setting> = SINGLE.into_iter().collect();
    all.extend(numbers(&format!("{CPUS}/cpufreq"), "policy").into_iter().map(Setting::Governor));
    all.extend(numbers("proc/irq", "").into_iter().map(Setting::IrqCpus));
    all.extend(cpus.siblings().iter().copied().map(Setting::CpuOnline));
    if all.contains(&Setting::Swappiness) && swaps_nothing(machine) {
        all.remove(&Setting::Swappiness);
    }
    all
}

/// Whether there is no swap space: the file has only its heading.
fn swaps_nothing(machine: &dyn Machine) -> bool {
    read(machine, "proc/swaps").is_ok_and(|text| text.lines().count() <= 1)
}

fn compare_file(machine: &dyn Machine, plan: &Plan, setting: Setting, file: &str, now: String) -> Finding {
    if !setting.accepts(&now) {
        return Finding::Blocked { now, reason: "this value is not known to the lab".to_owned() };
    }
    let Some(wanted) = setting.wanted(&now, &plan.cpus) else { return Finding::InPlace { now } };
    if let Some(reason) = not_offered(machine, setting, &now, &wanted) {
        return Finding::Blocked { now, reason };
    }
    match machine.may_write(file) {
        Ok(()) => Finding::Change { now, wanted },
        // Root may be able to.
        Err(cause) if cause.kind() == ErrorKind::PermissionDenied && !plan.is_root => {
            Finding::Change { now, wanted }
        }
        Err(cause) => Finding::Blocked { now, reason: reason(&cause) },
    }
}

/// Why the kernel would reject a value, if it lists accepted ones.
fn not_offered(machine: &dyn Machine, setting: Setting, now: &str, wanted: &str) -> Option<String> {
    let offered = match setting {
        Setting::Governor(policy) => format!("{CPUS}/cpufreq/policy{policy}/scaling_available_governors"),
        Setting::Clocksource => format!("{CLOCKS}/available_clocksource"),
        Setting::HugePages => {
            return (!now.contains(wanted)).then(|| format!("the kernel does not offer {wanted}"));
        }
        _ => return None,
    };
    let offered = read(machine, &offered).ok()?;
    let is_there = offered.split_whitespace().any(|name| name == wanted);
    (!is_there).then(|| format!("the kernel offers {} only", offered.trim()))
}

fn reason(cause: &io::Error) -> String {
    match cause.kind() {
        ErrorKind::ReadOnlyFilesystem => {
            "read-only here, as in a container: change it on the container's host".to_owned()
        }
        ErrorKind::PermissionDenied => "the kernel refuses writes here".to_owned(),
        _ => cause.to_string(),
    }
}

fn units(machine: &dyn Machine) -> Vec<Entry> {
    let units: Vec<Unit> = Unit::all().collect();
    let states = match machine.unit_states(&units) {
        Ok(states) => states,
        Err(cause) => {
            let blocked = |unit| Entry {
                setting: Setting::Unit(unit),
                finding: Finding::Blocked { now: "unknown".to_owned(), reason: cause.to_string() },
            };
            return units.into_iter().map(blocked).collect();
        }
    };
    let entry = |(unit, now): (Unit, String)| {
        let finding = match now.as_str() {
            "active" => Finding::Change { now, wanted: "inactive".to_owned() },
            _ => Finding::InPlace { now },
        };
        Entry { setting: Setting::Unit(unit), finding }
    };
    units.into_iter().zip(states).map(entry).collect()
}

fn slices(machine: &dyn Machine, cpus: &Cpus) -> Vec<Entry> {
    let controllers = read(machine, "sys/fs/cgroup/cgroup.controllers").unwrap_or_default();
    if cpus.measuring().is_empty() || !controllers.split_whitespace().any(|name| name == "cpuset") {
        return Vec::new();
    }
    let entry = |slice| {
        let setting = Setting::Slice(slice);
        let finding = match machine.slice_cpus(slice) {
            Err(cause) => Finding::Blocked { now: "unknown".to_owned(), reason: cause.to_string() },
            Ok(now) if !setting.accepts(&now) => {
                Finding::Blocked { now, reason: "this value is not known to the lab".to_owned() }
            }
            Ok(now) => match setting.wanted(&now, cpus) {
                Some(wanted) => Finding::Change { now, wanted },
                None => Finding::InPlace { now },
            },
        };
        Entry { setting, finding }
    };
    Slice::all().map(entry).collect()
}

/// The three switches of the watchdogs affect each other: if one changes, all are recorded and written.
fn take_watchdogs_together(machine: &dyn Machine, entries: &mut [Entry]) {
    let is_one = |entry: &Entry| entry.setting.topic() == Topic::Watchdogs;
    let changes = |entry: &Entry| matches!(entry.finding, Finding::Change { .. });
    if !entries.iter().any(|entry| is_one(entry) && changes(entry)) {
        return;
    }
    for entry in entries.iter_mut().filter(|entry| is_one(entry)) {
        let may_write = entry.setting.file().is_some_and(|file| machine.may_write(&file).is_ok());
        if let (Finding::InPlace { now }, true) = (&entry.finding, may_write) {
            let (now, wanted) = (now.clone(), now.trim().to_owned());
            entry.finding = Finding::Change { now, wanted };
        }
    }
}
