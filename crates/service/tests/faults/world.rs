//! The machines of one game: a service with its database, and runners with their own network, disk and clock.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tlslab_queue::{Fault, JobRow, Queue, QueueError};
use tlslab_store::Address;
use tlslab_store::sql::Row;
use tlslab_testing::postgres::Server;

use crate::clock::{self, Clock};
use crate::credential;
use crate::disk::Disk;
use crate::lab;
use crate::network::Network;
use crate::place::{self, LEASE_MS, RUNNER_VARIABLE, SERVICE_VARIABLE};
use crate::proxy::Proxy;
use crate::support::{Service, free_port};
use crate::target::Target;

/// How many runners there are.
pub(crate) const RUNNERS: usize = 3;
/// When a supervisor restarts a runner that has ended.
const AGAIN: Duration = Duration::from_secs(1);

/// A runner's machine. What comes first is dropped first: a disk that is in use cannot go.
pub(crate) struct Machine {
    process: Process,
    pub network: Network,
    pub disk: Disk,
    pub clock: Clock,
}

struct Process(Option<Child>);

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// All of them.
pub(crate) struct World {
    pub service: Service,
    pub machines: Vec<Machine>,
    pub server: &'static Server,
    pub address: Address,
    pub folder: PathBuf,
    /// The service's clock.
    pub clock: Clock,
    pub proxy: Proxy,
    /// Who is notified.
    pub target: Target,
    /// Last words of runners that ended unexpectedly.
    pub ended: Vec<String>,
    ended_at: [Option<Instant>; RUNNERS],
}

impl World {
    /// Whether jobs of the queue leave runs for the history.
    pub(crate) const KEEPS_RUNS: bool = true;

    /// Starts everything, on a new database.
    pub(crate) fn start(folder: &Path, api: &str, server: &'static Server) -> Self {
        lab::write(folder);
        clock::compile(folder);
        for name in ["tmp", "service-tmp"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        let (port, address) = (free_port(), Address::Postgres(server.new_database().unwrap()));
        place::configure(folder, port, api, &address, RUNNERS);
        let target = Target::start();
        let config = folder.join("service.toml");
        let text = fs::read_to_string(&config).unwrap() + &target.configuration();
        fs::write(&config, text).unwrap();
        credential::make_private(folder);
        let machines: Vec<Machine> = (0..RUNNERS)
            .map(|number| Machine {
                process: Process(None),
                network: Network::new(number),
                disk: Disk::new(&folder.join(format!("runner-{number}"))),
                clock: Clock::new(folder, &format!("runner-{number}")),
            })
            .collect();
        let addresses: Vec<IpAddr> =
            machines.iter().map(|machine| IpAddr::V4(machine.network.service)).collect();
        let proxy = Proxy::start(folder, &addresses, port);
        let clock = Clock::new(folder, "service");
        clock.prove();
        let variables = [clock.variables(), vec![("TMPDIR".to_owned(), folder.join("service-tmp"))]].concat();
        let service = Service::start(folder, port, LEASE_MS, variables);
        service.wait();
        let (ended, ended_at, folder) = (Vec::new(), Default::default(), folder.to_owned());
        let mut world =
            Self { service, machines, server, address, folder, clock, proxy, target, ended, ended_at };
        (0..RUNNERS).for_each(|number| world.start_runner(number));
        world
    }

    fn start_runner(&mut self, number: usize) {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log(number)).unwrap();
        let machine = &mut self.machines[number];
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &machine.network.namespace]).arg(std::env::current_exe().unwrap());
        command.args(["--exact", "runner_process", "--nocapture"]);
        let service = format!("https://{}:{}", machine.network.service, self.proxy.port());
        command
            .env(RUNNER_VARIABLE, self.folder.join(format!("runner-{number}")))
            .env(SERVICE_VARIABLE, service);
        command.env("SSL_CERT_FILE", self.proxy.authority()).env("TMPDIR", self.folder.join("tmp"));
        command.env_remove("SSL_CERT_DIR").envs(machine.clock.variables());
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        machine.process.0 = Some(command.spawn().unwrap());
    }

    fn log(&self, number: usize) -> PathBuf {
        self.folder.join(format!("runner-{number}.log"))
    }

    /// Kills a runner, and starts it again.
    pub(crate) fn kill_runner(&mut self, number: usize) {
        self.machines[number].process = Process(None);
        self.start_runner(number);
    }

    /// Restarts runners that have ended, after a moment.
    pub(crate) fn look_after_runners(&mut self) {
        for number in 0..RUNNERS {
            let child = self.machines[number].process.0.as_mut();
            let Some(status) = child.and_then(|child| child.try_wait().unwrap()) else {
                self.ended_at[number] = None;
                continue;
            };
            let since = *self.ended_at[number].get_or_insert_with(|| {
                let text =
                    fs::read_to_string(self.folder.join(format!("runner-{number}.log"))).unwrap_or_default();
                let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
                let last = lines[lines.len().saturating_sub(12)..].join("\n    ");
                self.ended.push(format!("runner {number} ended unexpectedly ({status}):\n    {last}"));
                Instant::now()
            });
            if since.elapsed() > AGAIN {
                self.start_runner(number);
            }
        }
    }

    /// Stops a runner without its knowing, or lets it go on.
    pub(crate) fn signal_runner(&self, number: usize, signal: i32) {
        if let Some(child) = &self.machines[number].process.0 {
            send(child.id(), signal);
        }
    }

    /// Stops the service without its knowing, or lets it go on.
    pub(crate) fn signal_service(&mut self, signal: i32) {
        send(self.service.id(), signal);
    }

    /// Does something with the queue as soon as its database answers.
    pub(crate) fn with_queue<T>(address: &Address, work: impl Fn(&dyn Queue) -> Result<T, QueueError>) -> T {
        place::with_queue(address, work)
    }

    /// The rows of a statement.
    pub(crate) fn rows(&self, sql: &str) -> Vec<Row> {
        place::rows(&self.address, sql)
    }

    /// Whether it is no wonder that a job has failed: runners and the lab fail here, and nobody's code does.
    pub(crate) fn excuses(row: &JobRow) -> bool {
        let was_tried = row.attempts + 1 >= row.most_attempts;
        matches!(row.fault, Some(Fault::Runner | Fault::Lab)) && was_tried
    }

    /// Stops the runners; processes that are left then.
    pub(crate) fn stop(&mut self) -> Vec<String> {
        for machine in &mut self.machines {
            machine.process = Process(None);
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

fn send(process: u32, signal: i32) {
    // SAFETY: a signal to a child that was not waited for.
    unsafe { libc::kill(process.cast_signed(), signal) };
}
