//! How long a service takes to accept deliveries: 10,000 signed ones within a minute over eight connections, forged ones among them.
//!
//! An open loop: each request has its scheduled time, and latency counts from there, however late it was
//! sent. `--postgres` puts the queue on a server instead of a file, `--seconds N` makes it shorter. The
//! program tlslab-service must have been built in the same folder.

#[path = "../tests/support/configuration.rs"]
mod configuration;
#[path = "../tests/support/delivery.rs"]
mod delivery;
mod serving;

use std::path::Path;
use std::time::{Duration, Instant};

use configuration::{forge_and_project, write_secret};
use delivery::{SECRET, agent, free_port, sign};
use serving::{Running, load, start};
use tlslab_testing::postgres::Server;

const CONNECTIONS: u64 = 8;
/// Signed deliveries and forged ones per second.
const SIGNED: u64 = 167;
const FORGED: u64 = 17;
/// Requests for `/health` per second.
const HEALTH: u64 = 20;
/// A push with some commits has about as many bytes.
const PADDING: usize = 20_000;

/// Times of answers, and those that were not as expected.
#[derive(Default)]
struct Times {
    took: Vec<Duration>,
    wrong: usize,
}

impl Times {
    fn add(&mut self, other: Self) {
        self.took.extend(other.took);
        self.wrong += other.wrong;
    }

    fn quantile(&self, of_1000: usize) -> f64 {
        let mut took = self.took.clone();
        took.sort_unstable();
        let at = (took.len() * of_1000 / 1000).min(took.len().saturating_sub(1));
        took.get(at).map_or(f64::NAN, |took| took.as_secs_f64() * 1e3)
    }

    fn show(&self, name: &str) {
        println!(
            "{name:<8} {:>6} answers, {} unexpected; p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
            self.took.len(),
            self.wrong,
            self.quantile(500),
            self.quantile(990),
            self.quantile(1000)
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let on_server = arguments.iter().any(|argument| argument == "--postgres");
    let given = arguments.iter().position(|argument| argument == "--seconds");
    let seconds: u64 = given.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(60);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = on_server.then(|| Server::shared(true).and_then(Server::new_database).expect("a server"));
    let port = free_port();
    let service = started(folder.path(), port, database.as_deref());
    let base = format!("http://127.0.0.1:{port}");
    let place = if on_server { "PostgreSQL, durable" } else { "SQLite" };
    println!("{place}; load of the machine at the start: {}", load());
    let before = service.resident_mib();
    let (hooks, healths) = send(&base, seconds);
    let after = service.resident_mib();
    hooks.show("hooks");
    healths.show("/health");
    println!("p99 of hooks is {:.2} times p99 of /health", hooks.quantile(990) / healths.quantile(990));
    println!(
        "resident memory: {before} MiB at the start, {after} MiB at the end; load at the end: {}",
        load()
    );
}

fn send(base: &str, seconds: u64) -> (Times, Times) {
    let start = Instant::now() + Duration::from_millis(200);
    let due = |number: u64, rate: u64| start + Duration::from_micros(number * 1_000_000 / rate);
    let rate = SIGNED + FORGED;
    std::thread::scope(|scope| {
        let connection = |which: u64| {
            move || {
                let agent = agent(Duration::from_secs(30));
                let mut times = Times::default();
                for number in (which..rate * seconds).step_by(CONNECTIONS as usize) {
                    let at = due(number, rate);
                    std::thread::sleep(at.saturating_duration_since(Instant::now()));
                    // Forged ones are spread among the others.
                    let is_forged = number * FORGED % rate < FORGED;
                    let status = deliver(&agent, base, number, is_forged);
                    times.took.push(at.elapsed());
                    times.wrong += usize::from(status != if is_forged { 401 } else { 202 });
                }
                times
            }
        };
        let senders: Vec<_> = (0..CONNECTIONS).map(|which| scope.spawn(connection(which))).collect();
        let healths = scope.spawn(move || {
            let agent = agent(Duration::from_secs(30));
            let mut times = Times::default();
            for number in 0..HEALTH * seconds {
                let at = due(number, HEALTH);
                std::thread::sleep(at.saturating_duration_since(Instant::now()));
                let status =
                    agent.get(format!("{base}/health")).call().map_or(0, |answer| answer.status().as_u16());
                times.took.push(at.elapsed());
                times.wrong += usize::from(status != 200);
            }
            times
        });
        let mut hooks = Times::default();
        senders.into_iter().for_each(|sender| hooks.add(sender.join().expect("a sender ends")));
        (hooks, healths.join().expect("the sender ends"))
    })
}

fn deliver(agent: &ureq::Agent, base: &str, number: u64, is_forged: bool) -> u16 {
    let repository =
        r#"{"id":1,"full_name":"o/n","default_branch":"main","clone_url":"https://git.example/o/n.git"}"#;
    let body = format!(
        r#"{{"ref":"refs/heads/topic","before":"{}","after":"{number:040x}","repository":{repository},"commits":"{}"}}"#,
        "0".repeat(40),
        "c".repeat(PADDING)
    );
    let signature = if is_forged { "0".repeat(64) } else { sign(SECRET, body.as_bytes()) };
    let request = agent.post(format!("{base}/hooks/gitea")).header("X-Gitea-Delivery", number.to_string());
    let request = request.header("X-Gitea-Event", "push").header("X-Gitea-Signature", signature);
    request.send(body.as_bytes()).map_or(0, |answer| answer.status().as_u16())
}

/// A service without a runner, with a Gitea that does not answer.
fn started(folder: &Path, port: u16, database: Option<&str>) -> Running {
    write_secret(&folder.join("token"), "forge-token");
    write_secret(&folder.join("hook"), SECRET);
    let database = database.map(|url| format!("database = \"{url}\"\n")).unwrap_or_default();
    let gitea = ["gitea", "gitea", "http://127.0.0.1:1/api/v1"];
    let lines = database + &forge_and_project(gitea, ["p", "o/n"], "stacks = [\"tiny\"]");
    start(folder, port, &lines).expect("the service starts")
}
