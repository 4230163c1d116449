//! The runner on the service's own machine: a process that uses the protocol of all runners.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use rand::RngExt;
use tlslab_process::{Input, Output, Program, Supervised};

use crate::log::log;
use crate::service::Service;

/// How long a runner that is to stop may take: it ends the job's process first.
const STOPS_WITHIN: Duration = Duration::from_secs(45);
/// Between two starts of a runner that ends unexpectedly.
const AGAIN: Duration = Duration::from_secs(2);

/// Variables that the runner gets besides those of its jobs; no secret of the service is among them.
const VARIABLES: [&str; 3] = ["TLSLAB_ROOT", "TLSLAB_CACHE", "LANG"];

/// Writes a secret that nobody else can read, in the place of an earlier one.
pub(crate) fn write_secret(path: &Path, text: &str) -> anyhow::Result<()> {
    let fresh = path.with_extension("new");
    let _ = fs::remove_file(&fresh);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh);
    let written = file.as_mut().map_err(|cause| std::io::Error::new(cause.kind(), cause.to_string()));
    written
        .and_then(|file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", fresh.display()))?;
    fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}

/// 256 random bits.
pub(crate) fn new_secret() -> String {
    hex::encode(rand::rng().random::<[u8; 32]>())
}

/// The name of this machine's runner.
pub(crate) fn name() -> String {
    format!("local-{}", host()).trim_end_matches('-').to_owned()
}

/// The name of this machine, as a part of other names.
pub(crate) fn host() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    host.trim().to_lowercase().chars().filter(|letter| letter.is_ascii_alphanumeric()).take(20).collect()
}

/// Starts the runner, and starts it again when it ends, until the service stops.
pub(crate) fn start(
    service: &Arc<Service>,
    lab: PathBuf,
    key_file: PathBuf,
    address: String,
) -> JoinHandle<()> {
    let service = service.clone();
    std::thread::spawn(move || {
        while !service.stops() {
            match spawn(&service, &lab, &key_file, &address) {
                Ok(running) => supervise(&service, running),
                Err(cause) => log(&format!("the local runner cannot be started: {cause:#}")),
            }
            service.pause(AGAIN);
        }
    })
}

fn spawn(service: &Service, lab: &Path, key_file: &Path, address: &str) -> anyhow::Result<Supervised> {
    let log_file = service.config.folder.join("runner.log");
    let mut program = Program::new(lab).stdin(Input::Null).stderr(Output::File(log_file.clone()));
    program = program.stdout(Output::File(log_file)).directory(std::env::current_dir()?);
    program = program.envs(tlslab_runner::environment());
    for name in VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            program = program.env(name, value);
        }
    }
    let program = program.arg("runner").arg("--service").arg(address).arg("--key-file").arg(key_file);
    let program = program.arg("--folder").arg(service.config.folder.join("runner"));
    Ok(program.spawn()?)
}

fn supervise(service: &Service, mut running: Supervised) {
    loop {
        match running.wait_timeout(Duration::from_millis(200)) {
            Ok(None) if !service.stops() => {}
            Ok(None) => break,
            Ok(Some(ended)) => {
                return log(&format!("the local runner has ended ({ended:?}); see runner.log"));
            }
            Err(cause) => return log(&format!("the local runner: {cause}")),
        }
    }
    // It returns its job and keeps the measurements.
    let _ = running.terminate();
    let deadline = Instant::now() + STOPS_WITHIN;
    while Instant::now() < deadline {
        if !matches!(running.wait_timeout(Duration::from_millis(100)), Ok(None)) {
            return;
        }
    }
    let _ = running.kill();
}
