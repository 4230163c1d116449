//! One job: its state and the cause, its subject, steps, log and result.

use serde_json::Value;
use tlslab_forge::Kind;
use tlslab_pages::Target;
use tlslab_pages::service::{Fact, JobView, LogLine, StepView};
use tlslab_queue::{Canary, JobRow, State, Transition};

use super::command::{command, engine_job, needs, request};
use super::event_line::event_line;
use super::failure::{once, without_folders};
use super::outcome::outcome_view;
use super::words::{
    duration, fault_words, limited, line, lines, link, moment, short, state_class, state_words,
};
use crate::letters::quarantine_note;
use crate::pull_names::PullNames;
use crate::subject::Subject;

/// Failures and warnings that are shown before the log.
const MOST_PROBLEMS: usize = 20;

/// The inputs of a job's page.
pub(crate) struct Parts<'a> {
    /// The job.
    pub job: &'a JobRow,
    /// Its steps.
    pub transitions: &'a [Transition],
    /// The token of its newest attempt that has events.
    pub token: u64,
    /// Those events.
    pub events: &'a [(u64, Value)],
    /// Whether there are earlier ones.
    pub is_cut: bool,
    /// Its result: the last line of `tlslab work`.
    pub ending: Option<&'a Value>,
    /// The result of its runner's canary.
    pub canary: Option<&'a Canary>,
    /// The repository that it is about.
    pub repository: Option<Repository>,
    /// Titles and branches of pull requests.
    pub names: &'a PullNames,
    /// This moment.
    pub now_unix_ms: u64,
}

/// A repository on a code host.
pub(crate) struct Repository {
    /// Which code host.
    pub kind: Kind,
    /// Where people see it: `https://HOST/OWNER/NAME`.
    pub page: String,
}

impl Repository {
    /// The pages of the API's address and the path; none for an API whose pages are unknown.
    pub(crate) fn new(kind: Kind, api: &str, path: &str) -> Option<Self> {
        let api = api.trim_end_matches('/');
        let host = match kind {
            Kind::Github if api == "https://api.github.com" => "https://github.com",
            Kind::Github => api.strip_suffix("/api/v3")?,
            Kind::Gitlab => api.strip_suffix("/api/v4")?,
            Kind::Gitea => api.strip_suffix("/api/v1")?,
        };
        Some(Self { kind, page: link(&format!("{host}/{path}"))? })
    }

    fn commit(&self, commit: &str) -> Option<String> {
        if !commit.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let between = if self.kind == Kind::Gitlab { "/-" } else { "" };
        link(&format!("{}{between}/commit/{commit}", self.page))
    }

    /// The page of a pull request's changes.
    pub(crate) fn diff(&self, number: u64) -> Option<String> {
        let end = if self.kind == Kind::Gitlab { "diffs" } else { "files" };
        link(&format!("{}/{end}", self.pull(number)?))
    }

    fn pull(&self, number: u64) -> Option<String> {
        let below = match self.kind {
            Kind::Github => "pull",
            Kind::Gitlab => "-/merge_requests",
            Kind::Gitea => "pulls",
        };
        link(&format!("{}/{below}/{number}", self.page))
    }
}

/// The view of a job from its parts.
pub(crate) fn job_view(parts: &Parts<'_>) -> JobView {
    let job = parts.job;
    let reason = match &job.verdict {
        Some(verdict) => verdict.title.clone(),
        None => without_folders(&job.reason),
    };
    let (first, rest) = reason.split_once('\n').unwrap_or((&reason, ""));
    let log: Vec<LogLine> = parts.events.iter().filter_map(|(_, event)| event_line(event)).collect();
    let last = parts.events.last().map(|(number, _)| format!("{}.{number}", parts.token));
    let request = request(&job.body);
    let mut outcome = parts.ending.map(outcome_view).unwrap_or_default();
    let (mut problems, mut steps) = (problems(&log), steps(parts.transitions));
    if job.state == State::Failed {
        once(&reason, &mut outcome, &mut problems, &mut steps);
    }
    JobView {
        id: job.id.clone(),
        title: parts.names.named(job).title,
        class: state_class(job),
        state: state_words(job),
        is_ended: job.state.is_ended(),
        reason: line(first),
        last_lines: lines(rest),
        fault: job.fault.filter(|_| job.state == State::Failed).map_or("", fault_words),
        facts: facts(parts),
        steps,
        progress: progress(parts),
        log_end: last.unwrap_or_default(),
        is_log_cut: parts.is_cut,
        outcome,
        needs: request.as_ref().map(needs).unwrap_or_default(),
        command: request.as_ref().and_then(command).map(|command| limited(&command, 4_000)),
        has_engine_job: engine_job(&job.body).is_some(),
        has_result: parts.ending.is_some(),
        problems,
        related: related(parts),
        actions: Default::default(),
        log,
    }
}

/// Failures and warnings of a log, each once, the last ones.
fn problems(log: &[LogLine]) -> Vec<LogLine> {
    let mut problems: Vec<LogLine> = Vec::new();
    for line in log.iter().filter(|line| ["error", "warning"].contains(&line.kind)) {
        problems.retain(|known| known.text != line.text);
        problems.push(line.clone());
    }
    problems.split_off(problems.len().saturating_sub(MOST_PROBLEMS))
}

/// Pages about a job's result and its pull request.
fn related(parts: &Parts<'_>) -> Vec<(String, Target)> {
    let mut related = Vec::new();
    if parts
        .ending
        .is_some_and(|ending| ending.pointer("/outcome/kind").is_some_and(|kind| kind == "comparison"))
    {
        related.push(("Every cell of the comparison".to_owned(), Target::Comparison(parts.job.id.clone())));
    }
    if let Some(Subject::Pull(pull)) = Subject::of(parts.job) {
        let target = Target::PullRequest(parts.job.project.clone(), pull.number);
        related.push((format!("All measurements of pull request {}", pull.number), target));
    }
    related
}

fn fact(name: &'static str, text: impl Into<String>) -> Fact {
    Fact { name, text: limited(&line(&text.into()), 500), ..Fact::default() }
}

fn facts(parts: &Parts<'_>) -> Vec<Fact> {
    let job = parts.job;
    let project = Some(job.project.clone()).filter(|project| !project.is_empty()).map(Target::Project);
    let mut facts = vec![Fact { target: project, ..fact("Project", &job.project) }];
    facts.extend(subject_facts(job, parts.repository.as_ref()));
    if let Some(Subject::Pull(pull)) = Subject::of(job) {
        let branch = parts.names.branch(&job.project, pull.number);
        facts.extend((!branch.is_empty()).then(|| fact("Branch", branch)));
    }
    if let Some(runner) = &job.runner {
        facts.push(fact("Runner", runner));
    }
    if let Some(canary) = parts.canary {
        let text = match canary.is.verdict.is_bad() {
            true => quarantine_note(canary),
            false => format!("{}: {}", canary.is.verdict.name(), canary.is.cause),
        };
        facts.push(fact("Canary", text));
    }
    if !job.labels.is_empty() {
        facts.push(fact("Needs", job.labels.join(", ")));
    }
    let trust = engine_job(&job.body).and_then(|job| job.get("trust")).and_then(Value::as_str);
    if let Some(trust) = trust {
        let where_ = if job.needs_sandbox { "in a sandbox" } else { "without a sandbox" };
        facts.push(fact("Trust", format!("{trust}, {where_}")));
    }
    if job.attempts > 0 {
        facts.push(fact("Failed attempts", format!("{} of {}", job.attempts, job.most_attempts)));
    }
    if let Some(position) = job.position {
        facts.push(fact("Position", position.to_string()));
    }
    if let Some(cancel) = &job.cancel {
        facts.push(fact("To be cancelled", cancel));
    }
    if let Some(newer) = &job.superseded_by {
        let is_id = newer.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'-');
        facts
            .push(Fact { target: is_id.then(|| Target::Job(newer.clone())), ..fact("Superseded by", newer) });
    }
    facts
}

/// Facts on a job's subject: commits and people.
pub(crate) fn subject_facts(job: &JobRow, repository: Option<&Repository>) -> Vec<Fact> {
    let commit = |name: &'static str, commit: &str| Fact {
        address: repository.and_then(|repository| repository.commit(commit)),
        ..fact(name, short(commit))
    };
    match Subject::of(job) {
        Some(Subject::Pull(pull)) => {
            let mut facts = vec![
                Fact {
                    address: repository.and_then(|repository| repository.pull(pull.number)),
                    ..fact("Pull request", pull.number.to_string())
                },
                commit("Candidate", &pull.commit),
                commit("Baseline", &pull.baseline),
                fact("Author", &pull.author),
            ];
            if pull.is_fork {
                facts.push(fact("From", "another repository"));
            }
            facts.extend(pull.asked_by.iter().map(|who| fact("Asked by", who)));
            facts
        }
        Some(Subject::Merging(merging)) => vec![
            fact("Merge queue", &merging.branch),
            commit("Candidate", &merging.commit),
            commit("Baseline", &merging.baseline),
        ],
        Some(Subject::Push(push)) => {
            let before = push.before.iter().map(|before| commit("Before", before));
            let own = [fact("Branch", &push.branch), commit("Commit", &push.commit)];
            own.into_iter().chain(before).collect()
        }
        Some(Subject::Range(range)) => vec![
            fact("Branch", &range.branch),
            commit("Commit", &range.commit),
            commit("Not slower", &range.good),
            commit("Slower", &range.bad),
            fact("Commits between", range.commits.len().to_string()),
            fact("Found", &range.found),
        ],
        Some(Subject::Schedule { name }) => vec![fact("Schedule", name)],
        Some(Subject::Submitted { by, .. }) => vec![fact("Submitted by", by)],
        Some(Subject::Check { runner }) => {
            vec![fact("Checked", format!("whether runner {runner} is as before"))]
        }
        None => Vec::new(),
    }
}

fn steps(transitions: &[Transition]) -> Vec<StepView> {
    let next = transitions.iter().skip(1).map(|step| Some(step.at_unix_ms)).chain([None]);
    let each = transitions.iter().zip(next).map(|(step, next)| StepView {
        at: moment(step.at_unix_ms),
        to: step.to.to_string(),
        cause: limited(&without_folders(&lines(&step.cause)), 500),
        took: next.map(|next| duration(next.saturating_sub(step.at_unix_ms))).unwrap_or_default(),
    });
    each.collect()
}

/// The progress of a runner, by its last reported step.
fn progress(parts: &Parts<'_>) -> String {
    if !parts.job.state.is_leased() {
        return String::new();
    }
    let steps =
        parts.events.iter().rev().filter(|(_, event)| event.get("event").is_some_and(|kind| kind == "step"));
    let step = steps.filter_map(|(_, event)| event_line(event)).next();
    let since = duration(parts.now_unix_ms.saturating_sub(parts.job.leased_unix_ms));
    match step {
        Some(step) => format!("{}; for {since} so far", step.text),
        None => format!("for {since} so far"),
    }
}
