//! The processes of one game: a service, its runners and its database.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tlslab_queue::{Fault, JobRow, Queue};
use tlslab_store::Address;
use tlslab_store::sql::Row;
use tlslab_testing::postgres::Server;

use crate::place::{self, LEASE_MS, RUNNER_VARIABLE, SERVICE_VARIABLE};
use crate::support::{Service, free_port};

/// How many runners there are.
pub(crate) const RUNNERS: usize = 2;

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

/// The processes that are killed.
pub(crate) struct World {
    pub service: Service,
    pub runners: Vec<Child>,
    pub server: Option<&'static Server>,
    pub address: Address,
    pub folder: PathBuf,
}

impl World {
    /// Whether jobs of the queue leave runs for the history.
    pub(crate) const KEEPS_RUNS: bool = false;

    /// Starts everything, on a new database.
    pub(crate) fn start(folder: &Path, api: &str, server: Option<&'static Server>) -> Self {
        let lab = folder.join("lab");
        fs::write(&lab, LAB).unwrap();
        fs::set_permissions(&lab, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(folder.join("tmp")).unwrap();
        let (port, database) = (free_port(), folder.join("service/tlslab.sqlite"));
        let address = match server {
            Some(server) => Address::Postgres(server.new_database().unwrap()),
            None => Address::Sqlite(database),
        };
        place::configure(folder, port, api, &address, RUNNERS);
        let service = Service::start(folder, port, LEASE_MS, Vec::new());
        service.wait();
        let mut world = Self { service, runners: Vec::new(), server, address, folder: folder.to_owned() };
        world.runners = (0..RUNNERS).map(|number| world.start_runner(number)).collect();
        world
    }

    /// A runner in a separate process.
    pub(crate) fn start_runner(&self, number: usize) -> Child {
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
    pub(crate) fn kill_runner(&mut self, number: usize) {
        let runner = &mut self.runners[number];
        let ended = runner.try_wait().unwrap();
        assert!(ended.is_none(), "runner {number} ended unexpectedly: {ended:?}");
        runner.kill().unwrap();
        runner.wait().unwrap();
        self.runners[number] = self.start_runner(number);
    }

    /// Stops a runner without its knowing, or lets it go on.
    pub(crate) fn signal_runner(&self, number: usize, signal: i32) {
        let id = i32::try_from(self.runners[number].id()).unwrap();
        // SAFETY: a signal to a child that was not waited for.
        assert_eq!(unsafe { libc::kill(id, signal) }, 0);
    }

    /// Does something with the queue as soon as its database answers.
    pub(crate) fn with_queue<T>(
        address: &Address,
        work: impl Fn(&dyn Queue) -> Result<T, tlslab_queue::QueueError>,
    ) -> T {
        place::with_queue(address, work)
    }

    /// The rows of a statement.
    pub(crate) fn rows(&self, sql: &str) -> Vec<Row> {
        place::rows(&self.address, sql)
    }

    /// Whether a job's failure is expected: only kills cause failures here.
    pub(crate) fn excuses(row: &JobRow) -> bool {
        let is_killed = row.fault == Some(Fault::Runner) && row.attempts == row.most_attempts;
        let is_refused = row.fault == Some(Fault::Lab) && row.reason.contains("no runner has one");
        is_killed || is_refused
    }

    /// Stops everything; processes that are left then.
    pub(crate) fn stop(&mut self) -> Vec<String> {
        for runner in &mut self.runners {
            let _ = runner.kill();
            let _ = runner.wait();
        }
        self.service.kill();
        place::left_of(&self.folder)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop();
    }
}
