//! One step: a process `tlslab work`.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use tlslab_artifact::Environment;
use tlslab_process::{ChannelEnd, Input, Output, Program, Supervised};

use crate::config::RunnerConfig;
use crate::error::RunnerError;
use crate::folders::JobFolder;
use crate::lines::LONGEST;
use crate::work::{Cache, Step, Work};

/// How long a process may take to end after the request; then it is killed.
const END_WITHIN: Duration = Duration::from_secs(30);

/// Variables of a process that carries out jobs: for finding programs, folders and the network. The key of
/// the runner and the secrets of a service are excluded.
pub fn environment() -> Vec<(OsString, OsString)> {
    Environment::choose(std::env::vars_os()).variables().to_vec()
}

/// A process that carries out a step.
pub(crate) struct Process {
    running: Supervised,
    lines: Receiver<Value>,
    asked_to_end: Option<Instant>,
}

impl Process {
    /// Starts it. It asks for credentials of private repositories over its end of a channel, if it has one.
    pub(crate) fn start(
        config: &RunnerConfig,
        folder: &JobFolder,
        step: &Step,
        work: &Work,
        credentials: Option<ChannelEnd>,
    ) -> Result<Self, RunnerError> {
        let mut program = program(config, folder, step, &work.allowed_origins);
        if credentials.is_some() {
            program = work.private.iter().fold(program, |program, url| program.arg("--private").arg(url));
        }
        let mut running = program.channel(credentials).spawn()?;
        let (sender, lines) = channel();
        if let Some(output) = running.stdout.take() {
            std::thread::spawn(move || read_lines(output, &sender));
        }
        let job = serde_json::to_vec(&step.job).unwrap_or_default();
        if let Some(mut input) = running.stdin.take() {
            // If the process has already ended, its exit status and its log have the reason.
            let _ = input.write_all(&job);
        }
        Ok(Self { running, lines, asked_to_end: None })
    }

    /// The next line, if one arrives within this time.
    pub(crate) fn line(&self, within: Duration) -> Option<Value> {
        self.lines.recv_timeout(within).ok()
    }

    /// Whether it has ended; a process that takes too long after the request is killed.
    pub(crate) fn has_ended(&mut self) -> Result<bool, RunnerError> {
        if self.asked_to_end.is_some_and(|asked| asked.elapsed() > END_WITHIN) {
            self.running.kill()?;
            return Ok(true);
        }
        Ok(self.running.wait_timeout(Duration::from_millis(1))?.is_some())
    }

    /// Asks it to end: its measurements stay.
    pub(crate) fn ask_to_end(&mut self) {
        if self.asked_to_end.is_none() {
            self.asked_to_end = Some(Instant::now());
            // It may have ended meanwhile.
            let _ = self.running.terminate();
        }
    }
}

fn program(config: &RunnerConfig, folder: &JobFolder, step: &Step, origins: &[String]) -> Program {
    let mut program = Program::new(&config.lab)
        .directory(&config.directory)
        .stdin(Input::Piped)
        .stdout(Output::Piped)
        .stderr(Output::File(folder.log()))
        .envs(environment());
    let option = |program: Program, name: &str, value: &Path| program.arg(name).arg(value);
    program = match (step.cache, &config.cache) {
        (Cache::Shared, Some(cache)) => option(program, "--cache", cache),
        (Cache::Shared, None) => program,
        (Cache::Own, shared) => {
            let program = option(program, "--cache", &folder.cache());
            shared.iter().fold(program, |program, cache| option(program, "--trusted-cache", cache))
        }
    };
    if let Some(root) = &config.root {
        program = option(program, "--root", root);
    }
    for origin in origins {
        program = program.arg("--allow-host").arg(origin);
    }
    let program = program.arg("work");
    let program = option(program, "--out", &folder.results());
    program.arg("--store").arg(format!("sqlite:{}", folder.database().display()))
}

/// Sends every line that is JSON. The end of the output closes the channel.
fn read_lines(output: impl Read, to: &Sender<Value>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if let Ok(value) = serde_json::from_slice(&line)
                    && to.send(value).is_err()
                {
                    return;
                }
            }
        }
    }
}
