//! Disturbances of a measurement on this host, with remedies.
//!
//! Each rule is a function from readings to at most one warning. A rule whose inputs are missing returns
//! none.

use crate::processes::Busiest;
use crate::tuning::Counters;
use crate::{Cause, Disturbance, Fingerprint, Readings, Smt, TurboKnob, VirtualisationKind, Warning};

/// The warnings for this host, the gravest first.
///
/// `before` and `after` are taken a second or more apart while the lab is idle, so that work between them is
/// not the lab's.
pub fn check(before: &Readings, after: &Readings, fingerprint: &Fingerprint) -> Vec<Warning> {
    let disturbance = Disturbance::between(before, after);
    let warnings = [
        one_cpu(fingerprint),
        clocksource(fingerprint),
        governor(fingerprint),
        turbo(fingerprint),
        smt(fingerprint),
        battery(before, after),
        load(before, fingerprint),
        busy_process(before, after, &disturbance),
        steal(&disturbance),
        counters(fingerprint),
    ];
    warnings.into_iter().flatten().collect()
}

/// Whether a program reads this clock without entering the kernel, and it ticks evenly.
pub fn is_stable_clock(name: &str) -> bool {
    STABLE_CLOCKS.contains(&name)
}

fn one_cpu(fingerprint: &Fingerprint) -> Option<Warning> {
    let topology = &fingerprint.topology;
    if topology.logical_cpus == Some(1) {
        let measured = "the machine has 1 CPU, so lab and driver evict each other from its caches";
        return Some(warning(Cause::OneCpu, measured, "measure on a machine with 2 CPUs or more"));
    }
    (topology.allowed_cpus == Some(1)).then(|| {
        let measured = match topology.logical_cpus {
            Some(all) => format!("this process may use 1 CPU of {all}"),
            None => "this process may use 1 CPU".to_owned(),
        };
        let measured = format!("{measured}, so lab and driver evict each other from its caches");
        warning(
            Cause::OneCpu,
            measured,
            "allow a second one (`taskset -c 0,1 …`, or `--cpuset-cpus` of the container)",
        )
    })
}

fn clocksource(fingerprint: &Fingerprint) -> Option<Warning> {
    let tuning = &fingerprint.tuning;
    let clock = tuning.clocksource.as_deref().filter(|clock| !is_stable_clock(clock))?;
    let place = match fingerprint.virtualisation.kind {
        Some(VirtualisationKind::VirtualMachine) => "this virtual machine reads",
        _ => "the kernel reads",
    };
    let measured =
        format!("{place} time from `{clock}`, which costs a system call or a trap at every reading");
    let available = tuning.clocksources_available.iter().flatten();
    let advice = match available.map(String::as_str).find(|name| is_stable_clock(name)) {
        Some(better) => format!("`echo {better} | sudo tee {CLOCKSOURCE_FILE}`"),
        None => "no better one is offered here: trust counts of instructions more than times".to_owned(),
    };
    Some(warning(Cause::Clocksource, measured, advice))
}

fn governor(fingerprint: &Fingerprint) -> Option<Warning> {
    let governor = fingerprint.tuning.governor.as_deref().filter(|governor| *governor != "performance")?;
    let measured = format!("the governor is `{governor}`, so the clock follows the load");
    let advice = "`echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`";
    Some(warning(Cause::Governor, measured, advice))
}

fn turbo(fingerprint: &Fingerprint) -> Option<Warning> {
    let turbo = fingerprint.tuning.turbo.filter(|turbo| turbo.on)?;
    let advice = match turbo.knob {
        TurboKnob::IntelPstate => "`echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo`",
        TurboKnob::CpufreqBoost => "`echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost`",
    };
    Some(warning(
        Cause::Turbo,
        "turbo is on, so the clock depends on temperature and on the other cores",
        advice,
    ))
}

fn smt(fingerprint: &Fingerprint) -> Option<Warning> {
    (fingerprint.topology.smt == Some(Smt::On)).then(|| {
        let figure = match (fingerprint.topology.logical_cpus, fingerprint.topology.cores) {
            (Some(cpus), Some(cores)) => format!(" ({cpus} CPUs on {cores} cores)"),
            _ => String::new(),
        };
        let measured = format!("SMT is on{figure}, so work on one CPU slows its sibling");
        warning(Cause::Smt, measured, "`echo off | sudo tee /sys/devices/system/cpu/smt/control`")
    })
}

fn battery(before: &Readings, after: &Readings) -> Option<Warning> {
    (before.on_battery == Some(true) || after.on_battery == Some(true)).then(|| {
        let measured = "the machine runs on its battery, so firmware may lower the clock at any moment";
        warning(Cause::Battery, measured, "connect it to the mains")
    })
}

fn load(before: &Readings, fingerprint: &Fingerprint) -> Option<Warning> {
    let load = before.load?.one;
    let cores =
        fingerprint.topology.cores.or(fingerprint.topology.logical_cpus).filter(|&cores| cores > 0)?;
    let limit = f64::from(cores) * HIGHEST_LOAD_PER_CORE;
    (load > limit).then(|| {
        let plural = if cores == 1 { "core" } else { "cores" };
        let measured =
            format!("the load is {load:.2} on {cores} {plural}, so other work competes for caches and time");
        warning(Cause::Load, measured, format!("stop it, or wait until `uptime` shows less than {limit:.1}"))
    })
}

fn busy_process(before: &Readings, after: &Readings, disturbance: &Disturbance) -> Option<Warning> {
    let cpus = disturbance.others_busy_cpus.filter(|&cpus| cpus > HIGHEST_OTHERS_BUSY_CPUS)?;
    let percent = cpus * 100.0;
    let busiest = after.processes.as_ref()?.busiest_other_since(before.processes.as_ref()?);
    let (whose, advice) = match &busiest {
        Some(Busiest { pid, name, .. }) => {
            let name = name.replace('`', "?");
            (
                format!(", most by `{name}` (process {pid})"),
                format!(
                    "stop `{name}`, or pause it for the run (`kill -STOP {pid}`, then `kill -CONT {pid}`)"
                ),
            )
        }
        None => {
            (String::new(), "find the busy process with `top`; in a container it may run outside".to_owned())
        }
    };
    let measured =
        format!("other processes use {percent:.0} % of a CPU{whose}, so caches and time are shared");
    Some(warning(Cause::BusyProcess, measured, advice))
}

fn steal(disturbance: &Disturbance) -> Option<Warning> {
    let worst = disturbance.worst_steal.filter(|worst| worst.percent > HIGHEST_STEAL_PERCENT)?;
    let measured = format!(
        "the hypervisor kept CPU {} from us for {:.1} % of the time, so slices lengthen at random",
        worst.cpu, worst.percent
    );
    Some(warning(
        Cause::Steal,
        measured,
        "measure when the host is quieter, or on a machine with CPUs of its own",
    ))
}

fn counters(fingerprint: &Fingerprint) -> Option<Warning> {
    let (measured, advice) = match fingerprint.tuning.counters? {
        Counters::Allowed => return None,
        Counters::Forbidden { paranoid } => (
            format!("perf_event_paranoid is {paranoid}, so cycles and cache misses cannot explain a change of time"),
            format!("`sudo sysctl kernel.perf_event_paranoid={PARANOID_FOR_OWN_CODE}`"),
        ),
        Counters::NoHardware => (
            "the kernel shows 0 hardware counters, so cycles and cache misses cannot explain a change of time".to_owned(),
            "let the hypervisor pass them through, or count instructions under the counter".to_owned(),
        ),
    };
    Some(warning(Cause::Counters, measured, advice))
}

fn warning(what: Cause, measured: impl Into<String>, advice: impl Into<String>) -> Warning {
    Warning { what, measured: one_line(&measured.into()), advice: one_line(&advice.into()) }
}

/// A process chooses its own name: it must neither start another line nor colour the terminal.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Clocks that a program reads without entering the kernel and that tick evenly, on any kind of machine.
const STABLE_CLOCKS: [&str; 7] = [
    "tsc",
    "kvm-clock",
    "arch_sys_counter",
    "hyperv_clocksource_tsc_page",
    "timebase",
    "tod",
    "riscv_clocksource",
];
const CLOCKSOURCE_FILE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const HIGHEST_LOAD_PER_CORE: f64 = 0.3;
const HIGHEST_STEAL_PERCENT: f64 = 0.5;
/// A tenth of one CPU: a desktop at rest stays below, anything that computes does not.
const HIGHEST_OTHERS_BUSY_CPUS: f64 = 0.1;
const PARANOID_FOR_OWN_CODE: i32 = 2;
