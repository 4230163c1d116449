//! What counts instructions in a run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail, ensure};
use tlslab_host::{Counters, Fingerprint};
use tlslab_record::{CountPlan, CounterKind, CounterRecord, Plan};

use crate::cli::{AskedCounter, AskedProfiler, AskedSimulation, RunArgs};
use crate::house::House;
use crate::progress::BuildProgress;

/// Iterations of a count: libraries that do more at every 32nd use of a key do so once in it.
const ITERATIONS: u64 = 32;

/// The counter that was asked for, made if need be.
pub fn plan(house: &House, args: &RunArgs, cancel: &AtomicBool) -> anyhow::Result<CountPlan> {
    let simulates = !args.simulate.is_empty();
    ensure!(
        !simulates || matches!(args.counter, None | Some(AskedCounter::Callgrind)),
        "--simulate: callgrind alone simulates a processor; leave --counter out, or say --counter callgrind"
    );
    let counter = counter(house, args.counter, &args.simulate, cancel)?;
    let seeds = args.seeds.unwrap_or(1);
    ensure!(
        seeds == 1 || counter.kind.forges(),
        "--seeds {seeds}: the processor's counter forges no chance; leave it out, or count with --counter frida"
    );
    Ok(CountPlan {
        counter,
        iterations: args.count_iterations.unwrap_or(ITERATIONS),
        seeds: (1..=seeds).collect(),
    })
}

/// The counter of a comparison, made if need be; its seeds are the comparison's.
pub fn plan_by(house: &House, asked: Option<AskedCounter>, cancel: &AtomicBool) -> anyhow::Result<CountPlan> {
    Ok(CountPlan { counter: counter(house, asked, &[], cancel)?, iterations: ITERATIONS, seeds: vec![1] })
}

fn counter(
    house: &House,
    asked: Option<AskedCounter>,
    simulate: &[AskedSimulation],
    cancel: &AtomicBool,
) -> anyhow::Result<CounterRecord> {
    Ok(match asked {
        None if !simulate.is_empty() => callgrind(house, simulate, cancel)?,
        Some(AskedCounter::Callgrind) => callgrind(house, simulate, cancel)?,
        None => valgrind_or_callgrind(house, cancel)?,
        Some(AskedCounter::Valgrind) => valgrind(house, cancel)?,
        Some(AskedCounter::Hardware) => hardware(house, cancel)?,
        Some(AskedCounter::Frida) => frida(house, cancel).unwrap_or_else(|why| missing(&format!("{why:#}"))),
        Some(AskedCounter::Native) => native(house, cancel)?,
    })
}

/// What tells functions apart; `functions` is how much of them valgrind's tool tells, `self` or `callers`.
pub fn profiler(
    house: &House,
    asked: Option<AskedProfiler>,
    functions: &str,
    cancel: &AtomicBool,
) -> anyhow::Result<CounterRecord> {
    match asked {
        None | Some(AskedProfiler::Valgrind) => {
            let mut counter = match asked {
                None => valgrind_or_callgrind(house, cancel)?,
                Some(_) => valgrind(house, cancel)?,
            };
            if counter.kind == CounterKind::Valgrind {
                counter.arguments.push(format!("--fn={functions}"));
            }
            Ok(counter)
        }
        Some(AskedProfiler::Frida) => frida(house, cancel),
    }
}

/// Options of counting ask for it.
pub fn check_unasked(args: &RunArgs) -> anyhow::Result<()> {
    let given = [
        ("--counter", args.counter.is_some()),
        ("--count-iterations", args.count_iterations.is_some()),
        ("--simulate", !args.simulate.is_empty()),
        ("--seeds", args.seeds.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => bail!("{option}: nothing is counted in this run; add --metric count"),
        None => Ok(()),
    }
}

/// What runs on the processor itself, by what can be had.
fn native(house: &House, cancel: &AtomicBool) -> anyhow::Result<CounterRecord> {
    let counters = Fingerprint::read(Path::new("/")).tuning.counters;
    if counters == Some(Counters::Allowed) {
        return hardware(house, cancel);
    }
    let why_no_hardware = match counters {
        Some(Counters::Forbidden { paranoid }) => {
            format!("the kernel forbids its counter (kernel.perf_event_paranoid is {paranoid})")
        }
        _ => "the processor shows no hardware counter of instructions".to_owned(),
    };
    Ok(frida(house, cancel)
        .unwrap_or_else(|why_no_frida| missing(&format!("{why_no_hardware}, and {why_no_frida:#}"))))
}

fn hardware(house: &House, cancel: &AtomicBool) -> anyhow::Result<CounterRecord> {
    Ok(CounterRecord {
        kind: CounterKind::Hardware,
        name: "the processor's counter of instructions in user mode".to_owned(),
        program: String::new(),
        arguments: vec![],
        environment: BTreeMap::new(),
        digest: String::new(),
        preload: process(house, cancel)?,
        missing: String::new(),
    })
}

/// Frida, installed if need be.
pub fn frida(house: &House, cancel: &AtomicBool) -> anyhow::Result<CounterRecord> {
    let stalker = house.workshop().stalker(&BuildProgress::new(false), cancel)?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let digest = tlslab_build::file_digest(&stalker.python)
        .with_context(|| format!("cannot read {}", stalker.python.display()))?;
    Ok(CounterRecord {
        kind: CounterKind::Frida,
        name: format!("Frida {} on the processor itself", stalker.version),
        program: text(&stalker.python),
        arguments: vec![
            "-I".to_owned(),
            text(&stalker.attach),
            format!("--packages={}", text(&stalker.packages)),
        ],
        environment: BTreeMap::new(),
        digest,
        preload: text(&stalker.library),
        missing: String::new(),
    })
}

/// No counter, and why.
fn missing(why: &str) -> CounterRecord {
    CounterRecord {
        kind: CounterKind::Frida,
        name: "nothing".to_owned(),
        program: String::new(),
        arguments: vec![],
        environment: BTreeMap::new(),
        digest: String::new(),
        preload: String::new(),
        missing: why.to_owned(),
    }
}

pub fn valgrind(house: &House, cancel: &AtomicBool) -> anyhow::Result<CounterRecord> {
    let built = house.workshop().counter(&BuildProgress::new(false), cancel)?;
    let digest = tlslab_build::file_digest(&built.tool)
        .with_context(|| format!("cannot read the counter {}", built.tool.display()))?;
    Ok(CounterRecord {
        kind: CounterKind::Valgrind,
        name: format!("the lab's counter in valgrind {}", built.valgrind),
        program: built.tool.to_string_lossy().into_owned(),
        arguments: built.arguments,
        environment: built.environment,
        digest,
        preload: process(house, cancel)?,
        missing: String::new(),
    })
}

/// The lab's own tool, or callgrind where that cannot be made of the valgrind that there is.
fn valgrind_or_callgrind(house: &House, cancel: &AtomicBool) -> anyhow::Result<CounterRecord> {
    let why = match valgrind(house, cancel) {
        Ok(counter) => return Ok(counter),
        Err(why) => format!("{why:#}"),
    };
    let Ok(mut counter) = callgrind(house, &[], cancel) else { bail!(why) };
    let why = why.lines().next().unwrap_or_default();
    eprintln!("count: with callgrind, as the lab's own counter cannot be had: {why}");
    counter.name = format!("{}, as the lab's own counter could not be had ({why})", counter.name);
    Ok(counter)
}

/// Valgrind's own callgrind.
fn callgrind(
    house: &House,
    simulated: &[AskedSimulation],
    cancel: &AtomicBool,
) -> anyhow::Result<CounterRecord> {
    let (launcher, version) = house
        .workshop()
        .stock_valgrind()
        .context("callgrind: there is no valgrind that runs; apt-get install valgrind")?;
    let mut arguments =
        ["--tool=callgrind", "-q", "--collect-atstart=no", "--callgrind-out-file=callgrind.%p"]
            .map(str::to_owned)
            .to_vec();
    let mut name = format!("callgrind of valgrind {version}");
    for what in simulated {
        let (option, words) = match what {
            AskedSimulation::Caches => ("--cache-sim=yes", " with simulated caches"),
            AskedSimulation::Branches => ("--branch-sim=yes", " with simulated branches"),
        };
        arguments.push(option.to_owned());
        name.push_str(words);
    }
    let preloads = house.workshop().preload(&BuildProgress::new(false), cancel)?;
    Ok(CounterRecord {
        kind: CounterKind::Callgrind,
        name,
        digest: tlslab_build::file_digest(&launcher)
            .with_context(|| format!("cannot read {}", launcher.display()))?,
        program: launcher.to_string_lossy().into_owned(),
        arguments,
        environment: [("TLSLAB_CALLGRIND".to_owned(), "1".to_owned())].into(),
        preload: preloads.forge.to_string_lossy().into_owned(),
        missing: String::new(),
    })
}

/// The library that hides the process's number.
fn process(house: &House, cancel: &AtomicBool) -> anyhow::Result<String> {
    let preloads = house.workshop().preload(&BuildProgress::new(false), cancel)?;
    Ok(preloads.process.to_string_lossy().into_owned())
}

/// A run can go on only with the counter that it began with.
pub fn check_still_the_same(plan: &Plan) -> anyhow::Result<()> {
    let Some(CountPlan { counter, .. }) = &plan.counting else { return Ok(()) };
    if counter.program.is_empty() {
        return Ok(());
    }
    let digest = tlslab_build::file_digest(counter.program.as_ref())
        .with_context(|| format!("cannot read the counter: {}", counter.program))?;
    ensure!(
        digest == counter.digest,
        "the counter has changed since run {} began, so it cannot go on; start a new one",
        plan.id
    );
    Ok(())
}
