//! The cost of years of runs: copies of a run, with its times randomly scattered, until there are enough
//! samples, in SQLite and on a PostgreSQL server of its own that writes to the disk as in production.
//!
//! `cargo run --release -p tlslab-store --example years -- DATABASE RUN SAMPLES FOLDER`

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tlslab_estimate::Report;
use tlslab_history::figures::{SeriesName, differences, figures};
use tlslab_protocol::{PhaseTimes, SideMeasurement};
use tlslab_record::{Figure, FigureOutcome, Plan, RunRecord, Sample, StackRecord};
use tlslab_store::{Address, Owner, Store, open};
use tlslab_testing::postgres::Server;

const HOUR_MS: u64 = 3_600_000;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [database, run, samples, folder] = &words[..] else {
        anyhow::bail!("name a database, a run in it, how many samples, and a folder with room for them");
    };
    let like = open(&Address::Sqlite(database.into()))?.load(run)?;
    ensure!(!like.samples.is_empty(), "run {run} has no samples");
    let wanted: u64 = samples.parse().context("how many samples is a number")?;
    let figures = list_figures(&like);
    println!(
        "each run: {} samples in {} visits, {} figures",
        like.samples.len(),
        like.visits.len(),
        figures.len()
    );
    let file = PathBuf::from(folder).join("years.sqlite");
    ensure!(!file.exists(), "{} is there already; name another folder", file.display());
    let server = Server::shared(true).map_err(anyhow::Error::msg)?;
    let url = server.new_database().map_err(anyhow::Error::msg)?;
    for address in [Address::Sqlite(file), Address::Postgres(url)] {
        fill_and_ask(&address, &like, &figures, wanted)?;
    }
    Ok(())
}

fn fill_and_ask(address: &Address, like: &RunRecord, figures: &[Figure], wanted: u64) -> anyhow::Result<()> {
    let mut store = open(address)?;
    println!("\n{}", if matches!(address, Address::Sqlite(_)) { "SQLite" } else { "PostgreSQL" });
    let runs = wanted.div_ceil(like.samples.len() as u64);
    let mut chance = StdRng::seed_from_u64(1);
    let (mut journal, mut packing, mut end) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for number in 0..runs {
        let copy = scattered(like, number, &mut chance);
        let scattered: Vec<Figure> =
            figures.iter().map(|figure| scattered_figure(figure, &mut chance)).collect();
        let times = add(&mut *store, &copy, &scattered)?;
        journal += times[0];
        packing += times[1];
        end += times[2];
    }
    let samples = runs * like.samples.len() as u64;
    let each = |took: Duration| took.as_secs_f64() * 1e6 / samples as f64;
    println!("{runs} runs, {samples} samples");
    println!("add a sample to the journal: {:.1} µs", each(journal));
    println!("pack it: {:.1} µs", each(packing));
    println!("figures and the end of a run: {:.2} s", end.as_secs_f64() / runs as f64);
    println!(
        "size: {:.1} MB, {:.1} bytes per sample",
        store.bytes()? as f64 / 1e6,
        store.bytes()? as f64 / samples as f64
    );
    // As another lab finds it.
    drop(store);
    let (mut store, took) = timed(|| Ok(open(address)?))?;
    told("open", took);
    let (listed, took) = timed(|| Ok(store.runs()?))?;
    told(&format!("list {} runs", listed.len()), took);
    let middle = &listed[listed.len() / 2].id;
    let (record, took) = timed(|| Ok(store.load(middle)?))?;
    told(&format!("load a run of {} samples", record.samples.len()), took);
    let (computed, took) = timed(|| Ok(list_figures(&record)))?;
    told(&format!("compute its {} figures", computed.len()), took);
    let (kept, took) = timed(|| Ok(store.figures(middle)?))?;
    told("read those that are kept", took);
    ensure!(!differences(&kept, &computed).is_empty(), "the stored figures differ from those of the samples");
    let (_, took) = timed(|| Ok(store.put_figures(middle, &computed)?))?;
    told("write them again", took);
    let (series, took) = timed(|| Ok(store.series()?))?;
    told(&format!("list {} series", series.len()), took);
    let longest = series.iter().max_by_key(|one| one.points).context("there is no series")?;
    let (points, took) = timed(|| Ok(store.points(&longest.series)?))?;
    told(&format!("read the {} points of one", points.len()), took);
    let (gone, took) = timed(|| Ok(store.delete_samples(middle, 1)?))?;
    told(&format!("delete {} samples of a run", gone.samples), took);
    let (_, took) = timed(|| Ok(store.shrink()?))?;
    told("return the free space", took);
    Ok(())
}

fn told(what: &str, took: Duration) {
    println!("{what}: {:.1} ms", took.as_secs_f64() * 1e3);
}

fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, Duration)> {
    let start = Instant::now();
    let done = work()?;
    Ok((done, start.elapsed()))
}

fn list_figures(record: &RunRecord) -> Vec<Figure> {
    let name = |stack: &StackRecord| SeriesName { name: stack.name.clone(), label: "1".to_owned() };
    figures(&record.plan, &Report::of(record), name)
}

/// The time for the journal, for packing and for the end of the run.
fn add(store: &mut dyn Store, run: &RunRecord, figures: &[Figure]) -> anyhow::Result<[Duration; 3]> {
    let id = &run.plan.id;
    let (mut journal, mut packing) = (Duration::ZERO, Duration::ZERO);
    store.create_run(&run.plan, &Owner::this_process())?;
    for cell in &run.cells {
        store.put_cell(id, cell)?;
    }
    for overhead in &run.overheads {
        store.add_overhead(id, overhead)?;
    }
    for count in &run.counts {
        store.add_count(id, count)?;
    }
    for weight in &run.weights {
        store.add_weight(id, weight)?;
    }
    for visit in &run.visits {
        store.begin_visit(id, visit)?;
        let start = Instant::now();
        let is_its = |sample: &&Sample| {
            (sample.round, sample.scenario, sample.attempt) == (visit.round, visit.scenario, visit.attempt)
        };
        let its: Vec<&Sample> = run.samples.iter().filter(is_its).collect();
        let searched = start.elapsed();
        for sample in its {
            store.add_sample(id, sample)?;
        }
        journal += start.elapsed().saturating_sub(searched);
        let start = Instant::now();
        store.end_visit(id, visit, 1.0)?;
        packing += start.elapsed();
    }
    let start = Instant::now();
    store.put_figures(id, figures)?;
    store.complete_run(id)?;
    Ok([journal, packing, start.elapsed()])
}

/// The run again, an hour later each time, with its times scattered.
fn scattered(run: &RunRecord, number: u64, chance: &mut StdRng) -> RunRecord {
    let plan = Plan {
        id: format!("run-{number:06}"),
        started_unix_ms: run.plan.started_unix_ms + number * HOUR_MS,
        ..run.plan.clone()
    };
    let mut copy = RunRecord { plan, ..run.clone() };
    for sample in &mut copy.samples {
        let measurement = &mut sample.measurement;
        scatter(&mut measurement.elapsed_ns, chance);
        for side in [&mut measurement.client, &mut measurement.server] {
            scatter_side(side, chance);
        }
    }
    copy
}

fn scatter_side(side: &mut SideMeasurement, chance: &mut StdRng) {
    let PhaseTimes {
        context_ns,
        create_ns,
        handshake_ns,
        post_handshake_ns,
        free_ns,
        send_ns,
        receive_ns,
        close_ns,
        operation_ns,
    } = &mut side.phases;
    let phases = [
        context_ns,
        create_ns,
        handshake_ns,
        post_handshake_ns,
        free_ns,
        send_ns,
        receive_ns,
        close_ns,
        operation_ns,
    ];
    for ns in phases.into_iter().chain(&mut side.handshake_calls_ns) {
        scatter(ns, chance);
    }
    // All buckets of a slice move together, so that they stay in order.
    let by = chance.random_range(0..4);
    for (bucket, _) in &mut side.latencies.counts {
        *bucket += by;
    }
}

/// By up to 2 %.
fn scatter(ns: &mut u64, chance: &mut StdRng) {
    *ns = (*ns as f64 * chance.random_range(0.98..1.02)) as u64;
}

fn scattered_figure(figure: &Figure, chance: &mut StdRng) -> Figure {
    let mut figure = figure.clone();
    if let FigureOutcome::Value(value) = &mut figure.outcome {
        value.value *= chance.random_range(0.99..1.01);
    }
    figure
}
