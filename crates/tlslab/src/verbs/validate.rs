//! `tlslab validate`: whether verdicts on this host are honest.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail, ensure};
use tlslab_protocol::Metric;

use crate::Ended;
use crate::cli::{AskedMetric, ValidateArgs};
use crate::compare::Terms;
use crate::counting;
use crate::house::House;
use crate::signals::cancel_flag;
use crate::slicing;
use crate::validation::{
    Kind, Ledger, Wanted, WantedNeighbours, keep, markdown, measure, neighbours_markdown, page, run,
};
use crate::verbs::compare::scenarios;

/// Does what is missing, then prints and writes what all of it shows.
pub fn validate(house: &House, args: &ValidateArgs) -> anyhow::Result<Ended> {
    ensure!(
        args.metric != AskedMetric::Heap,
        "--metric heap: memory does not vary; time and count are validated"
    );
    let cancel = cancel_flag()?;
    if args.neighbours {
        return neighbours(house, args, &cancel);
    }
    let stack = match &args.stacks[..] {
        [] => "rustls/ring",
        [stack] => stack,
        _ => bail!("--stack: comparisons with itself take one stack; several need --neighbours"),
    };
    let suite = args.suite.as_deref().unwrap_or("compare");
    let metric = Metric::from(args.metric);
    let (scenarios, _) = scenarios(house, suite, &args.scenarios)?;
    let counting = match metric {
        Metric::Count => {
            let mut plan = counting::plan_by(house, None, &cancel)?;
            plan.iterations = args.count_iterations;
            Some(plan)
        }
        _ => None,
    };
    let folder = args.kept.out.join("validation");
    let mut ledger = Ledger::open(&folder.join("jobs.jsonl"))?;
    let mut kinds = vec![(Kind::Same, args.same), (Kind::Twins, args.twins)];
    kinds.extend(args.by.iter().map(|share| (Kind::Slowed(*share), args.slowed)));
    let mut is_finished = true;
    for (kind, jobs) in kinds {
        if jobs == 0 {
            continue;
        }
        eprintln!("{}: {jobs} jobs", kind.name());
        let wanted = Wanted {
            stack: stack.to_owned(),
            scenarios: scenarios.clone(),
            metric,
            counting: counting.clone(),
            terms: terms(args)?,
            jobs,
            seed: args.seed,
            timeout: args.timeout,
        };
        is_finished = run(house, &wanted, kind, &mut ledger, &cancel)?;
        if !is_finished {
            break;
        }
    }
    let text = markdown(&ledger.entries);
    for (name, text) in [("validation.md", &text), ("validation.html", &page(&ledger.entries))] {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    print!("{text}");
    eprintln!(
        "validation: {} (beside it: validation.md, jobs.jsonl)",
        folder.join("validation.html").display()
    );
    if !is_finished {
        eprintln!("interrupted; the same command goes on");
        return Ok(Ended::Interrupted);
    }
    Ok(Ended::Well)
}

/// Measures dependence on neighbours, prints it, and keeps it for the reports of this host.
fn neighbours(house: &House, args: &ValidateArgs, cancel: &Arc<AtomicBool>) -> anyhow::Result<Ended> {
    let suite = args.suite.as_deref().unwrap_or("neighbours");
    let (scenarios, _) = scenarios(house, suite, &args.scenarios)?;
    let wanted = WantedNeighbours {
        stacks: if args.stacks.is_empty() { house.run.stacks.clone() } else { args.stacks.clone() },
        others: args.others,
        scenarios,
        rounds: args.rounds,
        slicing: args.slicing.over(slicing::RULE),
        seed: args.seed,
        timeout: args.timeout,
    };
    let Some(found) = measure(house, &wanted, cancel)? else {
        eprintln!("interrupted; nothing was kept");
        return Ok(Ended::Interrupted);
    };
    print!("{}", neighbours_markdown(&found));
    let folder = args.kept.out.join("validation");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let text = serde_json::to_string_pretty(&found.effects).context("cannot serialise the effects")?;
    for (name, text) in [("neighbours.json", &text), ("neighbours.md", &neighbours_markdown(&found))] {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    // A trial with another rule says nothing about the figures of runs.
    if wanted.slicing == slicing::RULE {
        keep(&args.kept.out, &found.effects)?;
        eprintln!("kept in {}: reports there carry the largest dependence", args.kept.out.display());
    }
    Ok(if found.holes.iter().any(|hole| hole.contains(": failed: ")) {
        Ended::WithFailures
    } else {
        Ended::Well
    })
}

fn terms(args: &ValidateArgs) -> anyhow::Result<Terms> {
    let usual =
        Terms { seeds: (args.seeds, 3), slicing: args.slicing.over(slicing::RULE), ..Terms::default() };
    usual.within(args.per_scenario).map_err(|least| {
        let asked = args.per_scenario.as_secs_f64();
        anyhow::anyhow!("--per-scenario {asked}s: a scenario needs at least {} s", least.as_secs_f64())
    })
}
