//! What games have in common: the service's files, its database, and runners as processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_queue::{Queue, QueueError};
use tlslab_runner::{Client, Runner, RunnerConfig, Until};
use tlslab_store::Address;
use tlslab_store::sql::{Database, Postgres, Row, Sqlite};

use crate::support::{SECRET, forge_and_project, write_secret};

/// Longer than a restart of the service or the database takes.
pub(crate) const LEASE_MS: u64 = 5_000;

/// The folder of a process that is started as a runner.
pub(crate) const RUNNER_VARIABLE: &str = "TLSLAB_KILLS_RUNNER";
/// The service that it asks.
pub(crate) const SERVICE_VARIABLE: &str = "TLSLAB_KILLS_SERVICE";

/// Does something with the queue as soon as its database answers.
pub(crate) fn with_queue<T>(address: &Address, work: impl Fn(&dyn Queue) -> Result<T, QueueError>) -> T {
    let mut last = String::new();
    for _ in 0..300 {
        match tlslab_queue::open(address, Duration::from_millis(LEASE_MS)).and_then(|queue| work(&*queue)) {
            Ok(done) => return done,
            Err(error) => last = error.to_string(),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the database does not answer: {last}");
}

/// The rows of a statement.
pub(crate) fn rows(address: &Address, sql: &str) -> Vec<Row> {
    match address {
        Address::Sqlite(path) => Sqlite::open(path).unwrap().rows(sql, &[]).unwrap(),
        Address::Postgres(url) => Postgres::open(url).unwrap().rows(sql, &[]).unwrap(),
    }
}

/// Processes that name the folder in their command lines or their environments.
pub(crate) fn processes_of(folder: &Path) -> Vec<String> {
    let name = folder.to_string_lossy().into_owned();
    let has = |path: PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).contains(&name);
    let entries = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let own = PathBuf::from(format!("/proc/{}", std::process::id()));
    let found =
        entries.filter(|path| *path != own && (has(path.join("cmdline")) || has(path.join("environ"))));
    found.map(|path| path.display().to_string()).collect()
}

/// Processes that are left after a moment.
pub(crate) fn left_of(folder: &Path) -> Vec<String> {
    let mut left = Vec::new();
    for _ in 0..100 {
        left = processes_of(folder);
        if left.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    left
}

/// Writes the configuration of a service with so many runners, and makes the runners' folders. A runner has its name as a label.
pub(crate) fn configure(folder: &Path, port: u16, api: &str, address: &Address, runners: usize) {
    write_secret(&folder.join("token"), "forge-token");
    write_secret(&folder.join("hook"), SECRET);
    let database = match address {
        Address::Sqlite(path) => format!("sqlite:{}", path.display()),
        Address::Postgres(url) => url.clone(),
    };
    let service = folder.join("service");
    let mut text = format!(
        "listen = \"127.0.0.1:{port}\"\nurl = \"https://bench.example\"\ndatabase = \"{database}\"\nfolder = \"{}\"\nlocal_runner = false\n",
        service.display()
    );
    let lines = "stacks = [\"tiny\"]\nwatch_regressions = false";
    text.push_str(&forge_and_project(["gitea", "gitea", api], ["p", "o/n"], lines));
    for number in 0..runners {
        write_secret(&folder.join(format!("key-{number}")), &format!("key-of-{number}"));
        text.push_str(&format!(
            "[[runner]]\nname = \"runner-{number}\"\nkey = {{ file = \"key-{number}\" }}\nlabels = [\"runner-{number}\"]\n"
        ));
        fs::create_dir(folder.join(format!("runner-{number}"))).unwrap();
    }
    fs::write(folder.join("service.toml"), text).unwrap();
}

/// The work of a process that was started as a runner, until it is killed.
pub(crate) fn be_runner() {
    let Some(folder) = std::env::var_os(RUNNER_VARIABLE).map(PathBuf::from) else { return };
    let (parent, name) =
        (folder.parent().unwrap(), folder.file_name().unwrap().to_string_lossy().into_owned());
    let number = name.trim_start_matches("runner-");
    let key = fs::read_to_string(parent.join(format!("key-{number}"))).unwrap();
    let client = Client::new(&std::env::var(SERVICE_VARIABLE).unwrap(), &key).unwrap();
    let config = RunnerConfig {
        lab: parent.join("lab"),
        directory: folder.clone(),
        root: None,
        cache: None,
        folder: folder.clone(),
        machine: ("x86_64".to_owned(), "a class".to_owned()),
        counting: None,
        room_bytes: 2 << 20,
        report: Box::new(|text| eprintln!("{text}")),
    };
    let never = AtomicBool::new(false);
    Runner::new(config, client).run(&Until { stop: &never, drain: &never, only_waiting: false }).unwrap();
}
