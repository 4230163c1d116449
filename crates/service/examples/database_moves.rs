//! An operator's work on a service's database while jobs run, on a separate PostgreSQL server: a backup, a
//! restart of each of two services, a restore, and a move to another database, by `packaging/database`. At
//! the end each job has ended once, with one result.
//!
//! `--jobs N` makes it smaller. The program tlslab-service must have been built in the same folder; pg_dump,
//! pg_restore and psql must be as new as the server.

#[path = "../tests/support/configuration.rs"]
#[allow(dead_code, reason = "other benchmarks use the rest")]
mod configuration;
#[path = "../tests/support/delivery.rs"]
#[allow(dead_code, reason = "other benchmarks use the rest")]
mod delivery;
mod serving;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use configuration::write_secret;
use delivery::free_port;
use serde_json::json;
use serving::{Running, load, start};
use tlslab_queue::{Change, Filter, LEASE, NewJob, Queue, State};
use tlslab_runner::Client;
use tlslab_runner::wire::{Facts, Finish, Finished, Hello, Take, Taken, WIRE, Welcome};
use tlslab_store::Address;
use tlslab_testing::postgres::Server;

const RUNNERS: usize = 12;
const SERVICES: usize = 2;
/// How long a runner's job takes: less than all of it would be over before anything is done.
const JOB: Duration = Duration::from_millis(20);
/// How long all may take.
const LONGEST: Duration = Duration::from_secs(300);

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let jobs: usize = given("--jobs").map_or(Ok(3_000), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let server = Server::shared(true).map_err(anyhow::Error::msg)?;
    let database = || server.new_database().map_err(anyhow::Error::msg);
    let (first, second) = (database()?, database()?);
    println!(
        "{jobs} jobs, {RUNNERS} runners, {SERVICES} services; load of the machine at the start: {}",
        load()
    );
    fill(&*open(&first)?, jobs)?;
    let mut world = World {
        folder: folder.path().to_owned(),
        ports: std::array::from_fn(|_| free_port()),
        services: Default::default(),
        address: first,
    };
    for at in 0..SERVICES {
        world.start(at)?;
    }
    let (paused, over) = (Mutex::new(()), AtomicBool::new(false));
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let (ports, paused, over) = (world.ports, &paused, &over);
        let runners: Vec<_> = (0..RUNNERS)
            .map(|number| scope.spawn(move || runner(number, ports[number % SERVICES], paused, over)))
            .collect();
        let done = operate(&mut world, jobs, &second, paused);
        over.store(true, Ordering::SeqCst);
        for runner in runners {
            runner.join().map_err(|_| anyhow::anyhow!("a runner has ended"))??;
        }
        done
    })?;
    check(&*open(&second)?, jobs)?;
    println!("each of {jobs} jobs has ended once, with one result; load at the end: {}", load());
    Ok(())
}

/// Two services and where their database is.
struct World {
    folder: PathBuf,
    ports: [u16; SERVICES],
    services: [Option<Running>; SERVICES],
    address: String,
}

impl World {
    fn folder_of(&self, at: usize) -> PathBuf {
        self.folder.join(at.to_string())
    }

    fn start(&mut self, at: usize) -> anyhow::Result<()> {
        let folder = self.folder_of(at);
        std::fs::create_dir_all(&folder)?;
        let mut text = format!("database = \"{}\"\n[canary]\nenabled = false\n", self.address);
        for number in 0..RUNNERS {
            write_secret(&folder.join(format!("key-{number}")), &format!("key of {number}"));
            text.push_str(&format!(
                "[[runner]]\nname = \"r-{number}\"\nkey = {{ file = \"key-{number}\" }}\n"
            ));
        }
        self.services[at] = Some(start(&folder, self.ports[at], &text)?);
        Ok(())
    }

    fn stop(&mut self) {
        self.services = Default::default();
    }

    /// What an operator types.
    fn database(&self, act: &str, place: &str) -> anyhow::Result<()> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/database");
        let config = self.folder_of(0).join("service.toml");
        let begun = Instant::now();
        let program = serving::program();
        let mut command = Command::new(script);
        let done =
            command.arg("--config").arg(config).arg("--program").arg(program).args([act, place]).output()?;
        ensure!(done.status.success(), "{act}: {}", String::from_utf8_lossy(&done.stderr));
        println!("{act}: {:.1} s", begun.elapsed().as_secs_f64());
        Ok(())
    }
}

fn operate(world: &mut World, jobs: usize, second: &str, paused: &Mutex<()>) -> anyhow::Result<()> {
    let backup = world.folder.join("backup").display().to_string();
    wait_until(world, jobs / 5)?;
    world.database("backup", &backup)?;
    let held = ended(&*open(&world.address)?)?;
    for at in 0..SERVICES {
        world.services[at] = None;
        world.start(at)?;
    }
    println!("each service was started again, one after the other");
    wait_until(world, jobs / 2)?;
    {
        let _nobody = paused.lock().map_err(|_| anyhow::anyhow!("a runner has ended"))?;
        let before = ended(&*open(&world.address)?)?;
        let refused = world.database("restore", &backup);
        ensure!(refused.is_err(), "a database that is in use was restored");
        world.stop();
        world.database("restore", &backup)?;
        let after = ended(&*open(&world.address)?)?;
        println!(
            "{before} jobs had ended, {after} have after the restore, at most {held} when it was backed up"
        );
        ensure!(after <= held && after < before, "the backup is of another time");
        for at in 0..SERVICES {
            world.start(at)?;
        }
    }
    wait_until(world, jobs * 3 / 4)?;
    {
        let _nobody = paused.lock().map_err(|_| anyhow::anyhow!("a runner has ended"))?;
        world.stop();
        world.database("move", second)?;
        world.address = second.to_owned();
        for at in 0..SERVICES {
            world.start(at)?;
        }
    }
    wait_until(world, jobs)
}

fn open(address: &str) -> anyhow::Result<Box<dyn Queue>> {
    Ok(tlslab_queue::open(&address.parse::<Address>().map_err(anyhow::Error::msg)?, LEASE)?)
}

fn ended(queue: &dyn Queue) -> anyhow::Result<usize> {
    let states = queue.count_states()?;
    Ok(states.iter().filter(|(state, _)| state.is_ended()).map(|(_, count)| *count as usize).sum())
}

fn wait_until(world: &World, count: usize) -> anyhow::Result<()> {
    let (queue, begun) = (open(&world.address)?, Instant::now());
    while ended(&*queue)? < count {
        ensure!(
            begun.elapsed() < LONGEST,
            "fewer than {count} jobs have ended after {} s",
            LONGEST.as_secs()
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn fill(queue: &dyn Queue, jobs: usize) -> anyhow::Result<()> {
    let job = |number: usize| {
        Change::Enqueue(Box::new(NewJob {
            id: format!("job-{number}"),
            project: format!("project-{}", number % 100),
            subject: json!({"kind": "submitted", "by": "somebody", "title": format!("job {number}")}),
            body: json!({"steps": []}),
            labels: Vec::new(),
            needs_sandbox: true,
            is_timed: true,
            only_runner: None,
            priority: 0,
            dedup: None,
            supersedes: None,
            approval: tlslab_queue::Approval::NotNeeded,
            head: None,
            most_attempts: 9,
            delay_ms: 0,
            is_answered: false,
            cause: "a load".to_owned(),
        }))
    };
    for from in (0..jobs).step_by(100) {
        queue.apply(&(from..jobs.min(from + 100)).map(job).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Runs jobs until the end. It holds no job while the services are stopped for a restore or a
/// move, as operators must stop runners first.
fn runner(number: usize, port: u16, paused: &Mutex<()>, over: &AtomicBool) -> anyhow::Result<()> {
    let client = Client::new(&format!("http://127.0.0.1:{port}"), &format!("key of {number}"))?;
    let facts = Facts { architecture: "x86_64".to_owned(), ..Facts::default() };
    let hello = Hello { boot: number.to_string(), wire: WIRE, facts };
    patiently(over, || client.post::<Welcome>("/runner/v1/hello", &hello))?;
    while !over.load(Ordering::SeqCst) {
        // To stop the services, wait for the running jobs; no other job starts.
        drop(paused.lock());
        let take = Take {
            boot: number.to_string(),
            has_sandbox: true,
            wait_s: 0,
            wire: WIRE,
            slot: 0,
            free_bytes: None,
        };
        let taken = patiently(over, || client.post::<Taken>("/runner/v1/take", &take))?;
        let Some(lease) = taken.flatten().and_then(|taken| taken.lease) else {
            std::thread::sleep(JOB);
            continue;
        };
        std::thread::sleep(JOB);
        let finish = Finish {
            job: lease.job,
            token: lease.token,
            state: State::Reported,
            fault: None,
            reason: "done".to_owned(),
            ending: Some(json!({"status": "done", "outcome": {"kind": "nothing", "value": number}})),
            canary: None,
        };
        patiently(over, || client.post::<Finished>("/runner/v1/finish", &finish))?;
    }
    Ok(())
}

/// As a runner does: again while the service is away.
fn patiently<T, E: std::fmt::Display>(
    over: &AtomicBool,
    ask: impl Fn() -> Result<T, E>,
) -> anyhow::Result<Option<T>> {
    let begun = Instant::now();
    loop {
        match ask() {
            Ok(answer) => return Ok(Some(answer)),
            Err(_) if over.load(Ordering::SeqCst) => return Ok(None),
            Err(cause) if begun.elapsed() > LONGEST => bail!("the service is away: {cause}"),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Each job has ended once, with one result.
fn check(queue: &dyn Queue, jobs: usize) -> anyhow::Result<()> {
    let mut before = None;
    let mut seen = 0;
    loop {
        let page = queue.list(&Filter { before, ..Filter::default() })?;
        let Some(last) = page.last() else { break };
        before = Some(last.key);
        for job in &page {
            seen += 1;
            ensure!(job.state == State::Reported, "{} is {}: {}", job.id, job.state, job.reason);
            let steps = queue.transitions(&job.id)?;
            let ends = steps.iter().filter(|step| step.to.is_ended()).count();
            ensure!(ends == 1, "{} has ended {ends} times", job.id);
            queue.result(&job.id)?.with_context(|| format!("{} has no result", job.id))?;
        }
    }
    ensure!(seen == jobs, "{seen} of {jobs} jobs are there");
    Ok(())
}
