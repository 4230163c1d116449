//! The processes of one game: a service, its runners and its database.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_queue::Queue;
use tlslab_runner::{Client, Runner, RunnerConfig, Until};
use tlslab_scratch_postgres::Server;
use tlslab_store::Address;
use tlslab_store::sql::{Database, Postgres, Row, Sqlite};

use crate::support::{SECRET, Service, free_port, write_secret};

/// Longer than a restart of the service or the database takes.
pub const LEASE_MS: u64 = 5_000;
/// How many runners there are.
pub const RUNNERS: usize = 2;

/// In place of the lab: a job takes between 0.3 s and 1.2 s, a step of a pull request a third of that.
const LAB: &str = r#"#!/bin/sh
job=$(cat)
echo started >> "${0%/*}/starts"
time_ms=$((300 + $(printf %s "$job" | cksum | cut -c1-2) * 9))
case $job in *git.example*) time_ms=$((time_ms / 3)) ;; esac
echo '{"event":"step","stage":"prove","what":"a"}'
sleep $((time_ms / 1000)).$(printf %03d $((time_ms % 1000)))
echo '{"event":"ended","status":"done","outcome":{"kind":"nothing","value":{}}}'
"#;

const RUNNER_VARIABLE: &str = "TLSLAB_KILLS_RUNNER";
const SERVICE_VARIABLE: &str = "TLSLAB_KILLS_SERVICE";

/// What is killed.
pub struct World {
    pub service: Service,
    pub runners: Vec<Child>,
    pub server: Option<&'static Server>,
    pub address: Address,
    pub folder: PathBuf,
}

impl World {
    /// Starts everything, on a database of its own.
    pub fn start(folder: &Path, api: &str, server: Option<&'static Server>) -> Self {
        let lab = folder.join("lab");
        fs::write(&lab, LAB).unwrap();
        fs::set_permissions(&lab, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(folder.join("tmp")).unwrap();
        let (port, database) = (free_port(), folder.join("service/tlslab.sqlite"));
        let address = match server {
            Some(server) => Address::Postgres(server.new_database().unwrap()),
            None => Address::Sqlite(database),
        };
        configure(folder, port, api, &address);
        let service = Service::start(folder, port, LEASE_MS);
        service.wait();
        let mut world = Self { service, runners: Vec::new(), server, address, folder: folder.to_owned() };
        world.runners = (0..RUNNERS).map(|number| world.start_runner(number)).collect();
        world
    }

    /// A runner in a process of its own.
    pub fn start_runner(&self, number: usize) -> Child {
        let log = self.folder.join(format!("runner-{number}.log"));
        let log = fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "runner_process", "--nocapture"]);
        command.env(RUNNER_VARIABLE, self.folder.join(format!("runner-{number}")));
        command.env(SERVICE_VARIABLE, self.service.url("")).env("TMPDIR", self.folder.join("tmp"));
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        command.spawn().unwrap()
    }

    /// Kills a runner that is alive, and starts it again.
    pub fn kill_runner(&mut self, number: usize) {
        let runner = &mut self.runners[number];
        let ended = runner.try_wait().unwrap();
        assert!(ended.is_none(), "runner {number} ended by itself: {ended:?}");
        runner.kill().unwrap();
        runner.wait().unwrap();
        self.runners[number] = self.start_runner(number);
    }

    /// Stops a runner without its knowing, or lets it go on.
    pub fn signal_runner(&self, number: usize, signal: i32) {
        let id = i32::try_from(self.runners[number].id()).unwrap();
        // SAFETY: a signal to a child that was not waited for.
        assert_eq!(unsafe { libc::kill(id, signal) }, 0);
    }

    /// Does something with the queue as soon as its database answers.
    pub fn with_queue<T>(
        address: &Address,
        work: impl Fn(&dyn Queue) -> Result<T, tlslab_queue::QueueError>,
    ) -> T {
        let mut last = String::new();
        for _ in 0..300 {
            match tlslab_queue::open(address, Duration::from_millis(LEASE_MS)).and_then(|queue| work(&*queue))
            {
                Ok(done) => return done,
                Err(error) => last = error.to_string(),
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("the database does not answer: {last}");
    }

    /// What the database answers to a statement.
    pub fn rows(&self, sql: &str) -> Vec<Row> {
        match &self.address {
            Address::Sqlite(path) => Sqlite::open(path).unwrap().rows(sql, &[]).unwrap(),
            Address::Postgres(url) => Postgres::open(url).unwrap().rows(sql, &[]).unwrap(),
        }
    }

    /// Stops everything; processes that are left then.
    pub fn stop(&mut self) -> Vec<String> {
        for runner in &mut self.runners {
            let _ = runner.kill();
            let _ = runner.wait();
        }
        self.service.kill();
        let mut left = Vec::new();
        for _ in 0..100 {
            left = processes_of(&self.folder);
            if left.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        left
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Processes that name the folder in their command lines or their environments.
fn processes_of(folder: &Path) -> Vec<String> {
    let name = folder.to_string_lossy().into_owned();
    let has = |path: PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).contains(&name);
    let entries = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let own = PathBuf::from(format!("/proc/{}", std::process::id()));
    let found =
        entries.filter(|path| *path != own && (has(path.join("cmdline")) || has(path.join("environ"))));
    found.map(|path| path.display().to_string()).collect()
}

fn configure(folder: &Path, port: u16, api: &str, address: &Address) {
    write_secret(&folder.join("token"), "forge-token");
    write_secret(&folder.join("hook"), SECRET);
    let database = match address {
        Address::Sqlite(path) => format!("sqlite:{}", path.display()),
        Address::Postgres(url) => url.clone(),
    };
    let service = folder.join("service");
    let mut text = format!(
        r#"
        listen = "127.0.0.1:{port}"
        url = "https://bench.example"
        database = "{database}"
        folder = "{}"
        local_runner = false
        [[forge]]
        name = "gitea"
        kind = "gitea"
        api = "{api}"
        token = {{ file = "token" }}
        webhook_secret = {{ file = "hook" }}
        [[project]]
        name = "p"
        forge = "gitea"
        repository = "o/n"
        stacks = ["tiny"]
        watch_regressions = false
        "#,
        service.display()
    );
    for number in 0..RUNNERS {
        write_secret(&folder.join(format!("key-{number}")), &format!("key-of-{number}"));
        let runner = format!("[[runner]]\nname = \"runner-{number}\"\nkey = {{ file = \"key-{number}\" }}\n");
        text.push_str(&runner);
        fs::create_dir(folder.join(format!("runner-{number}"))).unwrap();
    }
    fs::write(folder.join("service.toml"), text).unwrap();
}

/// What a process that was started as a runner does until it is killed.
pub fn be_runner() {
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
        report: Box::new(|text| eprintln!("{text}")),
    };
    let never = AtomicBool::new(false);
    Runner::new(config, client).run(&Until { stop: &never, drain: &never, only_waiting: false }).unwrap();
}
