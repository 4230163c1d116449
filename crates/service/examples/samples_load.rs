//! How long readers wait for pictures of samples: 50 of them look at a database of ten million, each at a cell that it zooms into ten times,
//! about a second at each view, and then at another.
//!
//! An open loop: each request has its time, and its answer's time counts from there. `--samples N` and `--seconds N` make it smaller,
//! `--folder DIR` keeps the database for the next time. The program tlslab-service must have been built beside it.

mod serving;
#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serving::{Running, load};
use tlslab_lab::put_run;
use tlslab_store::{Address, Owner, open, open_to_browse};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

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
    let service = start(&folder, port)?;
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

/// A reader with an address of its own, as those of a network have.
async fn reader_of(
    reader: u8,
    port: u16,
    cells: Vec<Cell>,
    end: Instant,
) -> anyhow::Result<(Vec<Duration>, Vec<Duration>)> {
    let mut chance = StdRng::seed_from_u64(reader.into());
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from(([127, 0, 1, reader], 0)))?;
    let mut connection = BufReader::new(socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await?);
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
            view(&mut connection, &path).await?;
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

async fn view(connection: &mut BufReader<TcpStream>, path: &str) -> anyhow::Result<()> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.get_mut().write_all(request.as_bytes()).await?;
    let (mut line, mut length, mut status) = (String::new(), 0usize, String::new());
    loop {
        line.clear();
        ensure!(connection.read_line(&mut line).await? > 0, "the service has closed the connection");
        let text = line.trim();
        if text.is_empty() {
            break;
        }
        match text.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse()?;
            }
            _ if status.is_empty() => status = text.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await?;
    if !status.contains(" 200 ") || !body.starts_with(b"{\"run\"") {
        bail!("{path}: {status}: {}", String::from_utf8_lossy(&body));
    }
    Ok(())
}

fn start(folder: &Path, port: u16) -> anyhow::Result<Running> {
    let config = folder.join("service.toml");
    let folder = folder.canonicalize()?;
    fs::write(
        &config,
        format!("listen = \"127.0.0.1:{port}\"\nfolder = \"{}\"\nlocal_runner = false\n", folder.display()),
    )?;
    let running = Running::start(&config);
    let deadline = Instant::now() + Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        ensure!(Instant::now() < deadline, "the service does not listen after 30 s");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(running)
}

fn show(what: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |of_100: usize| took.get((took.len() * of_100 / 100).min(took.len().saturating_sub(1)));
    let ms = |of_100| at(of_100).map_or(f64::NAN, |took| took.as_secs_f64() * 1e3);
    println!(
        "{what}: {} answers; p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        took.len(),
        ms(50),
        ms(90),
        ms(99),
        ms(100)
    );
}
