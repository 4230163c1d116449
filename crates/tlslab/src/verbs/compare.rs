//! `tlslab compare`: two things measured together, and what changed between them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tlslab_comparison::read as comparison_of;
use tlslab_comparison::{Comparison, Verdict, html, json, judge, judge_runs, markdown, terminal};
use tlslab_protocol::{Metric, Scenario, Work};
use tlslab_record::{Arrangement, Plan, RunRecord};
use tlslab_store::Store;

use crate::Ended;
use crate::cli::{
    AskedMetric, CompareArgs, ComparisonFormat, FailOn, HowComparedArgs, KeptArgs, WhichArrangement,
};
use crate::compare::{
    Bench, Job, Programs, Stored, Terms, are_folders, changed_functions, choose_arrangement, compared_rows,
    find_reasons, finish, planned,
};
use crate::counting;
use crate::house::House;
use crate::plain;
use crate::plan;
use crate::progress::RunProgress;
use crate::results::open_store;
use crate::signals::cancel_flag;
use crate::slicing;

/// How long a timed cell is measured where nothing is said.
const PER_CELL: Duration = Duration::from_secs(10);

/// Bytes of a file that is read as a comparison.
const LONGEST_COMPARISON: u64 = 16 << 20;

/// Compares.
pub fn compare(house: &House, args: &CompareArgs) -> anyhow::Result<Ended> {
    if let Some(file) = &args.from {
        let comparison = read_comparison(file)?;
        print(&comparison, args);
        return Ok(ended(&comparison, args.fail_on));
    }
    if let [base, new] = &args.stacks[..]
        && (base.starts_with(RUN) || new.starts_with(RUN))
    {
        return stored(args, base, new);
    }
    if let [base, new] = &args.stacks[..]
        && are_folders(base, new)
    {
        return folders(house, args, base, new);
    }
    let cancel = cancel_flag()?;
    let mut store = open_store(&args.kept)?;
    let Some((plan, programs)) = begun(house, args, &mut *store, &cancel)? else {
        return Ok(Ended::Interrupted);
    };
    let Some(comparison) = compare_to_the_end(house, args, &plan, &programs, &mut *store, &cancel)? else {
        let again = args.kept.again();
        eprintln!(
            "interrupted; everything measured is kept. Go on with: tlslab compare --resume {} {again}",
            plan.id
        );
        return Ok(Ended::Interrupted);
    };
    print(&comparison, args);
    Ok(ended(&comparison, args.fail_on))
}

/// Measures what is planned, judges it and writes its files. `None` when it was interrupted.
pub fn compare_to_the_end(
    house: &House,
    args: &CompareArgs,
    plan: &Plan,
    programs: &Programs<'_>,
    store: &mut dyn Store,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<Option<Comparison>> {
    let pki = plan::keys(house, &plan.scenarios)?;
    plan::check_still_the_same(plan, &pki)?;
    announce(plan, &args.kept.out);
    let mut progress = RunProgress::new();
    let mut kept = Stored { store, run: plan.id.clone() };
    let mut bench = Bench {
        pki: &pki,
        directory: house.cache.clone(),
        timeout: args.how.timeout,
        observer: &mut progress,
        cancel: cancel.clone(),
    };
    let is_finished = finish(plan, programs, &mut kept, &mut bench)?;
    progress.finish();
    if !is_finished {
        return Ok(None);
    }
    let record = RunRecord { complete: true, ..store.load(&plan.id)? };
    let mut comparison = judge(&record).context("the run compares nothing")?;
    if !args.no_functions {
        find_reasons(house, &mut comparison, Some(plan), cancel);
    }
    write_files(&args.kept.out, &plan.id, &comparison)?;
    store.complete_run(&plan.id)?;
    Ok(Some(comparison))
}

/// A comparison that was made: as it was written, or judged once more where that file is gone.
pub fn kept_comparison(
    house: &House,
    out: &Path,
    record: &RunRecord,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<Comparison> {
    let file = out.join(&record.plan.id).join("comparison.json");
    if file.is_file() {
        return read_comparison(&file);
    }
    let mut comparison = judge(record).context("the run compares nothing")?;
    find_reasons(house, &mut comparison, Some(&record.plan), cancel);
    write_files(out, &record.plan.id, &comparison)?;
    Ok(comparison)
}

/// A `comparison.json`, which may be anybody's.
pub fn read_comparison(file: &Path) -> anyhow::Result<Comparison> {
    let text = plain::read(file, LONGEST_COMPARISON)?;
    comparison_of(&text).with_context(|| file.display().to_string())
}

/// Compares the rows of two folders.
fn folders(house: &House, args: &CompareArgs, base: &str, new: &str) -> anyhow::Result<Ended> {
    let all = compared_rows(base, new)?;
    for compared in &all {
        print!("{}", compared.rows.markdown(args.threshold));
    }
    if !args.no_functions {
        print!("{}", changed_functions(&all, (base, new), args.threshold, &house.parts()?)?);
    }
    let counted = all.iter().map(|compared| &compared.rows).filter(|rows| rows.decides());
    let changed: Vec<f64> =
        counted.flat_map(|rows| rows.significant(args.threshold)).map(|row| row.share()).collect();
    Ok(match args.fail_on {
        Some(FailOn::Regression) if changed.iter().any(|share| *share > 0.0) => Ended::Changed,
        Some(FailOn::Change) if !changed.is_empty() => Ended::Changed,
        _ => Ended::Well,
    })
}

/// What stands before the name of a run.
const RUN: &str = "run:";

/// Compares two runs that were made: `run:ID`, or `run:ID@DIR` for one that is kept elsewhere.
fn stored(args: &CompareArgs, base: &str, new: &str) -> anyhow::Result<Ended> {
    let load = |text: &str| -> anyhow::Result<RunRecord> {
        let name = text.strip_prefix(RUN).with_context(|| {
            format!("{text} is a stack and the other one a run; name two runs, or two stacks to measure them together")
        })?;
        let (id, out) = match name.split_once('@') {
            Some((id, out)) => (id, PathBuf::from(out)),
            None => return Ok(open_store(&args.kept)?.load(name)?),
        };
        ensure!(
            out.join("tlslab.sqlite").is_file(),
            "{text}: there is no database in {}; name its folder: run:ID@DIR",
            out.display()
        );
        Ok(open_store(&KeptArgs { out, store: None })?.load(id)?)
    };
    let (base, new) = (load(base)?, load(new)?);
    let pairs = same_names(&base, &new)?;
    let comparison = judge_runs(&base, &new, &pairs);
    let name = format!("{}..{}", base.plan.id, new.plan.id);
    write_files(&args.kept.out, &name, &comparison)?;
    print(&comparison, args);
    Ok(ended(&comparison, args.fail_on))
}

/// Stacks of one name; where there is but one on each side, these.
fn same_names(base: &RunRecord, new: &RunRecord) -> anyhow::Result<Vec<(usize, usize)>> {
    let (old, young) = (&base.plan.stacks, &new.plan.stacks);
    if let ([_], [_]) = (&old[..], &young[..]) {
        return Ok(vec![(0, 0)]);
    }
    let same = |(at, stack): (usize, &tlslab_record::StackRecord)| {
        Some((old.iter().position(|known| known.name == stack.name)?, at))
    };
    let pairs: Vec<(usize, usize)> = young.iter().enumerate().filter_map(same).collect();
    ensure!(
        !pairs.is_empty(),
        "runs {} and {} have no stack of one name; measure them with --stack NAME=STACK under names of your own",
        base.plan.id,
        new.plan.id
    );
    Ok(pairs)
}

/// A new comparison, or one that was interrupted, with its programs.
pub fn begun<'h>(
    house: &'h House,
    args: &CompareArgs,
    store: &mut dyn Store,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<Option<(Plan, Programs<'h>)>> {
    if let Some(wanted) = &args.resume {
        return resumed(house, wanted, &args.kept.out, store, cancel).map(Some);
    }
    let job = job(house, args, cancel)?;
    let Some((mut plan, programs)) = planned(house, &job, cancel)? else { return Ok(None) };
    if args.how.arrangement == WhichArrangement::Best && plan.comparison.is_some() {
        let (arrangement, why) = choose_arrangement(&plan, &programs, cancel)?;
        if let Some(comparison) = &mut plan.comparison {
            comparison.arrangement = arrangement;
            comparison.arrangement_chosen = why;
        }
    }
    store.create_run(&plan)?;
    Ok(Some((plan, programs)))
}

fn resumed<'h>(
    house: &'h House,
    wanted: &str,
    out: &Path,
    store: &dyn Store,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<(Plan, Programs<'h>)> {
    let ids: Vec<String> = match wanted {
        "" => store.runs()?.into_iter().filter(|run| !run.complete).map(|run| run.id).collect(),
        id => vec![id.to_owned()],
    };
    for id in ids {
        let record = store.load(&id)?;
        ensure!(!record.complete, "run {id} is complete");
        let Some(comparison) = &record.plan.comparison else { continue };
        let shelf = house.shelf()?;
        let recipe = |stack: &tlslab_record::StackRecord| {
            let name = stack.identity.get("recipe").and_then(|name| name.as_str())?;
            shelf.named(name).ok()
        };
        let recipes = record.plan.stacks.iter().map(recipe).collect();
        let first = vec![0; record.plan.stacks.len()];
        let moves = comparison.moves;
        return Ok((record.plan.clone(), Programs { house, recipes, first, moves, cancel: cancel.clone() }));
    }
    bail!("no comparison in {} was interrupted", out.display())
}

/// What was asked for.
fn job(house: &House, args: &CompareArgs, cancel: &Arc<AtomicBool>) -> anyhow::Result<Job> {
    let (scenarios, suite) = scenarios(house, &args.suite, &args.scenarios)?;
    let metrics = metrics(&args.metrics);
    let counting = match metrics.contains(&Metric::Count) {
        true => Some(counting::plan_by(house, args.counter, cancel)?),
        false => {
            ensure!(args.counter.is_none(), "--counter: nothing is counted; add --metric count");
            None
        }
    };
    let timed = scenarios.iter().filter(|scenario| !matches!(scenario.work, Work::Idle { .. }));
    let cells: usize = timed.map(|scenario| scenario.work.sides().len()).sum();
    let pairs = pairs(args)?;
    Ok(Job {
        terms: terms(&args.how, cells * pairs.len(), scenarios.len())?,
        pairs,
        scenarios,
        suite,
        metrics,
        counting,
        seed: args.how.seed.unwrap_or_else(|| u64::from(rand::random::<u32>())),
        timeout: args.how.timeout,
        burdens: Default::default(),
        new_first_layout: 0,
        tells_identical: true,
    })
}

/// Scenarios by pattern or of a suite, with the suite's name.
pub fn scenarios(house: &House, suite: &str, patterns: &[String]) -> anyhow::Result<(Vec<Scenario>, String)> {
    let catalogue = house.catalogue()?;
    if patterns.is_empty() {
        let found = catalogue.suite(suite)?;
        return Ok((catalogue.select(&found.scenarios)?, suite.to_owned()));
    }
    Ok((catalogue.select(patterns)?, "custom".to_owned()))
}

/// What is compared, each once.
fn metrics(asked: &[AskedMetric]) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = match asked.is_empty() {
        true => vec![Metric::Time, Metric::Count],
        false => asked.iter().map(|asked| (*asked).into()).collect(),
    };
    metrics.sort_unstable();
    metrics.dedup();
    metrics
}

/// How it is decided, within the budget.
pub fn terms(how: &HowComparedArgs, cells: usize, scenarios: usize) -> anyhow::Result<Terms> {
    let mut terms = Terms {
        negligible: how.negligible,
        moves: !how.fixed_layout,
        slicing: how.slicing.over(slicing::RULE),
        ..Terms::default()
    };
    if let Some(floor) = how.floor {
        terms.time_floor = (floor, floor);
    }
    terms.arrangement = match how.arrangement {
        WhichArrangement::Best | WhichArrangement::Interleaved => Arrangement::Interleaved,
        WhichArrangement::Turns => Arrangement::Turns,
        WhichArrangement::Duet => Arrangement::Duet,
    };
    let budget = how.budget.unwrap_or(PER_CELL * cells.max(1) as u32);
    let scenarios = scenarios.max(1) as u32;
    terms.within(budget / scenarios).map_err(|least| {
        anyhow::anyhow!(
            "--budget {:.0}s: {scenarios} scenarios need at least {:.0} s; ask for more, or for fewer scenarios",
            budget.as_secs_f64(),
            (least * scenarios).as_secs_f64().ceil()
        )
    })
}

fn pairs(args: &CompareArgs) -> anyhow::Result<Vec<(String, String)>> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    match (&args.stacks[..], &args.merge_base) {
        ([base, new], None) => pairs.push((base.clone(), new.clone())),
        ([new], Some(branch)) => pairs.push((at_merge_base(new, branch)?, new.clone())),
        ([], None) if !args.pairs.is_empty() => {}
        ([new], None) => {
            bail!("{new}: against what? Name two stacks, or a checkout with --merge-base BRANCH")
        }
        (_, Some(_)) => bail!("--merge-base: name the new stack alone, as STACK@path:DIR"),
        _ => bail!("name two stacks: tlslab compare BASE NEW"),
    }
    pairs.extend(args.pairs.chunks(2).filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone()))));
    Ok(pairs)
}

/// The same stack from the commit where its checkout left a branch.
fn at_merge_base(stack: &str, branch: &str) -> anyhow::Result<String> {
    let (name, rest) = stack
        .split_once("@path:")
        .with_context(|| format!("--merge-base: {stack} is no checkout; write STACK@path:DIR"))?;
    // Variants and dependencies come after the folder.
    let end = rest.find(['+', ',']).unwrap_or(rest.len());
    let (folder, further) = rest.split_at(end);
    let output = std::process::Command::new("git")
        .args(["-C", folder, "merge-base", "HEAD", branch])
        .output()
        .context("cannot run git")?;
    ensure!(
        output.status.success(),
        "--merge-base {branch}: git finds none in {folder}: {}; fetch the branch with its history first",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let revision = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(format!("{name}@git:{folder}#{revision}{further}"))
}

fn announce(plan: &Plan, out: &Path) {
    let Some(comparison) = &plan.comparison else { return };
    let name = |stack: usize| plan.stacks[stack].name.as_str();
    for pair in &comparison.pairs {
        eprintln!("compare {}: {} against {}", plan.id, name(pair.new), name(pair.base));
        for reason in &pair.fixed_layout {
            eprintln!("note: {reason}");
        }
        if pair.identical {
            eprintln!("note: both run the same code; what is measured shows the noise");
        }
    }
    let timed = if plan.has(Metric::Time) {
        format!("at most {} rounds, about {:.0} s", comparison.rounds(), plan.budget_s)
    } else {
        "nothing timed".to_owned()
    };
    let scenarios = plan.scenarios.len();
    eprintln!("{scenarios} scenarios, {timed}, seed {}, kept in {}", plan.seed, out.display());
}

/// Writes a comparison in all formats.
pub fn write_files(out: &Path, name: &str, comparison: &Comparison) -> anyhow::Result<()> {
    let folder = out.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (file, text) in [
        ("comparison.html", html(comparison)),
        ("comparison.md", markdown(comparison)),
        ("comparison.json", json(comparison)),
    ] {
        let path = folder.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let page = folder.join("comparison.html");
    let page = page.canonicalize().unwrap_or(page);
    eprintln!("comparison: {} (beside it: comparison.md, comparison.json)", page.display());
    Ok(())
}

fn print(comparison: &Comparison, args: &CompareArgs) {
    let text = match args.format {
        ComparisonFormat::Table => terminal(comparison, args.all),
        ComparisonFormat::Markdown => markdown(comparison),
        ComparisonFormat::Json => json(comparison),
        ComparisonFormat::Html => html(comparison),
    };
    print!("{text}");
}

fn ended(comparison: &Comparison, fail_on: Option<FailOn>) -> Ended {
    let worse = comparison.count(Verdict::Regression);
    let better = comparison.count(Verdict::Improvement);
    match fail_on {
        Some(FailOn::Regression) if worse > 0 => Ended::Changed,
        Some(FailOn::Change) if worse + better > 0 => Ended::Changed,
        _ if comparison.has_failures() => Ended::WithFailures,
        _ => Ended::Well,
    }
}
