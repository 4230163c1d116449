//! The loop of a runner.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;
use tlslab_queue::{Leased, Settled};
use tlslab_sandbox::Sandbox;

use crate::attempt::{Attempt, End, broken};
use crate::client::Client;
use crate::config::RunnerConfig;
use crate::error::RunnerError;
use crate::folders::JobFolder;
use crate::wire::{Finish, Finished, Hello, Take, Welcome};

/// How long the service may wait for a job before it answers that there is none, s.
const WAITS_S: u32 = 20;
/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// How often a runner that stops says how its last job ended, each time after a longer pause.
const LAST_TRIES: u64 = 4;

/// A machine that takes jobs.
pub struct Runner {
    config: RunnerConfig,
    client: Client,
    boot: String,
}

impl Runner {
    /// A runner that has just started.
    pub fn new(config: RunnerConfig, client: Client) -> Self {
        let boot = hex::encode(rand::rng().random::<[u8; 16]>());
        Self { config, client, boot }
    }

    /// Takes jobs until it is to stop. With `only_waiting` it stops when there is none.
    ///
    /// # Errors
    /// What does not pass: a key that the service does not know, a folder that cannot be written.
    pub fn run(&self, stop: &AtomicBool, only_waiting: bool) -> Result<(), RunnerError> {
        let no_sandbox = Sandbox::find().err().map(|cause| cause.to_string());
        if let Some(cause) = &no_sandbox {
            (self.config.report)(&format!("no sandbox: {cause}; jobs of strangers are not taken"));
        }
        let has_sandbox = no_sandbox.is_none();
        let Some(welcome) = self.greet(stop, no_sandbox)? else { return Ok(()) };
        (self.config.report)(&format!("runner {} waits for jobs", welcome.name));
        while !stop.load(Ordering::SeqCst) {
            let wait_s = if only_waiting { 0 } else { WAITS_S };
            let take = Take { boot: self.boot.clone(), has_sandbox, wait_s };
            match self.again(stop, || self.client.post::<Leased>("/runner/v1/take", &take))? {
                Some(Some(leased)) => self.carry_out(&leased, stop)?,
                Some(None) if only_waiting => return Ok(()),
                _ => {}
            }
        }
        Ok(())
    }

    fn greet(&self, stop: &AtomicBool, no_sandbox: Option<String>) -> Result<Option<Welcome>, RunnerError> {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let hello = Hello {
            boot: self.boot.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: host.trim().to_owned(),
            no_sandbox,
        };
        Ok(self.again(stop, || self.client.post::<Welcome>("/runner/v1/hello", &hello))?.flatten())
    }

    fn carry_out(&self, leased: &Leased, stop: &AtomicBool) -> Result<(), RunnerError> {
        (self.config.report)(&format!("job {} (lease {})", leased.job, leased.token));
        JobFolder::remove_others(&self.config.folder, &leased.job)?;
        let folder = JobFolder::open(&self.config.folder, &leased.job)?;
        let attempt = Attempt { config: &self.config, client: &self.client, leased, stop };
        let (finish, is_over) = match attempt.carry_out(&folder) {
            Ok(End::Told(finish)) => (finish, true),
            Ok(End::GivenBack(finish)) => (finish, false),
            Ok(End::Silent) => return Ok(()),
            Err(error) => (broken(leased, &error), true),
        };
        (self.config.report)(&format!(
            "job {}: {} ({})",
            leased.job,
            finish.state,
            first_line(&finish.reason)
        ));
        match self.tell(&finish, stop)? {
            Some(Settled::Stale) => {
                (self.config.report)(&format!("job {}: the lease had passed to another runner", leased.job));
            }
            // The service has not heard of it: the next attempt goes on from the folder.
            None => return Ok(()),
            Some(_) => {}
        }
        if is_over { folder.remove() } else { Ok(()) }
    }

    /// Sends the end until the service has heard of it, or the runner has to stop.
    fn tell(&self, finish: &Finish, stop: &AtomicBool) -> Result<Option<Settled>, RunnerError> {
        let send = || self.client.post::<Finished>("/runner/v1/finish", finish);
        let answer = match stop.load(Ordering::SeqCst) {
            false => self.again(stop, send)?.flatten(),
            true => (0..LAST_TRIES).find_map(|tried| {
                std::thread::sleep(Duration::from_secs(tried));
                send().ok()?
            }),
        };
        Ok(answer.map(|finished| finished.answer))
    }

    /// Asks until an answer comes; nothing if the runner is to stop meanwhile.
    fn again<T>(
        &self,
        stop: &AtomicBool,
        ask: impl Fn() -> Result<T, RunnerError>,
    ) -> Result<Option<T>, RunnerError> {
        let mut pause = Duration::from_millis(250);
        loop {
            match ask() {
                Ok(answer) => return Ok(Some(answer)),
                Err(error) if !error.may_pass() => return Err(error),
                Err(error) => (self.config.report)(&format!("{error}; trying again")),
            }
            let until = Instant::now() + pause;
            while Instant::now() < until {
                if stop.load(Ordering::SeqCst) {
                    return Ok(None);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
