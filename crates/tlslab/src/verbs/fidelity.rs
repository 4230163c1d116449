//! `tlslab fidelity`: how far the code that the counter counts is the code that runs here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use tlslab_pki::Pki;
use tlslab_profile::Profile;
use tlslab_protocol::{Counting, Scenario, Side};
use tlslab_record::{Counted, CounterRecord, Fidelity, Plan, RunRecord, StackRecord, StackState};
use tlslab_report::{Metric as Shown, Report};
use tlslab_runner::{DriverProgram, Launcher, Sofar, describe};
use tlslab_store::Address;
use tlslab_symbols::Symbols;

use super::run::measure;
use crate::Ended;
use crate::cli::{AskedMetric, FidelityArgs, Format, RunArgs, SlicingArgs};
use crate::comparison::Comparison;
use crate::counting;
use crate::hiding::Hiding;
use crate::house::House;
use crate::naming::by_symbol;
use crate::progress::BuildProgress;
use crate::signals::cancel_flag;
use crate::{known_fidelity, plan};

/// What chance begins from, as in a run.
const SEED: u64 = 1;
/// The name of the variant that sees fewer features.
const HIDDEN: &str = "hidden";

/// One scenario, counted both ways.
struct Both {
    scenario: Scenario,
    sides: Vec<(Side, Comparison)>,
    /// Features that the code saw natively and under the counter.
    features: [Vec<String>; 2],
}

/// Counts each scenario twice, times it twice, prints what differs and keeps it.
pub fn fidelity(house: &House, args: &FidelityArgs) -> anyhow::Result<Ended> {
    let cancel = cancel_flag()?;
    let Some(plan) = plan::new_plan(house, &run_args(args), &cancel)? else { return Ok(Ended::Interrupted) };
    let stack = plan.stacks[0].clone();
    if let StackState::Failed(reason) = &stack.state {
        bail!("{}: {reason}", stack.name);
    }
    let pki = plan::keys(house, &plan.scenarios)?;
    let counters = [
        counting::profiler(house, None, "self", &cancel)?.seeded(SEED),
        counting::frida(house, &cancel)?.seeded(SEED),
    ];
    let launcher =
        Launcher { cpu: None, cpus: vec![], directory: house.cache.clone(), cancel: cancel.clone() };
    let mut symbols = Symbols::default();
    let mut objects = BTreeSet::new();
    let mut both = Vec::new();
    println!("{}: what {} counts beside what runs on this processor", stack.name, counters[0].name);
    for scenario in &plan.scenarios {
        eprintln!("count: {} in {}, twice", scenario.name, stack.name);
        let counted = counters
            .each_ref()
            .map(|counter| count(&launcher, &stack, counter, &pki, scenario, args, &mut symbols));
        let [emulated, native] = counted;
        match (emulated?, native?) {
            (Ok(emulated), Ok(native)) => {
                let sides = scenario.work.sides();
                let of =
                    |side: &Side| (*side, Comparison::of(&emulated.profiles[side], &native.profiles[side]));
                objects.extend(native.objects);
                both.push(Both {
                    scenario: scenario.clone(),
                    sides: sides.iter().map(of).collect(),
                    features: [native.counting.features, emulated.counting.features],
                });
            }
            (Err(hole), _) | (_, Err(hole)) => println!("\n{}\n  {hole}", scenario.name),
        }
    }
    if both.is_empty() {
        bail!("{}: nothing could be counted both ways", stack.name);
    }
    let scratch = tempfile::tempdir().context("cannot make a folder for what is hidden")?;
    let times = times(house, &stack, plan, &both, &objects, scratch.path(), &pki, args, &cancel)?;
    print(&both, &times, args.iterations);
    known_fidelity::add(&args.kept.out, both.iter().flat_map(|one| found(&stack, one)).collect())?;
    println!("\nkept in {}: reports of counts there are marked by it", args.kept.out.display());
    Ok(Ended::Well)
}

/// The same as a run of this stack alone has.
fn run_args(args: &FidelityArgs) -> RunArgs {
    RunArgs {
        suite: args.scenarios.is_empty().then(|| args.suite.clone()),
        stacks: vec![args.stack.clone()],
        all_stacks: false,
        scenarios: args.scenarios.clone(),
        metrics: vec![AskedMetric::Time],
        counter: None,
        count_iterations: None,
        seeds: None,
        simulate: vec![],
        functions: false,
        budget: args.budget,
        pairing: None,
        slicing: SlicingArgs::default(),
        cold: false,
        rounds: None,
        seed: None,
        baseline: Some(args.stack.clone()),
        resume: None,
        timeout: args.timeout,
        kept: args.kept.clone(),
        format: Format::Table,
    }
}

/// What came of one count.
struct Profiled {
    counting: Counting,
    profiles: BTreeMap<Side, Profile>,
    objects: BTreeSet<String>,
}

/// One count with its functions; or why there is none, after `unsupported` or `failed`.
fn count(
    launcher: &Launcher,
    stack: &StackRecord,
    counter: &CounterRecord,
    pki: &Pki,
    scenario: &Scenario,
    args: &FidelityArgs,
    symbols: &mut Symbols,
) -> anyhow::Result<Result<Profiled, String>> {
    let folder = tempfile::tempdir().context("cannot make a folder for what is counted")?;
    let driver = DriverProgram { counter: Some(counter), ..stack.into() };
    let how = (args.iterations, SEED, folder.path());
    let counting = match tlslab_runner::profile(launcher, driver, pki, scenario, how, 10 * args.timeout)? {
        Counted::Counted(counting) => *counting,
        Counted::Unsupported(reason) => return Ok(Err(format!("unsupported: {reason}"))),
        Counted::Failed(reason) => return Ok(Err(format!("failed: {reason}"))),
    };
    let mut profiles = BTreeMap::new();
    let mut objects = BTreeSet::new();
    for side in Side::BOTH {
        let mut profile = Profile::default();
        let begins = format!("{side}.");
        for entry in folder.path().read_dir().context("cannot read what was counted")? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.starts_with(&begins) || name.ends_with(".stacks") {
                continue;
            }
            let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            profile.add(&by_symbol(&text, symbols).with_context(|| path.display().to_string())?);
        }
        objects.extend(profile.functions.keys().map(|function| function.object.clone()));
        profiles.insert(side, profile);
    }
    Ok(Ok(Profiled { counting, profiles, objects }))
}

/// Time without the features that the counter hides over time with them, by scenario and side; and what must be said of it.
struct Times {
    ratios: BTreeMap<(String, Side), String>,
    notes: Vec<String>,
}

#[expect(clippy::too_many_arguments, reason = "one step of a long way")]
fn times(
    house: &House,
    stack: &StackRecord,
    mut plan: Plan,
    both: &[Both],
    objects: &BTreeSet<String>,
    scratch: &Path,
    pki: &Pki,
    args: &FidelityArgs,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<Times> {
    let unsupported = |reason: String| {
        Ok(Times {
            ratios: BTreeMap::new(),
            notes: vec![format!("time without these features: unsupported: {reason}")],
        })
    };
    let workshop = house.workshop();
    let shown = workshop.shown_features(&BuildProgress::new(false), cancel)?;
    let library = workshop.preload(&BuildProgress::new(false), cancel)?.cpuid;
    let hiding = Hiding::plan(objects, scratch, &library, shown)?;
    let launcher =
        Launcher { cpu: None, cpus: vec![], directory: house.cache.clone(), cancel: cancel.clone() };
    let variants = [false, true].map(|hides| StackRecord {
        name: if hides { HIDDEN.to_owned() } else { stack.name.clone() },
        environment: hiding.environment(&stack.environment, hides),
        ..stack.clone()
    });
    let seen = match describe(&launcher, (&variants[1]).into(), args.timeout) {
        Ok(description) => description.features,
        Err(failure) => return unsupported(failure.to_string()),
    };
    let counted = &both[0].features[1];
    if seen.is_empty() {
        return unsupported("the driver does not say which features it sees".to_owned());
    }
    let mut notes = vec![format!("CPUID is answered without them in {} places", hiding.found)];
    if seen != *counted {
        notes.push(format!(
            "not quite the same: with them hidden, the driver sees {}; under valgrind it sees {}",
            seen.join(" "),
            counted.join(" ")
        ));
    }
    if !hiding.unsearched.is_empty() {
        let names = hiding.unsearched.join(", ");
        notes.push(format!("not looked into, as their functions have no names: {names}"));
    }
    plan.scenarios = both.iter().map(|one| one.scenario.clone()).collect();
    plan.baseline.clone_from(&stack.name);
    plan.stacks = variants.to_vec();
    let mut store = tlslab_store::open(&Address::Sqlite(scratch.join("times.sqlite")))?;
    store.create_run(&plan)?;
    if !measure(house, &plan, Sofar::default(), pki, &mut *store, cancel, args.timeout)? {
        bail!("interrupted; nothing is kept");
    }
    let report = Report::of(&RunRecord { complete: true, ..store.load(&plan.id)? });
    let mut ratios = BTreeMap::new();
    for one in both {
        for (side, _) in &one.sides {
            let name = &one.scenario.name;
            let Some(cell) = report.cell(name, HIDDEN, *side, Shown::Time) else { continue };
            let with = report.cell(name, &stack.name, *side, Shown::Time);
            let with = with.and_then(|cell| cell.outcome.measured()).map(|measured| measured.estimated.value);
            let text = match (cell.outcome.measured(), cell.outcome.hole()) {
                (Some(measured), _) => match &measured.ratio {
                    Some(ratio) => {
                        let estimated = &ratio.estimated;
                        let bounds = estimated
                            .interval
                            .map(|interval| format!(" ({:.3} to {:.3})", interval.lower, interval.upper));
                        format!(
                            "{:.1} µs without the hidden features, {:.3} times{} the {} with them",
                            measured.estimated.value,
                            estimated.value,
                            bounds.unwrap_or_default(),
                            with.map(|with| format!("{with:.1} µs")).unwrap_or_default()
                        )
                    }
                    None => measured.no_ratio.clone().unwrap_or_else(|| "no ratio".to_owned()),
                },
                (_, Some((kind, reason))) => format!("{kind}: {reason}"),
                _ => continue,
            };
            ratios.insert((name.clone(), *side), text);
        }
    }
    Ok(Times { ratios, notes })
}

fn print(both: &[Both], times: &Times, iterations: u64) {
    let [native, counted] = &both[0].features;
    let hidden: Vec<&str> =
        native.iter().filter(|feature| !counted.contains(feature)).map(String::as_str).collect();
    println!(
        "hidden by the counter: {}",
        if hidden.is_empty() { "nothing".to_owned() } else { hidden.join(" ") }
    );
    for note in &times.notes {
        println!("{note}");
    }
    for one in both {
        println!("\n{}", one.scenario.name);
        for (side, comparison) in &one.sides {
            let [emulated, natively] = comparison.totals().map(|total| total / iterations);
            println!(
                "  {side}: {emulated} instructions under valgrind, {:.2} times the {natively} natively",
                comparison.ratio()
            );
            if let Some(time) = times.ratios.get(&(one.scenario.name.clone(), *side)) {
                println!("  {side}: {time}");
            }
            print!("{}", comparison.table());
        }
    }
}

fn found(stack: &StackRecord, one: &Both) -> Vec<Fidelity> {
    let of = |(side, comparison): &(Side, Comparison)| Fidelity {
        stack: stack.name.clone(),
        driver_digest: stack.driver_digest.clone(),
        scenario: one.scenario.name.clone(),
        side: *side,
        features: one.features[0].clone(),
        ratio: comparison.ratio(),
        dominating: comparison.dominating(),
    };
    one.sides.iter().map(of).collect()
}
