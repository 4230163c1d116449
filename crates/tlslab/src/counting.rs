//! What counts instructions in a run.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail, ensure};
use tlslab_record::{CountPlan, CounterKind, CounterRecord, Plan};

use crate::cli::{AskedCounter, RunArgs};
use crate::house::House;
use crate::progress::BuildProgress;

/// Iterations of a count: libraries that do more at every 32nd use of a key do so once in it.
const ITERATIONS: u64 = 32;

/// The counter that was asked for, made if need be.
pub fn plan(house: &House, args: &RunArgs, cancel: &AtomicBool) -> anyhow::Result<CountPlan> {
    let counter = match args.counter {
        None | Some(AskedCounter::Valgrind) => valgrind(house, cancel)?,
        Some(AskedCounter::Hardware) => CounterRecord {
            kind: CounterKind::Hardware,
            name: "the processor's counter of instructions in user mode".to_owned(),
            program: String::new(),
            arguments: vec![],
            environment: BTreeMap::new(),
            digest: String::new(),
            preload: process(house, cancel)?,
        },
    };
    let seeds = args.seeds.unwrap_or(1);
    ensure!(
        seeds == 1 || counter.kind == CounterKind::Valgrind,
        "--seeds {seeds}: chance is forged under valgrind alone; leave it out, or --counter hardware"
    );
    Ok(CountPlan {
        counter,
        iterations: args.count_iterations.unwrap_or(ITERATIONS),
        seeds: (1..=seeds).collect(),
    })
}

/// Options of counting ask for it.
pub fn check_unasked(args: &RunArgs) -> anyhow::Result<()> {
    let given = [
        ("--counter", args.counter.is_some()),
        ("--count-iterations", args.count_iterations.is_some()),
        ("--seeds", args.seeds.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => bail!("{option}: nothing is counted in this run; add --metric count"),
        None => Ok(()),
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
