//! The list of jobs: the state of each, its cause, and when it starts.

use std::collections::BTreeMap;

use serde_json::Value;
use tlslab_pages::service::{JobLine, RunnerLine};
use tlslab_queue::{Canary, Duty, Fault, JobRow, Runner, State};
use tlslab_text::number::counted;

use crate::pull_names::{Named, PullNames};
use crate::runners::labels_of;
use crate::subject::Subject;

use super::failure::without_folders;
use super::words::{about, duration, limited, line, moment, state_class, state_words, title};

/// A runner that was not heard of for longer takes no job, ms.
pub(crate) const SILENT_MS: u64 = 120_000;
/// So many failures in a row are worth a look.
const FAILING: usize = 3;

/// The machines that take jobs, and how long jobs take.
pub(crate) struct Outlook {
    now_unix_ms: u64,
    runners: Vec<Runner>,
    names: PullNames,
    medians: BTreeMap<String, u64>,
    median: Option<u64>,
}

impl Outlook {
    /// From jobs that have ended.
    pub(crate) fn new(now_unix_ms: u64, runners: Vec<Runner>, ended: &[JobRow], names: PullNames) -> Self {
        let mut took: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut all = Vec::new();
        for job in ended.iter().filter(|job| job.state == State::Reported && job.leased_unix_ms > 0) {
            let ms = job.ended_unix_ms.saturating_sub(job.leased_unix_ms);
            took.entry(job.project.clone()).or_default().push(ms);
            all.push(ms);
        }
        let medians =
            took.into_iter().filter_map(|(project, times)| Some((project, median(times)?))).collect();
        Self { now_unix_ms, runners, names, medians, median: median(all) }
    }

    fn awake(&self) -> impl Iterator<Item = &Runner> {
        let is_awake = |runner: &&Runner| {
            runner.seen_unix_ms > 0 && self.now_unix_ms.saturating_sub(runner.seen_unix_ms) <= SILENT_MS
        };
        self.runners.iter().filter(is_awake)
    }

    /// Runners that can take a job.
    fn fitting(&self, job: &JobRow) -> usize {
        let fits = |runner: &&Runner| {
            let (labels, is_it) = (labels_of(runner), |only: &String| *only == runner.name);
            job.labels.iter().all(|label| labels.contains(label))
                && job.only_runner.as_ref().is_none_or(is_it)
        };
        let takes_jobs = |runner: &&Runner| match runner.duty {
            Duty::Works => true,
            Duty::Quarantined => job.only_runner.is_some(),
            Duty::Drains | Duty::Paused => false,
        };
        self.awake().filter(takes_jobs).filter(fits).count()
    }

    /// When a queued job starts: those before it are shared by the runners that could take it.
    fn starts(&self, job: &JobRow) -> String {
        let runners = self.fitting(job) as u64;
        let median = self.medians.get(&job.project).copied().or(self.median);
        match (job.state, job.position, median, runners) {
            (State::Queued, Some(_), _, 0) => "when a runner comes".to_owned(),
            (State::Queued, Some(1), ..) => "next".to_owned(),
            (State::Queued, Some(position), Some(median), runners) => {
                format!("in {}", about((position - 1).div_ceil(runners).saturating_mul(median)))
            }
            (State::Queued, ..) => "unknown: no job has ended yet".to_owned(),
            _ => String::new(),
        }
    }

    fn why(&self, job: &JobRow) -> String {
        if job.state != State::Queued {
            let first = job.reason.lines().next().unwrap_or_default();
            return limited(&without_folders(&line(first)), 300);
        }
        if job.not_before_unix_ms > self.now_unix_ms {
            let left = duration(job.not_before_unix_ms - self.now_unix_ms);
            return limited(&line(&format!("waits for {left}: {}", job.reason)), 300);
        }
        if self.awake().next().is_none() {
            return "no runner is connected".to_owned();
        }
        if self.fitting(job) == 0 {
            let resting = self.awake().filter(|runner| runner.duty != Duty::Works);
            let resting: Vec<String> =
                resting.map(|runner| format!("{} {}", runner.name, resting_words(runner.duty))).collect();
            let why = match resting.is_empty() {
                true => format!("no connected runner has all of: {}", job.labels.join(", ")),
                false => format!("every runner that may take it rests: {}", resting.join(", ")),
            };
            return limited(&line(&why), 300);
        }
        match job.position {
            Some(1) | None => "waits for a runner that is free".to_owned(),
            Some(position) => format!("{} before it", counted(position - 1, "job")),
        }
    }

    /// How long the oldest of these jobs has waited for a runner, and for which; empty if none waits.
    pub(crate) fn oldest_wait(&self, open: &[JobRow]) -> String {
        let queued = open
            .iter()
            .filter(|job| job.state == State::Queued && job.not_before_unix_ms <= self.now_unix_ms);
        let Some(oldest) = queued.min_by_key(|job| job.created_unix_ms) else { return String::new() };
        let waited = duration(self.now_unix_ms.saturating_sub(oldest.created_unix_ms));
        let runner = match (&oldest.only_runner, oldest.labels.as_slice()) {
            (Some(name), _) => format!("runner {name}"),
            (None, []) => "a runner".to_owned(),
            (None, [label]) => format!("a runner with label {label}"),
            (None, labels) => format!("a runner with labels {}", labels.join(", ")),
        };
        limited(&line(&format!("The oldest job has waited {waited} for {runner}.")), 300)
    }

    /// A job that has not ended.
    pub(crate) fn open(&self, job: &JobRow) -> JobLine {
        let age = duration(self.now_unix_ms.saturating_sub(job.created_unix_ms));
        let runner = if job.state.is_leased() { job.runner.clone() } else { None };
        JobLine { age, runner: line(&runner.unwrap_or_default()), ..self.line(job, job.created_unix_ms) }
    }

    /// A job that has ended.
    pub(crate) fn ended(&self, job: &JobRow) -> JobLine {
        let began = if job.leased_unix_ms > 0 { job.leased_unix_ms } else { job.ended_unix_ms };
        let age = duration(job.ended_unix_ms.saturating_sub(began));
        let runner = line(job.runner.as_deref().unwrap_or_default());
        JobLine { age, runner, ..self.line(job, job.ended_unix_ms) }
    }

    fn line(&self, job: &JobRow, at_unix_ms: u64) -> JobLine {
        let Named { title, detail } = self.names.named(job);
        JobLine {
            id: job.id.clone(),
            title,
            detail,
            project: line(&job.project),
            class: state_class(job),
            state: state_words(job),
            why: self.why(job),
            position: job.position.map(|position| position.to_string()).unwrap_or_default(),
            starts: self.starts(job),
            runner: String::new(),
            at: moment(at_unix_ms),
            age: String::new(),
            asked_by: asked_by(job),
            priority: job.priority,
            retries: match job.attempts {
                0 => String::new(),
                failed => format!("{failed} of {} attempts failed", job.most_attempts),
            },
        }
    }
}

/// Who requested a job, if its subject has it.
fn asked_by(job: &JobRow) -> String {
    let who = match Subject::of(job) {
        Some(Subject::Pull(pull)) => pull.asked_by.unwrap_or(pull.author),
        Some(Subject::Submitted { by, .. }) => by,
        Some(Subject::Schedule { name }) => format!("schedule {name}"),
        Some(Subject::Merging(_)) => "the merge queue".to_owned(),
        Some(Subject::Push(push)) => format!("a push to {}", push.branch),
        Some(Subject::Range(_)) => "the search for a regression".to_owned(),
        Some(Subject::Check { .. }) => "the quarantine of a runner".to_owned(),
        None => String::new(),
    };
    limited(&line(&who), 100)
}

/// Projects with only failures among their last jobs, and jobs that needed further attempts; `ended` has the
/// newest first.
pub(crate) fn alerts(open: &[JobRow], ended: &[JobRow]) -> Vec<String> {
    let mut in_a_row: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for job in ended.iter().filter(|job| matches!(job.state, State::Failed | State::Reported)) {
        let (count, is_over) = in_a_row.entry(&job.project).or_default();
        *is_over |= job.state == State::Reported;
        *count += usize::from(!*is_over);
    }
    let failing = in_a_row.into_iter().filter(|(_, (count, _))| *count >= FAILING);
    let failing = failing.map(|(project, (count, _))| {
        format!("The last {count} jobs of {} failed", limited(&line(project), 100))
    });
    let lost = open.iter().filter(|job| job.attempts > 0).map(|job| {
        format!("{} is tried again: {} of {} attempts failed", title(job), job.attempts, job.most_attempts)
    });
    failing.chain(lost).take(10).collect()
}

fn median(mut times: Vec<u64>) -> Option<u64> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

/// A runner, its work, and the outcomes of its last jobs.
pub(crate) fn runner_line(
    runner: &Runner,
    now_unix_ms: u64,
    (open, ended): (&[JobRow], &[JobRow]),
    canaries: &[Canary],
) -> RunnerLine {
    let since = now_unix_ms.saturating_sub(runner.seen_unix_ms);
    let (class, state) = match (runner.seen_unix_ms, runner.duty) {
        (0, _) => ("quiet", "never connected"),
        (_, duty) if since <= SILENT_MS && duty != Duty::Works => ("warning", resting_words(duty)),
        _ if since <= SILENT_MS => ("good", "connected"),
        _ => ("warning", "silent"),
    };
    let has = |job: &&JobRow| job.state.is_leased() && job.runner.as_ref() == Some(&runner.name);
    let facts = runner.facts.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let facts = facts.take(20).map(|(name, value)| {
        let text = match (name.as_str(), value.as_u64()) {
            ("free_bytes", Some(bytes)) => format!("{:.1} GB", bytes as f64 / 1e9),
            _ => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        };
        (fact_name(name), limited(&line(&text), 300))
    });
    let mut facts: Vec<(String, String)> = of_duty(runner, canaries).into_iter().chain(facts).collect();
    if runner.seen_unix_ms > 0 && runner.facts.get("no_sandbox").is_some_and(Value::is_null) {
        facts.push(("Sandbox".to_owned(), "works".to_owned()));
    }
    RunnerLine {
        name: line(&runner.name),
        class,
        state,
        is_connected: runner.seen_unix_ms > 0 && since <= SILENT_MS,
        labels: line(&labels_of(runner).join(", ")),
        seen: moment(runner.seen_unix_ms),
        since: duration(since),
        facts,
        unknown: Vec::new(),
        job: open.iter().find(has).map(|job| (job.id.clone(), title(job))),
        last_jobs: last_jobs(runner, ended),
    }
}

/// A runner's duty and its cause, its quiet hours, and the result of its canary.
fn of_duty(runner: &Runner, canaries: &[Canary]) -> Vec<(String, String)> {
    let fact = |name: &str, text: String| (name.to_owned(), limited(&line(&text), 300));
    let mut facts = Vec::new();
    if runner.duty != Duty::Works {
        let since = moment(runner.duty_unix_ms).map(|at| format!(" (since {})", at.text)).unwrap_or_default();
        facts.push(fact("Why", format!("{}{since}", runner.duty_cause)));
    }
    if !runner.quiet.is_empty() {
        facts.push(fact("Quiet hours", format!("{}, UTC", runner.quiet)));
    }
    match canaries.first() {
        Some(newest) => {
            facts.push(fact("Canary", format!("{}: {}", newest.is.verdict.name(), newest.is.cause)))
        }
        None => facts.push(fact("Canary", "not measured yet".to_owned())),
    }
    facts
}

fn resting_words(duty: Duty) -> &'static str {
    match duty {
        Duty::Works => "works",
        Duty::Drains => "takes no more jobs",
        Duty::Paused => "paused",
        Duty::Quarantined => "in quarantine",
    }
}

fn fact_name(name: &str) -> String {
    match name {
        "host" => "Machine".to_owned(),
        "version" => "Version of the lab".to_owned(),
        "no_sandbox" => "No sandbox".to_owned(),
        "free_bytes" => "Free disk".to_owned(),
        "class" => "Class of times".to_owned(),
        "places_for_counts" => "Places for counts".to_owned(),
        other => limited(&line(&other.replace('_', " ")), 50),
    }
}

fn last_jobs(runner: &Runner, ended: &[JobRow]) -> String {
    let own: Vec<&JobRow> = ended.iter().filter(|job| job.runner.as_ref() == Some(&runner.name)).collect();
    if own.is_empty() {
        return String::new();
    }
    let count = |is: fn(&JobRow) -> bool| own.iter().filter(|job| is(job)).count();
    let done = count(|job| job.state == State::Reported);
    let own_fault = count(|job| matches!(job.fault, Some(Fault::Runner | Fault::Lab)));
    format!("{done} of {} done, {own_fault} failed by the runner or the lab", own.len())
}
