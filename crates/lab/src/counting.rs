//! What counts instructions in a run.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use tlslab_host::{Counters, Fingerprint};
use tlslab_record::{Count, CountPlan, CounterKind, CounterRecord, Plan};

use crate::problem::Problem;
use crate::request::{Counter, Profiler, RunRequest, Simulation};
use crate::session::workshop::Workshop;

/// Iterations of a count: libraries that do more work at every 32nd use of a key do so once in it.
const ITERATIONS: u64 = 32;

/// The requested counter, built if needed.
pub fn plan(workshop: &Workshop<'_>, request: &RunRequest) -> anyhow::Result<CountPlan> {
    let simulates = !request.simulate.is_empty();
    ensure!(
        !simulates || matches!(request.counter, None | Some(Counter::Callgrind)),
        Problem::invalid(
            "simulate",
            "simulate",
            "only callgrind simulates one",
            "choose callgrind as the counter, or none",
        )
    );
    let counter = counter(workshop, request.counter, &request.simulate)?;
    let seeds = request.seeds.map_or(1, Count::get);
    ensure!(
        seeds == 1 || counter.kind.forges(),
        Problem::invalid(
            "seeds",
            tlslab_text::number::counted(seeds, "seed"),
            "random numbers are not deterministic under the processor's own counter",
            "count with one seed, or choose Frida as the counter",
        )
    );
    Ok(CountPlan {
        counter,
        iterations: request.count_iterations.map_or(ITERATIONS, Count::get),
        seeds: (1..=seeds).collect(),
    })
}

/// The counter of a comparison, built if needed; its seeds are the comparison's.
pub fn plan_by(workshop: &Workshop<'_>, asked: Option<Counter>) -> anyhow::Result<CountPlan> {
    Ok(CountPlan { counter: counter(workshop, asked, &[])?, iterations: ITERATIONS, seeds: vec![1] })
}

fn counter(
    workshop: &Workshop<'_>,
    asked: Option<Counter>,
    simulate: &[Simulation],
) -> anyhow::Result<CounterRecord> {
    Ok(match asked {
        None if !simulate.is_empty() => callgrind(workshop, simulate)?,
        Some(Counter::Callgrind) => callgrind(workshop, simulate)?,
        None => valgrind_or_callgrind(workshop)?,
        Some(Counter::Valgrind) => valgrind(workshop)?,
        Some(Counter::Hardware) => hardware(workshop)?,
        Some(Counter::Frida) => frida_if_possible(workshop, "")?,
        Some(Counter::Native) => native(workshop)?,
    })
}

/// The counter of functions; `functions` selects what valgrind's tool reports, `self` or `callers`.
pub fn profiler(
    workshop: &Workshop<'_>,
    asked: Option<Profiler>,
    functions: &str,
) -> anyhow::Result<CounterRecord> {
    match asked {
        None | Some(Profiler::Valgrind) => {
            let mut counter = match asked {
                None => valgrind_or_callgrind(workshop)?,
                Some(_) => valgrind(workshop)?,
            };
            if counter.kind == CounterKind::Valgrind {
                counter.arguments.push(format!("--fn={functions}"));
            }
            Ok(counter)
        }
        Some(Profiler::Frida) => frida(workshop),
    }
}

/// Whether options of counting are set.
pub fn check_unasked(request: &RunRequest) -> anyhow::Result<()> {
    let given = [
        ("counter", request.counter.is_some()),
        ("count_iterations", request.count_iterations.is_some()),
        ("simulate", !request.simulate.is_empty()),
        ("seeds", request.seeds.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((field, _)) => {
            let cause = "nothing is counted in this run";
            bail!(Problem::invalid(field, field, cause, "add count to the metrics"))
        }
        None => Ok(()),
    }
}

/// Native counting, by the first available counter.
fn native(workshop: &Workshop<'_>) -> anyhow::Result<CounterRecord> {
    let counters = Fingerprint::read(Path::new("/")).tuning.counters;
    if counters == Some(Counters::Allowed) {
        return hardware(workshop);
    }
    let why_no_hardware = match counters {
        Some(Counters::Forbidden { paranoid }) => {
            format!("the kernel forbids its counter (kernel.perf_event_paranoid is {paranoid})")
        }
        _ => "the processor shows no hardware counter of instructions".to_owned(),
    };
    frida_if_possible(workshop, &format!("{why_no_hardware}, and "))
}

/// Frida, or no counter and the reason: first why other counters are unavailable.
fn frida_if_possible(workshop: &Workshop<'_>, why_no_other: &str) -> anyhow::Result<CounterRecord> {
    let counter = frida(workshop);
    workshop.reporter.check()?;
    Ok(counter.unwrap_or_else(|why| missing(&format!("{why_no_other}{why:#}"))))
}

fn hardware(workshop: &Workshop<'_>) -> anyhow::Result<CounterRecord> {
    Ok(CounterRecord {
        kind: CounterKind::Hardware,
        name: "the processor's counter of instructions in user mode".to_owned(),
        program: String::new(),
        arguments: vec![],
        environment: BTreeMap::new(),
        digest: String::new(),
        preload: process(workshop)?,
        missing: String::new(),
    })
}

/// Frida, installed if need be.
pub fn frida(workshop: &Workshop<'_>) -> anyhow::Result<CounterRecord> {
    let stalker = workshop.environment.instruments().stalker(workshop, workshop.reporter.cancel().flag())?;
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

/// No counter, and the reason.
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

/// The lab's own counter, built when it is first needed.
pub fn valgrind(workshop: &Workshop<'_>) -> anyhow::Result<CounterRecord> {
    let built = workshop.environment.instruments().counter(workshop, workshop.reporter.cancel().flag())?;
    let digest = tlslab_build::file_digest(&built.tool)
        .with_context(|| format!("cannot read the counter {}", built.tool.display()))?;
    Ok(CounterRecord {
        kind: CounterKind::Valgrind,
        name: format!("the lab's counter in valgrind {}", built.valgrind),
        program: built.tool.to_string_lossy().into_owned(),
        arguments: built.arguments,
        environment: built.environment,
        digest,
        preload: process(workshop)?,
        missing: String::new(),
    })
}

/// The lab's own tool, recording contention of threads.
pub fn contention(workshop: &Workshop<'_>) -> anyhow::Result<CounterRecord> {
    let mut counter = valgrind(workshop)?;
    counter.arguments.push("--contention=yes".to_owned());
    Ok(counter)
}

/// The lab's own tool, or callgrind if it cannot be built for the installed valgrind.
fn valgrind_or_callgrind(workshop: &Workshop<'_>) -> anyhow::Result<CounterRecord> {
    let why = match valgrind(workshop) {
        Ok(counter) => return Ok(counter),
        Err(why) => format!("{why:#}"),
    };
    workshop.reporter.check()?;
    let Ok(mut counter) = callgrind(workshop, &[]) else { bail!(why) };
    let why = why.lines().next().unwrap_or_default();
    workshop
        .reporter
        .note(format!("count: with callgrind, because the lab's own counter cannot be built: {why}"));
    counter.name = format!("{}, as the lab's own counter is unavailable ({why})", counter.name);
    Ok(counter)
}

/// Valgrind's own callgrind.
fn callgrind(workshop: &Workshop<'_>, simulated: &[Simulation]) -> anyhow::Result<CounterRecord> {
    let (launcher, version) = workshop
        .environment
        .instruments()
        .stock_valgrind()
        .context("callgrind: no working valgrind was found; install it: apt-get install valgrind")?;
    let mut arguments =
        ["--tool=callgrind", "-q", "--collect-atstart=no", "--callgrind-out-file=callgrind.%p"]
            .map(str::to_owned)
            .to_vec();
    let mut name = format!("callgrind of valgrind {version}");
    for what in simulated {
        let (option, words) = match what {
            Simulation::Caches => ("--cache-sim=yes", " with simulated caches"),
            Simulation::Branches => ("--branch-sim=yes", " with simulated branches"),
        };
        arguments.push(option.to_owned());
        name.push_str(words);
    }
    let preloads = workshop.preloads()?;
    Ok(CounterRecord {
        kind: CounterKind::Callgrind,
        name,
        digest: tlslab_build::file_digest(&launcher)
            .with_context(|| format!("cannot read {}", launcher.display()))?,
        program: launcher.to_string_lossy().into_owned(),
        arguments,
        environment: [("TLSLAB_CALLGRIND".to_owned(), "1".to_owned())].into(),
        preload: preloads.deterministic.to_string_lossy().into_owned(),
        missing: String::new(),
    })
}

/// The library that hides the process ID.
fn process(workshop: &Workshop<'_>) -> anyhow::Result<String> {
    let preloads = workshop.preloads()?;
    Ok(preloads.process.to_string_lossy().into_owned())
}

/// Checks that a counter from a database is one that this lab starts.
///
/// # Errors
/// Fails with the differences.
pub fn check_recorded(workshop: &Workshop<'_>, recorded: &CounterRecord) -> anyhow::Result<()> {
    if !recorded.missing.is_empty() {
        let nothing = CounterRecord { name: recorded.name.clone(), ..missing(&recorded.missing) };
        ensure!(
            *recorded == nothing,
            "it has both a counter and a reason for having no counter; start a new run"
        );
        return Ok(());
    }
    let own = match recorded.kind {
        CounterKind::Valgrind => valgrind(workshop)?,
        CounterKind::Callgrind => callgrind(workshop, &[])?,
        CounterKind::Hardware => hardware(workshop)?,
        CounterKind::Frida => frida(workshop)?,
    };
    let further = recorded.arguments.strip_prefix(&own.arguments[..]).unwrap_or(&recorded.arguments[..]);
    ensure!(
        further.iter().all(|argument| FURTHER.contains(&argument.as_str())),
        "its counter is started with {}, which is not an option of this lab's; start a new run",
        further.join(" ")
    );
    let (name, arguments) = (recorded.name.clone(), recorded.arguments.clone());
    ensure!(
        *recorded == CounterRecord { name, arguments, ..own.clone() },
        "its counter is {}, which is not this lab's, {}, or has changed; start a new run",
        recorded.program,
        own.program
    );
    Ok(())
}

/// Options that suites and requests add to a counter's own.
const FURTHER: [&str; 4] = ["--rep=each", "--adx=no", "--cache-sim=yes", "--branch-sim=yes"];

/// A run can only resume with the counter that it began with.
pub fn check_still_the_same(plan: &Plan) -> anyhow::Result<()> {
    let Some(CountPlan { counter, .. }) = &plan.counting else { return Ok(()) };
    if counter.program.is_empty() {
        return Ok(());
    }
    let digest = tlslab_build::file_digest(counter.program.as_ref())
        .with_context(|| format!("cannot read the counter: {}", counter.program))?;
    ensure!(
        digest == counter.digest,
        "the counter has changed since run {} began, so it cannot be resumed; start a new one",
        plan.id
    );
    Ok(())
}
