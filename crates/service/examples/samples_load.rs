//! How long readers wait for pictures of samples: 50 of them look at a database of ten million, each at a cell that it zooms into ten times,
//! about a second at each view, and then at another.
//!
//! An open loop: each request has its scheduled time, and latency counts from there. `--samples N` and
//! `--seconds N` make it smaller, `--folder DIR` keeps the database for the next time. The program
//! tlslab-service must have been built in the same folder.

mod serving;
#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serving::{connected, get, load, show, start};
use tlslab_lab::put_run;
use tlslab_store::{Address, Owner, open, open_to_browse};

const READERS: u8 = 50;
/// Views of a cell, each a third of the one before.
const ZOOMS: u32 = 10;
/// How long a reader looks at a view, on average.
const LOOKS: Duration = Duration::from_secs(1);
/// Points of a view.
const POINTS: usize = 1_000;
/// Rounds and blocks of a run: 20,000 samples of each cell.
const ROUNDS: u32 = 20;
const BLOCKS: u32 = 1_000;

/// A cell that has samples.
#[derive(Clone)]
struct Cell {
    run: String,
    scenario: String,
    stack: String,
    samples: usize,
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let number = |name: &str, usual: u64| given(name).map_or(Ok(usual), |text| text.parse());
    let (samples, seconds) = (number("--samples", 10_000_000)?, number("--seconds", 60)?);
    let temporary = tempfile::tempdir()?;
    let folder = given("--folder").map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let address = Address::Sqlite(folder.join("tlslab.sqlite"));
    fill(&address, samples)?;
    let cells = cells(&address)?;
    let all: usize = cells.iter().map(|cell| cell.samples).sum();
    println!(
        "{all} samples of {} cells in {} MB",
        cells.len(),
        fs::metadata(folder.join("tlslab.sqlite"))?.len() / 1_000_000
    );
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let service = start(&folder, port, "")?;
    println!("load of the machine at the start: {}", load());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (views, first) = runtime.block_on(read(port, cells, Duration::from_secs(seconds)))?;
    show("first views of a cell", first);
    show("all views", views);
    println!("resident memory of the service: {} MiB; load at the end: {}", service.resident_mib(), load());
    Ok(())
}

fn fill(address: &Address, wanted: u64) -> anyhow::Result<()> {
    let mut store = open(address)?;
    let mut there: u64 = store.runs()?.iter().map(|run| run.samples).sum();
    let mut number = store.runs()?.len() as u64;
    while there < wanted {
        let mut record = synthetic::run(number, ROUNDS, BLOCKS);
        record.plan.id = format!("20261121-101500-{number:04}");
        record.plan.started_unix_ms += number;
        put_run(&mut *store, &record, &Owner::this_process())?;
        there += record.samples.len() as u64;
        number += 1;
        eprintln!("{there} of {wanted} samples are written");
    }
    Ok(())
}

fn cells(address: &Address) -> anyhow::Result<Vec<Cell>> {
    let (store, browse) = (open(address)?, open_to_browse(address)?);
    let mut cells = Vec::new();
    for run in store.runs()? {
        for scenario in store.plan(&run.id)?.scenarios {
            let found = browse.samples(&run.id, &scenario.name)?.context("a scenario of the plan")?;
            for (place, stack) in found.stacks.iter().enumerate() {
                let samples = found.samples.iter().filter(|sample| sample.stack == place).count();
                let (run, scenario, stack) = (run.id.clone(), scenario.name.clone(), stack.clone());
                cells.push(Cell { run, scenario, stack, samples });
            }
        }
    }
    cells.retain(|cell| cell.samples > 0);
    ensure!(!cells.is_empty(), "the database has no samples");
    Ok(cells)
}

async fn read(port: u16, cells: Vec<Cell>, time: Duration) -> anyhow::Result<(Vec<Duration>, Vec<Duration>)> {
    let end = Instant::now() + time;
    let readers = (0..READERS).map(|reader| tokio::spawn(reader_of(reader, port, cells.clone(), end)));
    let (mut all, mut first) = (Vec::new(), Vec::new());
    for reader in readers.collect::<Vec<_>>() {
        let (views, of_new) = reader.await??;
        all.extend(views);
        first.extend(of_new);
    }
    Ok((all, first))
}

/// A reader with a separate address, as in a network.
async fn reader_of(
    reader: u8,
    port: u16,
    cells: Vec<Cell>,
    end: Instant,
) -> anyhow::Result<(Vec<Duration>, Vec<Duration>)> {
    let mut chance = StdRng::seed_from_u64(reader.into());
    let mut connection = connected(port, reader).await?;
    let (mut views, mut first) = (Vec::new(), Vec::new());
    let mut due = Instant::now() + LOOKS.mul_f64(chance.random());
    while due < end {
        let cell = &cells[chance.random_range(0..cells.len())];
        let (mut from, mut to) = (0, cell.samples);
        for zoom in 0..ZOOMS {
            tokio::time::sleep_until(due.into()).await;
            let side = if chance.random() { "client" } else { "server" };
            let (run, scenario, stack) = (&cell.run, cell.scenario.replace('+', "%2B"), &cell.stack);
            let path = format!(
                "/api/v1/runs/{run}/samples?scenario={scenario}&stack={stack}&side={side}&from={from}&to={to}&points={POINTS}"
            );
            let body = get(&mut connection, &path).await?;
            ensure!(body.starts_with(b"{\"run\""), "{path}: {}", String::from_utf8_lossy(&body));
            views.push(due.elapsed());
            if zoom == 0 {
                first.push(due.elapsed());
            }
            due += LOOKS.mul_f64(0.5 + chance.random::<f64>());
            let third = (to - from) / 3;
            (from, to) = (from + third, to - third);
        }
    }
    Ok((views, first))
}
