//! One lease of a job, from taking it to its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tlslab_queue::{Fault, Leased, Renewed, State};

use crate::channel::channel_for;
use crate::client::Client;
use crate::config::RunnerConfig;
use crate::error::RunnerError;
use crate::fault::{fault_of, on_disk};
use crate::folders::JobFolder;
use crate::lines::{Chosen, state_of};
use crate::room::is_full;
use crate::step::Process;
use crate::upload::Upload;
use crate::wire::{Events, Finish, Renew, Renewal};
use crate::work::{Step, Work};

/// The interval of sending events.
const SENT_EVERY: Duration = Duration::from_secs(1);
/// The interval of the supervisor's checks.
const LOOKS_EVERY: Duration = Duration::from_millis(100);
/// The number of renewals during a lease.
const RENEWALS: u32 = 4;

/// State that the process of the job and its supervisor share.
struct Shared {
    state: Option<State>,
    events: Vec<(u64, Value)>,
    answer: Renewed,
}

/// How an attempt ended.
pub(crate) enum End {
    /// The service has been notified.
    Told(Finish),
    /// Another runner has the job.
    Silent,
    /// The runner stops or rests, and keeps the measurements for the next attempt.
    GivenBack(Finish),
}

/// Carries out a leased job.
pub(crate) struct Attempt<'a> {
    pub config: &'a RunnerConfig,
    pub client: &'a Client,
    pub leased: &'a Leased,
    pub stop: &'a AtomicBool,
}

impl Attempt<'_> {
    /// Carries out every step while the lease is renewed.
    pub(crate) fn carry_out(&self, folder: &JobFolder) -> Result<End, RunnerError> {
        let work: Work = match serde_json::from_value(self.leased.body.clone()) {
            Ok(work) => work,
            Err(cause) => {
                let reason = format!("this runner cannot read the job: {cause}; use the service's version");
                return Ok(End::Told(self.failed(Fault::Lab, reason, None)));
            }
        };
        let shared = Mutex::new(Shared { state: None, events: Vec::new(), answer: Renewed::Go });
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| self.supervise(&shared, &is_over));
            let end = self.all_steps(folder, &work, &shared);
            is_over.store(true, Ordering::SeqCst);
            end
        })
    }

    fn all_steps(&self, folder: &JobFolder, work: &Work, shared: &Mutex<Shared>) -> Result<End, RunnerError> {
        let mut chosen = Chosen::default();
        let (mut last, mut canary) = (None, None);
        for (number, step) in work.steps.iter().enumerate() {
            locked(shared).state = Some(step.state);
            let mut was_full = false;
            let ending = self.one_step(folder, work, step, shared, &mut chosen, &mut was_full)?;
            match locked(shared).answer {
                Renewed::Lost => return Ok(End::Silent),
                Renewed::Cancel if !is_done(ending.as_ref()) => {
                    return Ok(End::Told(self.finish(
                        State::Cancelled,
                        None,
                        "cancelled".to_owned(),
                        ending,
                    )));
                }
                _ if self.stop.load(Ordering::SeqCst) && !is_done(ending.as_ref()) => {
                    let reason = "its runner stops; finished measurements stay there".to_owned();
                    return Ok(End::GivenBack(self.finish(State::Queued, None, reason, None)));
                }
                Renewed::GiveBack if !is_done(ending.as_ref()) => {
                    let reason = "its runner rests; finished measurements stay there".to_owned();
                    return Ok(End::GivenBack(self.finish(State::Queued, None, reason, None)));
                }
                _ => {}
            }
            if step.is_canary {
                // A canary without a result is reported as missing, and ends no job.
                canary = ending;
                continue;
            }
            let is_last = number + 1 == work.steps.len();
            if let Some((fault, reason)) = fault_of(step, ending.as_ref(), is_last, &folder.log()) {
                let (fault, reason) = on_disk(fault, reason, was_full);
                return Ok(End::Told(self.failed(fault, reason, ending)));
            }
            last = ending;
        }
        if work.keeps_runs {
            let lease = Duration::from_millis(self.leased.lease_ms);
            let is_over = || locked(shared).answer != Renewed::Go || self.stop.load(Ordering::SeqCst);
            let (job, token) = (&self.leased.job, self.leased.token);
            let upload = Upload { client: self.client, job, token, is_over: &is_over };
            if !upload.send(&folder.database(), lease * 3, &self.config.report)? {
                let reason =
                    "its runner stops before its runs were sent; finished measurements stay there".to_owned();
                return Ok(match locked(shared).answer {
                    Renewed::Lost => End::Silent,
                    Renewed::Cancel => {
                        End::Told(self.finish(State::Cancelled, None, "cancelled".to_owned(), last))
                    }
                    Renewed::Go | Renewed::GiveBack => {
                        End::GivenBack(self.finish(State::Queued, None, reason, None))
                    }
                });
            }
        }
        let done = self.finish(State::Reported, None, "carried out".to_owned(), last);
        Ok(End::Told(Finish { canary, ..done }))
    }

    /// The last line of the step's process, if it wrote one.
    fn one_step(
        &self,
        folder: &JobFolder,
        work: &Work,
        step: &Step,
        shared: &Mutex<Shared>,
        chosen: &mut Chosen,
        was_full: &mut bool,
    ) -> Result<Option<Value>, RunnerError> {
        let (own, theirs) = channel_for(step, work, folder)?.unzip();
        std::thread::scope(|scope| {
            if let Some(channel) = own {
                scope.spawn(move || self.hand_credentials(&channel, work));
            }
            let process = Process::start(self.config, folder, step, work, theirs)?;
            self.follow(process, step, shared, chosen, was_full)
        })
    }

    /// Reads the output of a step's process until it has ended; returns its last line, if it wrote one.
    fn follow(
        &self,
        mut process: Process,
        step: &Step,
        shared: &Mutex<Shared>,
        chosen: &mut Chosen,
        was_full: &mut bool,
    ) -> Result<Option<Value>, RunnerError> {
        let mut ending = None;
        let mut has_ended = false;
        loop {
            *was_full |= is_full(self.config);
            match process.line(Duration::from_millis(200)) {
                Some(line) if line.get("event").and_then(Value::as_str) == Some("ended") => {
                    ending = Some(line)
                }
                Some(line) => {
                    let mut shared = locked(shared);
                    // Builds for other layouts come while measuring: the displayed state only moves forward.
                    let state = state_of(&line, step.state);
                    shared.state = shared.state.max(state);
                    if let Some(number) = chosen.choose(&line) {
                        shared.events.push((number, line));
                    }
                }
                // All its output was read.
                None if has_ended => return Ok(ending),
                None => {}
            }
            if locked(shared).answer != Renewed::Go || self.stop.load(Ordering::SeqCst) {
                process.ask_to_end();
            }
            has_ended = has_ended || process.has_ended()?;
        }
    }

    /// Renews the lease and sends events until the job is over or lost.
    fn supervise(&self, shared: &Mutex<Shared>, is_over: &AtomicBool) {
        let lease = Duration::from_millis(self.leased.lease_ms);
        // When the last answered request was sent: the lease begins no earlier.
        let mut heard = Instant::now();
        let (mut renewed, mut sent) = (heard, heard);
        let mut said = None;
        loop {
            if is_over.load(Ordering::SeqCst) {
                self.send_events(shared);
                return;
            }
            let state = locked(shared).state;
            if renewed.elapsed() >= lease / RENEWALS || state != said && renewed.elapsed() >= SENT_EVERY {
                renewed = Instant::now();
                if let Some(answer) = self.renew(state, lease.saturating_sub(heard.elapsed())) {
                    heard = renewed;
                    said = state;
                    let mut shared = locked(shared);
                    // A process that was asked to end does not continue when the runner may work again.
                    if !(shared.answer == Renewed::GiveBack && answer == Renewed::Go) {
                        shared.answer = answer;
                    }
                }
            }
            if heard.elapsed() > lease {
                (self.config.report)("the lease has ended; the job is stopped");
                locked(shared).answer = Renewed::Lost;
            }
            if locked(shared).answer == Renewed::Lost {
                return;
            }
            if heard == renewed && sent.elapsed() >= SENT_EVERY {
                self.send_events(shared);
                sent = Instant::now();
            }
            std::thread::sleep(LOOKS_EVERY);
        }
    }

    /// The answer, if one arrives during the lease.
    fn renew(&self, state: Option<State>, left: Duration) -> Option<Renewed> {
        let Leased { job, token, .. } = self.leased.clone();
        let within = self.patience().min(left.max(SENT_EVERY));
        match self.client.post_within(within, "/runner/v1/renew", &Renew { job, token, state }) {
            Ok(answer) => answer.map(|Renewal { answer }| answer),
            Err(error) => {
                (self.config.report)(&format!("the lease is not renewed: {error}"));
                None
            }
        }
    }

    /// The time limit of an answer: a broken network sends nothing, and the end of the lease must be noticed
    /// in time.
    fn patience(&self) -> Duration {
        (Duration::from_millis(self.leased.lease_ms) / RENEWALS).max(SENT_EVERY)
    }

    /// Unsent events are kept for the next time.
    fn send_events(&self, shared: &Mutex<Shared>) {
        let events = std::mem::take(&mut locked(shared).events);
        if events.is_empty() {
            return;
        }
        let Leased { job, token, .. } = self.leased.clone();
        let batch = Events { job, token, events };
        if self.client.post_within::<Value>(self.patience(), "/runner/v1/events", &batch).is_err() {
            let mut shared = locked(shared);
            let later = std::mem::replace(&mut shared.events, batch.events);
            shared.events.extend(later);
        }
    }

    fn failed(&self, fault: Fault, reason: String, ending: Option<Value>) -> Finish {
        self.finish(State::Failed, Some(fault), reason, ending)
    }

    fn finish(&self, state: State, fault: Option<Fault>, reason: String, ending: Option<Value>) -> Finish {
        let Leased { job, token, .. } = self.leased.clone();
        Finish { job, token, state, fault, reason, ending, canary: None }
    }
}

/// The service has reported the failure: the attempt is useless.
pub(crate) fn broken(leased: &Leased, error: &RunnerError) -> Finish {
    let Leased { job, token, .. } = leased.clone();
    let reason = error.to_string();
    Finish {
        job,
        token,
        state: State::Failed,
        fault: Some(Fault::Runner),
        reason,
        ending: None,
        canary: None,
    }
}

fn locked(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_done(ending: Option<&Value>) -> bool {
    ending.is_some_and(|ending| ending.get("outcome").is_some_and(|outcome| !outcome.is_null()))
}
