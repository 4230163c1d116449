//! `tlslab validate`: whether verdicts on this host are honest.

use std::fs;

use anyhow::{Context, ensure};
use tlslab_protocol::Metric;

use crate::Ended;
use crate::cli::{AskedMetric, ValidateArgs};
use crate::compare::Terms;
use crate::counting;
use crate::house::House;
use crate::signals::cancel_flag;
use crate::validation::{Kind, Ledger, Wanted, markdown, page, run};
use crate::verbs::compare::scenarios;

/// Does what is missing, then prints and writes what all of it shows.
pub fn validate(house: &House, args: &ValidateArgs) -> anyhow::Result<Ended> {
    ensure!(
        args.metric != AskedMetric::Heap,
        "--metric heap: memory does not vary; time and count are validated"
    );
    let cancel = cancel_flag()?;
    let metric = Metric::from(args.metric);
    let (scenarios, _) = scenarios(house, &args.suite, &args.scenarios)?;
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
            stack: args.stack.clone(),
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

fn terms(args: &ValidateArgs) -> anyhow::Result<Terms> {
    let usual = Terms { seeds: (args.seeds, 3), ..Terms::default() };
    usual.within(args.per_scenario).map_err(|least| {
        let asked = args.per_scenario.as_secs_f64();
        anyhow::anyhow!("--per-scenario {asked}s: a scenario needs at least {} s", least.as_secs_f64())
    })
}
