//! The service as a process, and deliveries as a forge signs them.

#![allow(dead_code, unused_imports, reason = "each program uses a part of it")]

mod configuration;
mod delivery;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) use configuration::{forge_and_project, write_secret};
pub(crate) use delivery::{SECRET, agent, free_port, sign};

/// How long a service may take to answer its first request.
const STARTS_WITHIN: Duration = Duration::from_secs(30);

/// A service that runs until it is dropped or killed.
pub(crate) struct Service {
    child: Option<Child>,
    config: PathBuf,
    log: PathBuf,
    lab: PathBuf,
    port: u16,
    directory: PathBuf,
    variables: Vec<(String, PathBuf)>,
}

impl Service {
    /// Starts it with the configuration in a folder, and with variables besides those of this process. Its runners are other programs.
    pub(crate) fn start(folder: &Path, port: u16, lease_ms: u64, variables: Vec<(String, PathBuf)>) -> Self {
        let lease = ("TLSLAB_SERVICE_LEASE_MS".to_owned(), lease_ms.to_string().into());
        let variables = variables.into_iter().chain([lease]).collect();
        Self::with_lab(folder, port, Path::new("/bin/true"), Path::new("."), variables)
    }

    /// The same with a lab for the runner that it starts itself, in a folder of the lab's files.
    pub(crate) fn with_lab(
        folder: &Path,
        port: u16,
        lab: &Path,
        directory: &Path,
        variables: Vec<(String, PathBuf)>,
    ) -> Self {
        let (config, log) = (folder.join("service.toml"), folder.join("service.log"));
        let (lab, directory) = (lab.to_owned(), directory.to_owned());
        let mut service = Self { child: None, config, log, lab, port, directory, variables };
        service.start_again();
        service
    }

    /// Starts it after it was killed, as a supervisor would.
    pub(crate) fn start_again(&mut self) {
        let log = fs::OpenOptions::new().create(true).append(true).open(&self.log).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab-service"));
        command.arg("--config").arg(&self.config).arg("--lab").arg(&self.lab).current_dir(&self.directory);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.child = Some(command.spawn().unwrap());
    }

    /// The address of one of its paths.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Waits until it answers.
    pub(crate) fn wait(&self) {
        let (agent, deadline) = (agent(Duration::from_secs(5)), Instant::now() + STARTS_WITHIN);
        while agent.get(self.url("/health")).call().map_or(0, |answer| answer.status().as_u16()) != 200 {
            assert!(Instant::now() < deadline, "the service does not answer: {}", self.last_lines());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Its process id; it must be running.
    pub(crate) fn id(&mut self) -> u32 {
        let log = self.last_lines();
        let child = self.child.as_mut().unwrap();
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "the service ended unexpectedly: {ended:?}: {log}");
        child.id()
    }

    /// Kills it, and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Ends it as a supervisor does: asked first, killed if it takes longer.
    pub(crate) fn end(&mut self, time: Duration) {
        let is_alive = self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)));
        if is_alive {
            self.ends_within(time);
        }
        self.kill();
    }

    /// Whether it ends within a time after SIGTERM.
    pub(crate) fn ends_within(&mut self, time: Duration) -> bool {
        let id = i32::try_from(self.id()).unwrap();
        // SAFETY: a signal to a child that was not waited for.
        assert_eq!(unsafe { libc::kill(id, libc::SIGTERM) }, 0);
        let Some(child) = self.child.as_mut() else { return true };
        let deadline = Instant::now() + time;
        while Instant::now() < deadline {
            if child.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// The end of its log.
    pub(crate) fn last_lines(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("--- the service's log\n{}", self.last_lines());
        }
    }
}
