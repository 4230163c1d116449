//! How long readers wait for a history of a million figures, on SQLite and on a separate PostgreSQL server:
//! first direct queries of the database (list of runs, a filter of them, a filter of series, the points of
//! one series), then the service's pages and files (history of a stack, its changes, the feed of all
//! changes), while runs are added.
//!
//! The second is an open loop: each request has its scheduled time, and latency counts from there. `--figures
//! N` and `--seconds N` make it smaller. The program tlslab-service must have been built in the same folder.

mod serving;
#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serving::{connected, get, load, show, start};
use tlslab_record::{Figure, FigureOutcome, FigureValue, Plan, Series};
use tlslab_store::{Address, Owner, RunFilter, SeriesFilter, Store, open, open_to_browse};
use tlslab_testing::postgres::Server;

const READERS: u8 = 50;
/// How long a reader looks at an answer, on average.
const LOOKS: Duration = Duration::from_secs(1);
/// How often each question is put to the database.
const ASKED: usize = 300;
/// A new run comes so often while pages are read.
const RUN_EVERY: Duration = Duration::from_secs(10);

/// The service reads all of a history for so long at most.
const FIRST_READING: Duration = Duration::from_secs(900);

const STACKS: [&str; 8] = ["a/one", "a/two", "b", "c", "d", "e", "f", "g"];
const METRICS: [(&str, &str); 4] = [
    ("time", "ns"),
    ("count.instructions", "instructions"),
    ("heap.peak", "bytes"),
    ("throughput", "bytes/s"),
];
const SIDES: [&str; 2] = ["client", "server"];
const SCENARIOS: usize = 32;
/// Figures of each run.
const OF_RUN: usize = STACKS.len() * METRICS.len() * SIDES.len() * SCENARIOS;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let number = |name: &str, usual: u64| given(name).map_or(Ok(usual), |text| text.parse());
    let (figures, seconds) = (number("--figures", 1_000_000)?, number("--seconds", 30)?);
    let runs = (figures as usize).div_ceil(OF_RUN).max(2);
    let folder = tempfile::tempdir()?;
    let server = Server::shared(true).map_err(anyhow::Error::msg)?;
    let url = server.new_database().map_err(anyhow::Error::msg)?;
    let sqlite = Address::Sqlite(folder.path().join("tlslab.sqlite"));
    println!("load of the machine at the start: {}", load());
    for (name, address) in [("SQLite", sqlite), ("PostgreSQL", Address::Postgres(url))] {
        let began = Instant::now();
        let mut store = open(&address)?;
        for run in 0..runs {
            add(&mut *store, run)?;
        }
        println!(
            "\n{name}: {} figures of {} series in {runs} runs, {:.0} MB, written in {:.0} s",
            runs * OF_RUN,
            OF_RUN,
            store.bytes()? as f64 / 1e6,
            began.elapsed().as_secs_f64()
        );
        drop(store);
        ask(&address)?;
        read(&address, folder.path(), runs, Duration::from_secs(seconds))?;
    }
    println!("\nload at the end: {}", load());
    Ok(())
}

/// A run an hour after the one before, with figures that scatter and step.
fn add(store: &mut dyn Store, number: usize) -> anyhow::Result<()> {
    let like = synthetic::run(0, 1, 1).plan;
    let plan = Plan {
        id: format!("run-{number:06}"),
        started_unix_ms: like.started_unix_ms + number as u64 * 3_600_000,
        ..like
    };
    let mut chance = StdRng::seed_from_u64(number as u64);
    let mut figures = Vec::with_capacity(OF_RUN);
    for scenario in 0..SCENARIOS {
        for (place, stack) in STACKS.iter().enumerate() {
            for side in SIDES {
                for (metric, unit) in METRICS {
                    let seed = scenario * 7 + place;
                    figures.push(figure(
                        number,
                        seed,
                        (scenario, place, stack, side, metric, unit),
                        &mut chance,
                    ));
                }
            }
        }
    }
    store.create_run(&plan, &Owner::this_process())?;
    store.put_figures(&plan.id, &figures)?;
    store.complete_run(&plan.id)?;
    Ok(())
}

fn figure(
    run: usize,
    seed: usize,
    (scenario, place, stack, side, metric, unit): (usize, usize, &str, &str, &str, &str),
    chance: &mut StdRng,
) -> Figure {
    let text = str::to_owned;
    let series = Series {
        scenario: format!("handshake/1.3/{scenario:02}"),
        stack: text(stack),
        side: text(side),
        metric: text(metric),
        unit: text(unit),
        class: text("a processor, 2 cores, bare metal"),
    };
    // One step of 3 % at a run per series; times and rates scatter by 1 %.
    let step = if run > 50 + seed % 60 { 1.03 } else { 1.0 };
    let noise = if metric == "count.instructions" || metric == "heap.peak" { 0.0 } else { 0.01 };
    let value = 1e5 * (1.0 + seed as f64) * step * (1.0 + noise * (chance.random::<f64>() - 0.5));
    let value = if noise == 0.0 { value.round() } else { value };
    let value = FigureValue { value, lower: Some(value), upper: Some(value), n: 5 };
    Figure {
        series,
        stack: format!("{stack}@1.{run}"),
        place: place as u32,
        label: format!("1.{run}"),
        epoch: text("kernel 6.1; lab 0.1.0"),
        outcome: FigureOutcome::Value(value),
    }
}

/// The database, asked by one who reads alone.
fn ask(address: &Address) -> anyhow::Result<()> {
    let browse = open_to_browse(address)?;
    let mut chance = StdRng::seed_from_u64(1);
    let stack = |chance: &mut StdRng| STACKS[chance.random_range(0..STACKS.len())];
    let timed = |what: &str, ask: &mut dyn FnMut() -> anyhow::Result<usize>| -> anyhow::Result<()> {
        let mut took = Vec::with_capacity(ASKED);
        for _ in 0..ASKED {
            let start = Instant::now();
            ensure!(ask()? > 0, "{what}: nothing was found");
            took.push(start.elapsed());
        }
        show(what, took);
        Ok(())
    };
    timed("list runs", &mut || Ok(browse.runs(&RunFilter::default(), None, 50)?.items.len()))?;
    timed("runs by a filter", &mut || {
        let filter = RunFilter { complete: Some(true), suite: None, ..RunFilter::default() };
        Ok(browse.runs(&filter, None, 50)?.items.len())
    })?;
    timed("series by a filter", &mut || {
        let filter = SeriesFilter {
            stack: Some(stack(&mut chance).to_owned()),
            metric: Some("time".to_owned()),
            ..SeriesFilter::default()
        };
        Ok(browse.series(&filter, 100)?.series.len())
    })?;
    let all = browse.series(&SeriesFilter::default(), OF_RUN)?.series;
    let mut chance = StdRng::seed_from_u64(2);
    timed("points of a series", &mut || {
        let one = &all[chance.random_range(0..all.len())];
        Ok(browse.points_of(std::slice::from_ref(&one.series))?[0].len())
    })
}

/// The service's pages and files, read by many while runs are added.
fn read(address: &Address, folder: &Path, runs: usize, time: Duration) -> anyhow::Result<()> {
    let place = folder.join(if matches!(address, Address::Sqlite(_)) { "sqlite" } else { "postgres" });
    fs::create_dir_all(&place)?;
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let service = start(&place, port, &format!("database = {}\n", serde_json::to_string(address)?))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let began = Instant::now();
    runtime.block_on(async {
        let mut connection = connected(port, 254).await?;
        // Until then, pages report that they are being read.
        while let Err(cause) = get(&mut connection, "/stacks").await {
            ensure!(began.elapsed() < FIRST_READING, "{cause}");
        }
        anyhow::Ok(())
    })?;
    println!("the service reads all of it first: {:.1} s", began.elapsed().as_secs_f64());
    let stop = Arc::new(AtomicBool::new(false));
    let adding = std::thread::spawn({
        let (address, stop) = (address.clone(), stop.clone());
        move || -> anyhow::Result<usize> {
            let (mut store, mut number, mut next) = (open(&address)?, runs, Instant::now() + RUN_EVERY);
            while !stop.load(Ordering::Relaxed) {
                if Instant::now() >= next {
                    add(&mut *store, number)?;
                    (number, next) = (number + 1, next + RUN_EVERY);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(number - runs)
        }
    });
    let readers = runtime.block_on(async {
        let end = Instant::now() + time;
        let readers: Vec<_> =
            (1..=READERS).map(|reader| tokio::spawn(reader_of(reader, port, end))).collect();
        let mut all: [Vec<Duration>; 4] = Default::default();
        for reader in readers {
            for (all, own) in all.iter_mut().zip(reader.await??) {
                all.extend(own);
            }
        }
        anyhow::Ok(all)
    })?;
    stop.store(true, Ordering::Relaxed);
    let added = adding.join().ok().context("the thread that adds runs has ended badly")??;
    for (what, took) in
        ["list of stacks", "history of a stack", "changes of a stack", "all changes"].iter().zip(readers)
    {
        show(what, took);
    }
    println!(
        "{added} runs were added meanwhile; resident memory of the service {} MiB",
        service.resident_mib()
    );
    Ok(())
}

async fn reader_of(reader: u8, port: u16, end: Instant) -> anyhow::Result<[Vec<Duration>; 4]> {
    let mut chance = StdRng::seed_from_u64(reader.into());
    let mut connection = connected(port, reader).await?;
    let mut took: [Vec<Duration>; 4] = Default::default();
    let mut due = Instant::now() + LOOKS.mul_f64(chance.random());
    while due < end {
        tokio::time::sleep_until(due.into()).await;
        let stack = STACKS[chance.random_range(0..STACKS.len())].replace('/', "-");
        let which = chance.random_range(0..took.len());
        let path = match which {
            0 => "/stacks".to_owned(),
            1 => format!("/history/{stack}"),
            2 => format!("/data/history/{stack}.json"),
            _ => "/feed.atom".to_owned(),
        };
        get(&mut connection, &path).await?;
        took[which].push(due.elapsed());
        due += LOOKS.mul_f64(0.5 + chance.random::<f64>());
    }
    Ok(took)
}
