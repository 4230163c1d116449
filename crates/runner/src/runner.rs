//! The loops of a runner: one for jobs that measure time, and one for each place for counts.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use rand::RngExt;
use rustix::thread::{CpuSet, sched_setaffinity};
use tlslab_queue::{Leased, Settled, State};
use tlslab_sandbox::Sandbox;

use crate::attempt::{Attempt, End, broken};
use crate::client::Client;
use crate::config::RunnerConfig;
use crate::error::RunnerError;
use crate::facts::{facts, free};
use crate::folders::JobFolder;
use crate::room::lack;
use crate::wire::{Finish, Finished, Hello, Take, Taken, WIRE, Welcome};

/// How long the service may wait for a job before it answers without one, s.
const WAITS_S: u32 = 20;
/// How much longer than that an answer may take. A later one is lost: the service sends the job again.
const LATE: Duration = Duration::from_secs(15);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// The shortest interval at which a resting runner asks again.
const RESTS: Duration = Duration::from_secs(2);

/// The interval at which a runner with a full disk checks again.
const LOOKS_FOR_ROOM_EVERY: Duration = Duration::from_secs(2);

/// How often a stopping runner reports the end of its last job, each time after a longer pause.
const LAST_TRIES: u64 = 4;

/// When a runner is to end.
pub struct Until<'u> {
    /// At once; the current job is given back.
    pub stop: &'u AtomicBool,
    /// When the current jobs have ended.
    pub drain: &'u AtomicBool,
    /// When no job waits.
    pub only_waiting: bool,
}

/// A machine that takes jobs.
pub struct Runner {
    config: RunnerConfig,
    client: Client,
    boot: String,
}

/// One of its places.
struct Place<'p> {
    slot: u32,
    has_sandbox: bool,
    until: &'p Until<'p>,
    /// Set when another place cannot continue.
    over: &'p AtomicBool,
}

impl Place<'_> {
    /// Whether no more jobs are taken for it.
    fn is_over(&self) -> bool {
        [self.until.stop, self.until.drain, self.over].iter().any(|flag| flag.load(Ordering::SeqCst))
    }
}

/// Notifies the other places that one has ended with an error, or a panic.
struct Ends<'p>(&'p AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Runner {
    /// A runner that has just started.
    pub fn new(config: RunnerConfig, client: Client) -> Self {
        let boot = hex::encode(rand::rng().random::<[u8; 16]>());
        Self { config, client, boot }
    }

    /// Takes jobs until it is to end.
    ///
    /// # Errors
    /// Fails on permanent errors: a key that the service does not know, a service of another version, a
    /// folder that cannot be written.
    pub fn run(&self, until: &Until<'_>) -> Result<(), RunnerError> {
        let no_sandbox = Sandbox::find().err().map(|cause| cause.to_string());
        if let Some(cause) = &no_sandbox {
            (self.config.report)(&format!("no sandbox: {cause}; jobs with untrusted code are not taken"));
        }
        let has_sandbox = no_sandbox.is_none();
        let Some(welcome) = self.greet(until.stop, no_sandbox)? else { return Ok(()) };
        if welcome.wire != WIRE {
            let cause = format!(
                "it speaks version {} of the runner protocol (tlslab {}), this runner version {WIRE} (tlslab {}); \
                 upgrade the older one",
                welcome.wire,
                if welcome.version.is_empty() { "of before" } else { &welcome.version },
                env!("CARGO_PKG_VERSION")
            );
            return Err(RunnerError::Version { cause });
        }
        (self.config.report)(&format!("runner {} waits for jobs", welcome.name));
        let over = AtomicBool::new(false);
        let place = |slot: u32| Place { slot, has_sandbox, until, over: &over };
        let places = self.config.counting.as_ref().map_or(0, |counting| counting.places);
        std::thread::scope(|scope| {
            let spawned: Vec<_> =
                (0..=places).map(|slot| scope.spawn(move || self.place(&place(slot)))).collect();
            let ended: Vec<_> = spawned.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            // A panic in one place ends the runner: its supervisor starts it again.
            let mut ended = ended.into_iter();
            ended.try_for_each(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// Takes jobs for one place.
    fn place(&self, place: &Place<'_>) -> Result<(), RunnerError> {
        let ends = Ends(place.over);
        let done = self.keep_to(place.slot).and_then(|()| self.take_jobs(place));
        // A place without work lets the others finish theirs.
        if done.is_ok() {
            std::mem::forget(ends);
        }
        done
    }

    /// Binds this thread's new processes to the processors of its place.
    fn keep_to(&self, slot: u32) -> Result<(), RunnerError> {
        let Some(counting) = &self.config.counting else { return Ok(()) };
        let processors = if slot == 0 { &counting.others } else { &counting.processors };
        let mut set = CpuSet::new();
        processors.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU).for_each(|cpu| set.set(*cpu));
        sched_setaffinity(None, &set)
            .map_err(|cause| RunnerError::Processors { processors: processors.clone(), cause: cause.into() })
    }

    fn take_jobs(&self, place: &Place<'_>) -> Result<(), RunnerError> {
        let Until { stop, only_waiting, .. } = *place.until;
        let (mut rested, mut lacked_room) = (None, false);
        while !place.is_over() {
            if let Some(why) = lack(&self.config) {
                if only_waiting {
                    return Err(RunnerError::Room { why });
                }
                // The data of earlier jobs may fill it.
                JobFolder::remove_others(&self.config.folder, place.slot, "")?;
                if !std::mem::replace(&mut lacked_room, true) && place.slot == 0 {
                    (self.config.report)(&format!("{why}; no job is taken until there is more"));
                }
                pause(LOOKS_FOR_ROOM_EVERY, stop);
                continue;
            }
            if std::mem::take(&mut lacked_room) && place.slot == 0 {
                (self.config.report)("there is enough room again");
            }
            let take = Take {
                boot: self.boot.clone(),
                has_sandbox: place.has_sandbox,
                wait_s: if only_waiting { 0 } else { WAITS_S },
                wire: WIRE,
                slot: place.slot,
                free_bytes: free(&self.config),
            };
            let asked = Instant::now();
            let within = Duration::from_secs(take.wait_s.into()) + LATE;
            let ask = || self.client.post_within::<Taken>(within, "/runner/v1/take", &take);
            let is_over = || place.is_over();
            let taken = self.again(&is_over, ask)?.flatten();
            let Some(Taken { lease, rests, .. }) = taken else { continue };
            if rests != rested
                && let Some(why) = &rests
                && place.slot == 0
            {
                (self.config.report)(&format!("no job is taken: {why}"));
            }
            rested = rests;
            match lease {
                // The stop came during the request.
                Some(leased) if place.is_over() => self.give_back(&leased, stop)?,
                Some(leased) => self.carry_out(&leased, place)?,
                None if only_waiting => return Ok(()),
                // The pause after an immediate answer.
                None => pause(RESTS.saturating_sub(asked.elapsed()), stop),
            }
        }
        Ok(())
    }

    fn greet(&self, stop: &AtomicBool, no_sandbox: Option<String>) -> Result<Option<Welcome>, RunnerError> {
        let hello = Hello { boot: self.boot.clone(), wire: WIRE, facts: facts(&self.config, no_sandbox) };
        let is_over = || stop.load(Ordering::SeqCst);
        Ok(self.again(&is_over, || self.client.post::<Welcome>("/runner/v1/hello", &hello))?.flatten())
    }

    fn carry_out(&self, leased: &Leased, place: &Place<'_>) -> Result<(), RunnerError> {
        (self.config.report)(&format!("job {} (lease {})", leased.job, leased.token));
        let (own, job) = (&self.config.folder, &leased.job);
        let opened = JobFolder::remove_others(own, place.slot, job)
            .and_then(|()| JobFolder::open(own, place.slot, job, &version(&self.config.lab)));
        let folder = match opened {
            Ok(folder) => folder,
            Err(error) => {
                // The job need not wait for the end of its lease.
                self.tell(&broken(leased, &error), place.until.stop)?;
                return if error.is_full() { Ok(()) } else { Err(error) };
            }
        };
        let attempt = Attempt { config: &self.config, client: &self.client, leased, stop: place.until.stop };
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
        match self.tell(&finish, place.until.stop)? {
            Some(Settled::Stale) => {
                (self.config.report)(&format!("job {}: the lease had passed to another runner", leased.job));
            }
            // The service has not received it: the next attempt resumes from the folder.
            None => return Ok(()),
            Some(_) => {}
        }
        if is_over { folder.remove() } else { Ok(()) }
    }

    /// A job that was not begun waits for another runner.
    fn give_back(&self, leased: &Leased, stop: &AtomicBool) -> Result<(), RunnerError> {
        let Leased { job, token, .. } = leased.clone();
        let reason = "its runner ends".to_owned();
        let finish =
            Finish { job, token, state: State::Queued, fault: None, reason, ending: None, canary: None };
        self.tell(&finish, stop).map(drop)
    }

    /// Sends the end until the service has received it, or the runner has to stop.
    fn tell(&self, finish: &Finish, stop: &AtomicBool) -> Result<Option<Settled>, RunnerError> {
        let send = || self.client.post::<Finished>("/runner/v1/finish", finish);
        let answer = match stop.load(Ordering::SeqCst) {
            false => self.again(&|| stop.load(Ordering::SeqCst), send)?.flatten(),
            true => (0..LAST_TRIES).find_map(|tried| {
                std::thread::sleep(Duration::from_secs(tried));
                send().ok()?
            }),
        };
        Ok(answer.map(|finished| finished.answer))
    }

    /// Asks until an answer arrives; `None` if the runner is to stop meanwhile.
    fn again<T>(
        &self,
        is_over: &dyn Fn() -> bool,
        ask: impl Fn() -> Result<T, RunnerError>,
    ) -> Result<Option<T>, RunnerError> {
        let mut wait = Duration::from_millis(250);
        loop {
            match ask() {
                Ok(answer) => return Ok(Some(answer)),
                Err(error) if !error.may_pass() => return Err(error),
                Err(error) => (self.config.report)(&format!("{error}; trying again")),
            }
            let until = Instant::now() + wait;
            while Instant::now() < until {
                if is_over() {
                    return Ok(None);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            wait = (wait * 2).min(LONGEST_PAUSE);
        }
    }
}

/// Waits, or until the runner is to stop.
fn pause(time: Duration, stop: &AtomicBool) {
    let until = Instant::now() + time;
    while Instant::now() < until && !stop.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The identity of the program that carries jobs out: another one does not continue this one's work.
fn version(lab: &Path) -> String {
    let about = std::fs::metadata(lab).ok();
    let changed = about.as_ref().and_then(|about| about.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    format!(
        "{} {} {}",
        env!("CARGO_PKG_VERSION"),
        about.map_or(0, |about| about.len()),
        changed.map_or(0, |changed| changed.as_nanos())
    )
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
