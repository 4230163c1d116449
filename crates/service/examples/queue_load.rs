//! How a service carries many jobs and many runners: 10,000 jobs of 1,000 projects wait, 50 runners take them
//! over HTTP as fast as they can, and a reader loads pages meanwhile. Each job has a renewal, a piece of its
//! log and a result of 20 KB, as a small comparison has.
//!
//! `--postgres` puts the queue on a separate server instead of a file, which `--services 2` share; `--jobs N`
//! and `--runners N` make it smaller; `--ended N` jobs have ended before. With `--rate N` that many jobs
//! start per second, and a `take` counts from the scheduled start of its job. Without it the 50 runners wait
//! for each other, which measures the greatest throughput and no latency. The program tlslab-service must
//! have been built in the same folder.

#[path = "../tests/support/configuration.rs"]
#[allow(dead_code, reason = "other benchmarks use the rest")]
mod configuration;
#[path = "../tests/support/delivery.rs"]
#[allow(dead_code, reason = "other benchmarks use the rest")]
mod delivery;
mod serving;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use configuration::write_secret;
use delivery::{agent, free_port};
use serde_json::{Value, json};
use serving::{Running, load, show, start};
use tlslab_queue::{Change, LEASE, NewJob, Queue, State};
use tlslab_runner::Client;
use tlslab_runner::wire::{
    Events, Facts, Finish, Finished, Hello, Renew, Renewal, Take, Taken, WIRE, Welcome,
};
use tlslab_store::Address;
use tlslab_store::sql::{Database, Postgres, Sqlite};
use tlslab_testing::postgres::Server;

/// Jobs that are added in one transaction.
const AT_ONCE: usize = 100;
/// Projects that the jobs are of.
const PROJECTS: usize = 1_000;
/// Lines of a job's log.
const LINES: u64 = 20;
/// Bytes of a result before it is packed.
const RESULT: usize = 20_000;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let number = |name: &str, usual: usize| given(name).map_or(Ok(usual), |text| text.parse());
    let (jobs, runners) = (number("--jobs", 10_000)?, number("--runners", 50)?);
    let (services, rate, ended) = (number("--services", 1)?, number("--rate", 0)?, number("--ended", 0)?);
    let folder = tempfile::tempdir()?;
    let is_server = words.iter().any(|word| word == "--postgres");
    let (address, name) = database(folder.path(), is_server)?;
    println!(
        "{name}; {jobs} jobs, {runners} runners, services: {services}; load of the machine at the start: {}",
        load()
    );
    let parsed = address.parse::<Address>().map_err(anyhow::Error::msg)?;
    let queue = tlslab_queue::open(&parsed, LEASE)?;
    if ended > 0 {
        end(&parsed, ended)?;
    }
    fill(&*queue, jobs)?;
    let (running, bases): (Vec<_>, Vec<_>) = (0..services)
        .map(|number| serve(&folder.path().join(number.to_string()), &address, runners))
        .collect::<anyhow::Result<Vec<_>>>()?
        .into_iter()
        .unzip();
    let base = bases[0].clone();
    look("pages while all jobs wait", &base, 5)?;
    let is_over = AtomicBool::new(false);
    let begun = Instant::now();
    let pace = Pace { begun, rate, jobs, next: AtomicUsize::new(0), left: AtomicU64::new(jobs as u64) };
    let (taken, finished, seen) = std::thread::scope(|scope| -> anyhow::Result<_> {
        let (base, bases, pace) = (base.as_str(), &bases, &pace);
        let handles: Vec<_> = (0..runners)
            .map(|number| scope.spawn(move || runner(&bases[number % bases.len()], number, pace)))
            .collect();
        let looking = scope.spawn(|| {
            let mut seen = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                seen.extend(pages(base));
                std::thread::sleep(Duration::from_secs(1));
            }
            seen
        });
        let (mut taken, mut finished) = (Vec::new(), Vec::new());
        for handle in handles {
            let done = handle.join().map_err(|_| anyhow::anyhow!("a runner has ended"))??;
            taken.extend(done.0);
            finished.extend(done.1);
        }
        is_over.store(true, Ordering::Relaxed);
        Ok((taken, finished, looking.join().map_err(|_| anyhow::anyhow!("the reader has ended"))?))
    })?;
    let took = begun.elapsed().as_secs_f64();
    println!("all were carried out in {took:.1} s: {:.0} jobs per second", jobs as f64 / took);
    show("take", taken);
    show("finish", finished);
    show("pages meanwhile", seen);
    look("pages when all have ended", &base, 5)?;
    check(&*queue, jobs + ended)?;
    let resident: Vec<_> = running.iter().map(|service| service.resident_mib().to_string()).collect();
    println!("resident memory of the services: {} MiB; load at the end: {}", resident.join(", "), load());
    if let Address::Sqlite(path) = parsed
        && ended == 0
    {
        let bytes = std::fs::metadata(path)?.len() as f64 / jobs as f64;
        println!("{:.1} KB on disk per job", bytes / 1e3);
        on_paper(jobs as f64 / took, bytes);
    }
    Ok(())
}

/// Where the queue is.
fn database(folder: &Path, is_server: bool) -> anyhow::Result<(String, &'static str)> {
    if !is_server {
        return Ok((format!("sqlite:{}", folder.join("queue.sqlite").display()), "SQLite"));
    }
    let server = Server::shared(true).map_err(anyhow::Error::msg)?;
    Ok((server.new_database().map_err(anyhow::Error::msg)?, "PostgreSQL, durable"))
}

/// A service with its own files, and its address.
fn serve(folder: &Path, address: &str, runners: usize) -> anyhow::Result<(Running, String)> {
    std::fs::create_dir(folder)?;
    let port = free_port();
    let running = start(folder, port, &configuration(folder, address, runners))?;
    Ok((running, format!("http://127.0.0.1:{port}")))
}

/// When jobs are begun.
struct Pace {
    begun: Instant,
    /// In a second; 0 for as many as can be.
    rate: usize,
    jobs: usize,
    next: AtomicUsize,
    left: AtomicU64,
}

impl Pace {
    /// Waits until the next job is to start; its scheduled time, or none if all have started.
    fn wait(&self) -> Option<Instant> {
        if self.rate == 0 {
            return (self.left.load(Ordering::Relaxed) > 0).then(Instant::now);
        }
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let due = self.begun + Duration::from_secs_f64(next as f64 / self.rate as f64);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        (next < self.jobs).then_some(due)
    }
}

/// Jobs that have ended long ago, each with its transitions.
fn end(address: &Address, jobs: usize) -> anyhow::Result<()> {
    let begun = Instant::now();
    let numbers =
        format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {jobs})");
    let statements = [
        format!(
            "{numbers} INSERT INTO job (id, project, subject, body, labels, needs_sandbox, priority, state, reason, created_unix_ms,
                                        not_before_unix_ms, leased_unix_ms, ended_unix_ms, token, most_attempts, runner, supersedes, turn)
             SELECT 'old-' || i, 'project-' || (i % {PROJECTS}), '{{\"kind\": \"submitted\", \"by\": \"x\", \"title\": \"old\"}}',
                    '{{}}', '', 1, 50, 'reported', 'done', i, i, i, i, 1, 3, 'r-' || (i % 50), 'pull ' || i, i / {PROJECTS} + 1 FROM n"
        ),
        "INSERT INTO transition (job, at_unix_ms, from_state, to_state, cause, token, announced)
         SELECT key, 1, 'measuring', 'reported', 'done', 1, 1 FROM job WHERE ended_unix_ms > 0"
            .to_owned(),
    ];
    match address {
        Address::Sqlite(path) => carry_out(&Sqlite::open(path)?, &statements)?,
        Address::Postgres(url) => carry_out(&Postgres::open(url)?, &statements)?,
    }
    println!("{jobs} jobs have ended before, written in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn carry_out(database: &impl Database, statements: &[String]) -> anyhow::Result<()> {
    for statement in statements {
        database.execute(statement, &[])?;
    }
    Ok(())
}

/// The needs of a thousand repositories: from the measurements, and from the assumptions next to them.
fn on_paper(jobs_per_second: f64, bytes_per_job: f64) {
    const REPOSITORIES: f64 = 1_000.0;
    const PULLS_A_DAY: f64 = 20.0;
    /// The busiest hour has so many times the average.
    const PEAK: f64 = 4.0;
    /// Of measuring and building, once dependencies and baselines are in the cache.
    const MINUTES: [(&str, f64); 2] = [("counts alone", 4.0), ("counts and times", 9.0)];
    /// Days for which logs are kept.
    const LOGS: f64 = 90.0;
    let a_day = REPOSITORIES * PULLS_A_DAY;
    let a_second = a_day / 86_400.0;
    println!(
        "\non paper: {REPOSITORIES:.0} repositories, {PULLS_A_DAY:.0} pull requests a day each, the busiest hour {PEAK:.0} times the average"
    );
    println!(
        "jobs: {a_day:.0} a day, {a_second:.2} a second, {:.2} in the busiest hour: 1/{:.0} of what was carried out here",
        PEAK * a_second,
        jobs_per_second / (PEAK * a_second)
    );
    println!(
        "disk of the queue: {:.1} GB in {LOGS:.0} days with logs of {LINES} lines, which are deleted then",
        a_day * LOGS * bytes_per_job / 1e9
    );
    for (what, minutes) in MINUTES {
        let busy = a_second * 60.0 * minutes;
        println!(
            "runners for jobs of {minutes:.0} min ({what}): {:.0} busy on average, {:.0} in the busiest hour; {:.0} hours of a runner a day",
            busy.ceil(),
            (PEAK * busy).ceil(),
            a_day * minutes / 60.0
        );
    }
}

fn configuration(folder: &Path, address: &str, runners: usize) -> String {
    let mut text = format!("database = \"{address}\"\n[canary]\nenabled = false\n");
    for number in 0..runners {
        write_secret(&folder.join(format!("key-{number}")), &format!("key of {number}"));
        text.push_str(&format!("[[runner]]\nname = \"r-{number}\"\nkey = {{ file = \"key-{number}\" }}\n"));
    }
    text
}

fn fill(queue: &dyn Queue, jobs: usize) -> anyhow::Result<()> {
    let begun = Instant::now();
    let job = |number: usize| {
        Change::Enqueue(Box::new(NewJob {
            id: format!("job-{number}"),
            project: format!("project-{}", number % PROJECTS),
            subject: json!({"kind": "submitted", "by": "somebody", "title": format!("job {number}")}),
            body: json!({"steps": []}),
            labels: if number.is_multiple_of(3) { vec!["arch:x86-64".to_owned()] } else { Vec::new() },
            needs_sandbox: number.is_multiple_of(2),
            is_timed: true,
            only_runner: None,
            priority: [50, 30, 20][number % 3],
            dedup: None,
            supersedes: None,
            approval: tlslab_queue::Approval::NotNeeded,
            head: None,
            most_attempts: 3,
            delay_ms: 0,
            is_answered: false,
            cause: "a load".to_owned(),
        }))
    };
    for from in (0..jobs).step_by(AT_ONCE) {
        queue.apply(&(from..jobs.min(from + AT_ONCE)).map(job).collect::<Vec<_>>())?;
    }
    println!("added: {:.0} jobs per second", jobs as f64 / begun.elapsed().as_secs_f64());
    Ok(())
}

type Times = Vec<Duration>;

/// Takes jobs until none is left; how long each `take` and each `finish` took.
fn runner(base: &str, number: usize, pace: &Pace) -> anyhow::Result<(Times, Times)> {
    let client = Client::new(base, &format!("key of {number}"))?;
    let facts = Facts { architecture: "x86_64".to_owned(), ..Facts::default() };
    let hello = Hello { boot: number.to_string(), wire: WIRE, facts };
    client.post::<Welcome>("/runner/v1/hello", &hello)?.context("no welcome")?;
    let (mut taken, mut finished) = (Vec::new(), Vec::new());
    while let Some(due) = pace.wait() {
        let take = Take {
            boot: number.to_string(),
            has_sandbox: true,
            wait_s: 0,
            wire: WIRE,
            slot: 0,
            free_bytes: None,
        };
        let lease = client.post::<Taken>("/runner/v1/take", &take)?.and_then(|taken| taken.lease);
        taken.push(due.elapsed());
        let Some(lease) = lease else {
            ensure!(pace.rate == 0, "a job is waiting, and none was given");
            continue;
        };
        let (job, token) = (lease.job, lease.token);
        let renew = Renew { job: job.clone(), token, state: Some(State::Measuring) };
        client.post::<Renewal>("/runner/v1/renew", &renew)?;
        let line =
            |number: u64| (number, json!({"event": "step", "stage": "measure", "what": "x".repeat(100)}));
        let events = Events { job: job.clone(), token, events: (1..=LINES).map(line).collect() };
        client.post::<Value>("/runner/v1/events", &events)?;
        let ending =
            Some(json!({"status": "done", "outcome": {"kind": "nothing", "value": text(number, RESULT)}}));
        let finish = Finish {
            job,
            token,
            state: State::Reported,
            fault: None,
            reason: "done".to_owned(),
            ending,
            canary: None,
        };
        let asked = Instant::now();
        client.post::<Finished>("/runner/v1/finish", &finish)?;
        finished.push(asked.elapsed());
        pace.left.fetch_sub(1, Ordering::Relaxed);
    }
    Ok((taken, finished))
}

/// A text that packs as badly as the figures of a comparison do.
fn text(seed: usize, length: usize) -> String {
    let mut state = seed as u64 | 1;
    let mut digit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + (state >> 60) as u8 % 10)
    };
    (0..length).map(|at| if at % 4 == 0 { digit() } else { 'e' }).collect()
}

fn pages(base: &str) -> Times {
    let agent = agent(Duration::from_secs(60));
    let ask = |path: &&str| {
        let asked = Instant::now();
        agent.get(format!("{base}{path}")).call().is_ok().then(|| asked.elapsed())
    };
    ["/", "/jobs", "/runners", "/api/v1/jobs", "/metrics"].iter().filter_map(ask).collect()
}

fn look(what: &str, base: &str, times: usize) -> anyhow::Result<()> {
    let took: Times = (0..times).flat_map(|_| pages(base)).collect();
    ensure!(took.len() == 5 * times, "{what}: {} of {} were answered", took.len(), 5 * times);
    show(what, took);
    Ok(())
}

/// Each job has ended once, with its result.
fn check(queue: &dyn Queue, jobs: usize) -> anyhow::Result<()> {
    let reported = queue.count_states()?.into_iter().find(|(state, _)| *state == State::Reported);
    ensure!(reported == Some((State::Reported, jobs as u64)), "{reported:?} of {jobs} jobs were reported");
    Ok(())
}
