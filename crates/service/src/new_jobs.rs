//! The work of each subject: the job of the queue with its steps.

use serde_json::{Value, json};
use tlslab_job::FORMAT;
use tlslab_job::Request;
use tlslab_lab::{JobId, Trust};
use tlslab_lab::{request::CompareRequest, request::RunRequest};
use tlslab_protocol::Measure;
use tlslab_queue::{Approval, Fault, NewJob, Runner, State, hash_key};
use tlslab_runner::{Cache, Step, Work};

use crate::commands::CompareCommand;
use crate::config::{CanaryConfig, ProjectConfig, ScheduleConfig};
use crate::private::addresses;
use crate::subject::{MergingSubject, PullSubject, PushSubject, RangeSubject, Subject};

/// Priorities: a blocked merge queue first, then people who wait for an answer.
const MERGING: i64 = 60;
const PULL: i64 = 50;
const PUSH: i64 = 30;
const RANGE: i64 = 20;
const SCHEDULE: i64 = 10;

/// How often a job is tried if the lab or its runners fail.
const ATTEMPTS: u32 = 3;

/// The text that all jobs of a pull request share: a newer one takes the place of the others.
pub(crate) fn pull_group(project: &str, number: u64) -> String {
    format!("pull:{project}:{number}")
}

/// The text that measurements of a pull request share which do not decide its status.
pub(crate) fn aside_group(group: &str) -> String {
    format!("{group}:aside")
}

/// The text that all jobs of a merge queue's reference share.
pub(crate) fn merging_group(project: &str, branch: &str) -> String {
    format!("merging:{project}:{branch}")
}

/// The inputs of a pull request's job.
pub(crate) struct PullJob {
    /// The pull request and its commits.
    pub subject: PullSubject,
    /// The approval that it needs.
    pub approval: Approval,
    /// The identity of the request, such as a comment's identifier; without one the same commits are the same
    /// job.
    pub asked: Option<String>,
    /// How many jobs its head has already: identifiers differ by it.
    pub known: usize,
    /// Why.
    pub cause: String,
}

/// The comparison of a pull request.
pub(crate) fn pull_job(
    project: &ProjectConfig,
    clone_url: &str,
    asked: PullJob,
    command: &CompareCommand,
) -> Result<NewJob, String> {
    let PullJob { subject: pull, approval, asked, known, cause } = asked;
    let name = project.name.get_ref();
    let is_aside = pull.aside.is_some();
    let group = pull_group(name, pull.number);
    let group = if is_aside { aside_group(&group) } else { group };
    let asked = asked.as_deref().unwrap_or("0");
    let dedup = format!("{group}:{}:{}:{asked}", pull.commit, pull.baseline);
    let key = if known == 0 { dedup.clone() } else { format!("{dedup}:{known}") };
    let id = id(&format!("{name}-pr{}-{}", pull.number, short(&pull.commit)), &key);
    let stacks = if command.stacks.is_empty() { &project.stacks } else { &command.stacks };
    let compare = CompareRequest {
        metrics: match command.metrics.is_empty() {
            true => project.compare.metrics.clone(),
            false => command.metrics.clone(),
        },
        scenarios: match command.scenarios.is_empty() {
            true => project.compare.scenarios.clone(),
            false => command.scenarios.clone(),
        },
        suite: command.suite.clone().unwrap_or_else(|| project.compare.suite.clone()),
        decision: tlslab_lab::request::Decision {
            budget_s: command.budget.or(project.compare.decision.budget_s),
            ..project.compare.decision.clone()
        },
        ..project.compare.clone()
    };
    let mut steps = match pull.is_unchanged {
        true => Vec::new(),
        false => comparison(&id, clone_url, stacks, &pull.baseline, &pull.commit, compare)?,
    };
    if command.against.is_some() {
        // It may be any commit, not only one of the branch.
        steps.iter_mut().for_each(|step| step.cache = Cache::Own);
    }
    let work = work(project, clone_url, steps, false)?;
    Ok(NewJob {
        dedup: Some(dedup),
        supersedes: Some(group),
        priority: PULL,
        approval,
        head: (!is_aside).then(|| pull.commit.clone()),
        is_answered: pull.is_unchanged,
        ..new_job(project, id, &Subject::Pull(pull), &work, cause)
    })
}

/// The comparison of a commit that a merge queue is about to merge.
pub(crate) fn merging_job(
    project: &ProjectConfig,
    clone_url: &str,
    merging: MergingSubject,
    cause: String,
) -> Result<NewJob, String> {
    let name = project.name.get_ref();
    let group = merging_group(name, &merging.branch);
    let dedup = format!("{group}:{}:{}", merging.commit, merging.baseline);
    let id = id(&format!("{name}-merging-{}", short(&merging.commit)), &dedup);
    let (baseline, commit) = (&merging.baseline, merging.commit.clone());
    let steps = comparison(&id, clone_url, &project.stacks, baseline, &commit, project.compare.clone())?;
    let work = work(project, clone_url, steps, false)?;
    Ok(NewJob {
        dedup: Some(dedup),
        supersedes: Some(group),
        priority: MERGING,
        head: Some(commit),
        ..new_job(project, id, &Subject::Merging(merging), &work, cause)
    })
}

/// A commit of the branch, measured into the history. `known` is how many jobs of it failed by the lab:
/// identifiers differ by it.
pub(crate) fn push_job(
    project: &ProjectConfig,
    clone_url: &str,
    push: PushSubject,
    run: &RunRequest,
    known: usize,
    cause: String,
) -> Result<NewJob, String> {
    let name = project.name.get_ref();
    let dedup = format!("push:{name}:{}", push.commit);
    let key = if known == 0 { dedup.clone() } else { format!("{dedup}:{known}") };
    let id = id(&format!("{name}-{}", short(&push.commit)), &key);
    let stacks = specs(&project.stacks, clone_url, &push.commit)?;
    let run = RunRequest { stacks: stacks.clone(), ..into_history(run) };
    let steps = vec![
        build(&format!("{id}-c"), stacks, Cache::Shared, State::BuildingCandidate, Fault::Candidate),
        step(&id, Trust::Candidate, &Request::Run(Box::new(run)), Cache::Shared, Fault::Lab),
    ];
    let work = work(project, clone_url, steps, true)?;
    let job = new_job(project, id, &Subject::Push(push), &work, cause);
    Ok(NewJob { dedup: Some(dedup), priority: PUSH, ..job })
}

/// A commit of the branch against an earlier one, which may be faster.
pub(crate) fn range_job(
    project: &ProjectConfig,
    clone_url: &str,
    range: RangeSubject,
    cause: String,
) -> Result<NewJob, String> {
    let name = project.name.get_ref();
    let dedup = format!("range:{name}:{}:{}:{}", range.good, range.bad, range.commit);
    let id = id(&format!("{name}-{}-{}", short(&range.good), short(&range.commit)), &dedup);
    let mut compare = project.compare.clone();
    if let Some(cell) = &range.cell {
        compare.scenarios = vec![cell.scenario.clone()];
    }
    let mut steps = comparison(&id, clone_url, &project.stacks, &range.good, &range.commit, compare)?;
    // Both are commits of the branch.
    for step in &mut steps {
        step.cache = Cache::Shared;
    }
    let work = work(project, clone_url, steps, false)?;
    let job = new_job(project, id, &Subject::Range(range), &work, cause);
    Ok(NewJob { dedup: Some(dedup), priority: RANGE, ..job })
}

/// The measurement of a schedule. Its stacks are those of its configuration, which is the owner's: as in the
/// lab's own recipes.
pub(crate) fn schedule_job(schedule: &ScheduleConfig, at_unix_ms: u64) -> NewJob {
    let name = schedule.name.get_ref();
    let dedup = format!("schedule:{name}:{at_unix_ms}");
    let id = id(&format!("at-{name}"), &dedup);
    let request = Request::Run(Box::new(into_history(&schedule.run)));
    let steps = vec![step(&id, Trust::Owner, &request, Cache::Shared, Fault::Lab)];
    let work = Work { keeps_runs: true, ..Work::of(steps) };
    NewJob {
        id,
        project: String::new(),
        subject: subject(&Subject::Schedule { name: name.clone() }),
        body: serde_json::to_value(work).unwrap_or(Value::Null),
        labels: schedule.labels.clone(),
        needs_sandbox: false,
        is_timed: is_timed(&schedule.run.metrics),
        only_runner: None,
        priority: SCHEDULE,
        dedup: Some(dedup),
        supersedes: None,
        approval: Approval::NotNeeded,
        head: None,
        most_attempts: ATTEMPTS,
        delay_ms: 0,
        is_answered: false,
        cause: format!("schedule {name}"),
    }
}

/// The text that all checks of a runner share.
pub(crate) fn check_group(runner: &str) -> String {
    format!("check:{runner}")
}

/// The job that times only a runner's canary.
pub(crate) fn check_job(runner: &Runner, last_unix_ms: u64, delay_ms: u64) -> NewJob {
    let group = check_group(&runner.name);
    let dedup = format!("{group}:{last_unix_ms}");
    let work = Work::of(Vec::new());
    NewJob {
        id: id(&format!("check-{}", runner.name), &dedup),
        project: String::new(),
        subject: subject(&Subject::Check { runner: runner.name.clone() }),
        body: serde_json::to_value(work).unwrap_or(Value::Null),
        labels: Vec::new(),
        needs_sandbox: false,
        is_timed: true,
        only_runner: Some(runner.name.clone()),
        priority: PULL,
        dedup: Some(dedup),
        supersedes: Some(group),
        approval: Approval::NotNeeded,
        head: None,
        most_attempts: 1,
        delay_ms,
        is_answered: false,
        cause: format!("runner {} is in quarantine: {}", runner.name, runner.duty_cause),
    }
}

/// A job as a runner receives it: preceded by the canary.
pub(crate) fn with_canary(id: &str, token: u64, body: Value, canary: &CanaryConfig) -> Value {
    let Ok(mut work) = serde_json::from_value::<Work>(body.clone()) else { return body };
    let run = RunRequest {
        stacks: vec![canary.stack.clone()],
        suite: Some(canary.suite.clone()),
        metrics: vec![Measure::Time],
        budget_s: Some(canary.budget_s),
        ..RunRequest::default()
    };
    let request = Request::Run(Box::new(run));
    // Each lease has its own: a canary timed before the job waited again does not apply.
    let id = format!("canary-{}", &hash_key(&format!("{id} {token}"))[..16]);
    let step = step(&id, Trust::Owner, &request, Cache::Shared, Fault::Runner);
    work.steps.insert(work.steps.len().saturating_sub(1), Step { is_canary: true, ..step });
    serde_json::to_value(work).unwrap_or(body)
}

/// Whether a request with these metrics measures time; it does if it names none.
pub(crate) fn is_timed(metrics: &[Measure]) -> bool {
    metrics.is_empty() || metrics.contains(&Measure::Time)
}

/// Whether a step measures time. Builds and counts do not; unknown steps may.
pub(crate) fn step_is_timed(job: &Value) -> bool {
    match job.pointer("/request/kind").and_then(Value::as_str) {
        Some("build" | "count") => false,
        _ => job.pointer("/request/metrics").and_then(Value::as_array).is_none_or(|metrics| {
            metrics.is_empty() || metrics.iter().any(|metric| metric.as_str() == Some(Measure::Time.name()))
        }),
    }
}

/// Times of a history are ratios to a canary, unless the configuration wants none.
fn into_history(run: &RunRequest) -> RunRequest {
    let canary = run.canary.clone().or_else(|| Some(tlslab_lab::OF_PROJECT.to_owned()));
    RunRequest { canary, ..run.clone() }
}

fn new_job(project: &ProjectConfig, id: String, about: &Subject, work: &Work, cause: String) -> NewJob {
    NewJob {
        id,
        project: project.name.get_ref().clone(),
        subject: subject(about),
        body: serde_json::to_value(work).unwrap_or(Value::Null),
        labels: project.labels.clone(),
        // It builds and runs a repository's code.
        needs_sandbox: true,
        is_timed: work.steps.iter().any(|step| step_is_timed(&step.job)),
        only_runner: None,
        priority: 0,
        dedup: None,
        supersedes: None,
        approval: Approval::NotNeeded,
        head: None,
        most_attempts: ATTEMPTS,
        delay_ms: 0,
        is_answered: false,
        cause,
    }
}

fn work(
    project: &ProjectConfig,
    clone_url: &str,
    steps: Vec<Step>,
    keeps_runs: bool,
) -> Result<Work, String> {
    let allowed_origins = vec![origin(clone_url)?];
    Ok(Work { keeps_runs, allowed_origins, private: addresses(project, clone_url)?, ..Work::of(steps) })
}

/// The baseline is built in the shared cache, the candidate in the job's own.
fn comparison(
    id: &str,
    clone_url: &str,
    stacks: &[String],
    baseline: &str,
    candidate: &str,
    compare: CompareRequest,
) -> Result<Vec<Step>, String> {
    let (baselines, candidates) = (specs(stacks, clone_url, baseline)?, specs(stacks, clone_url, candidate)?);
    let pairs = baselines.iter().cloned().zip(candidates.iter().cloned()).collect();
    let compare = CompareRequest { pairs, ..compare };
    Ok(vec![
        build(&format!("{id}-b"), baselines, Cache::Shared, State::BuildingBaseline, Fault::Baseline),
        build(&format!("{id}-c"), candidates, Cache::Own, State::BuildingCandidate, Fault::Candidate),
        step(id, Trust::Candidate, &Request::Compare(Box::new(compare)), Cache::Own, Fault::Lab),
    ])
}

fn build(id: &str, stacks: Vec<String>, cache: Cache, state: State, fault: Fault) -> Step {
    let request = json!({"kind": "build", "stacks": stacks});
    Step { job: job(id, Trust::Candidate, request), cache, state, fault, is_canary: false }
}

fn step(id: &str, trust: Trust, request: &Request, cache: Cache, fault: Fault) -> Step {
    let request = serde_json::to_value(request).unwrap_or(Value::Null);
    Step { job: job(id, trust, request), cache, state: State::BuildingCandidate, fault, is_canary: false }
}

fn job(id: &str, trust: Trust, request: Value) -> Value {
    json!({"format": FORMAT, "id": id, "trust": trust.name(), "request": request})
}

fn subject(subject: &Subject) -> Value {
    serde_json::to_value(subject).unwrap_or(Value::Null)
}

/// Stacks at a commit.
fn specs(stacks: &[String], clone_url: &str, commit: &str) -> Result<Vec<String>, String> {
    let is_commit = [40, 64].contains(&commit.len()) && commit.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_commit {
        return Err("a commit is 40 or 64 hexadecimal digits".to_owned());
    }
    origin(clone_url)?;
    let spec = |stack: &String| match stack.split_once('+') {
        Some((name, variants)) => format!("{name}@git:{clone_url}#{commit}+{variants}"),
        None => format!("{stack}@git:{clone_url}#{commit}"),
    };
    Ok(stacks.iter().map(spec).collect())
}

/// The host that a runner may fetch from, as `--allow-host` takes it: the host, or the whole origin if it has
/// a port or no TLS.
fn origin(clone_url: &str) -> Result<String, String> {
    let wrong = || "the repository's address is not http:// or https:// without a user".to_owned();
    let (scheme, rest) = clone_url.split_once("://").ok_or_else(wrong)?;
    let host = rest.split('/').next().unwrap_or_default();
    let is_host = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:[]".contains(&b))
    };
    let is_plain =
        clone_url.bytes().all(|b| b.is_ascii_graphic()) && !clone_url.contains(['#', '@', '?', ',', '+']);
    match scheme {
        "http" | "https" if is_host(host) && is_plain => match scheme == "https" && !host.contains(':') {
            true => Ok(host.to_owned()),
            false => Ok(format!("{scheme}://{host}")),
        },
        _ => Err(wrong()),
    }
}

/// An identifier that the engine and folders take. The same key always has the same.
fn id(readable: &str, key: &str) -> String {
    let text = format!("{readable}-{}", &hash_key(key)[..8]);
    // Names of projects are checked; any other would be rejected when the job is read.
    debug_assert!(text.parse::<JobId>().is_ok(), "{text}");
    text
}

/// The identifier of a job that is run again: readable parts of the first one, and others at each moment.
pub(crate) fn again_id(of: &str, now_unix_ms: u64) -> String {
    const LONGEST: usize = 60;
    let readable = of.rsplit_once('-').map_or(of, |(readable, _)| readable);
    let readable: String = readable.chars().take(LONGEST).collect();
    id(readable.trim_end_matches('-'), &format!("{of}:again:{now_unix_ms}"))
}

/// The first letters of a commit.
pub(crate) fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::Config;
    use crate::configuration::forge_and_project;

    pub(crate) fn project() -> ProjectConfig {
        let more = r#"
            stacks = ["tiny", "tiny+O3"]
            compare = { suite = "tiny", metrics = ["count"] }
            run = {}
        "#;
        let forge = ["f", "gitea", "https://git.example/api/v1"];
        let text = forge_and_project(forge, ["p", "o/n"], more);
        Config::parse(&text).unwrap().projects.remove(0)
    }

    #[test]
    fn every_step_is_a_job_that_the_engine_reads() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let pull = PullSubject {
            number: 7,
            commit: b.clone(),
            baseline: a.clone(),
            branch: "b".to_owned(),
            base_branch: "main".to_owned(),
            author: "x".to_owned(),
            is_fork: true,
            asked_by: None,
            is_unchanged: false,
            aside: None,
        };
        let push = PushSubject { branch: "main".to_owned(), commit: b.clone(), before: None };
        let range = RangeSubject {
            branch: "main".to_owned(),
            good: a.clone(),
            bad: b.clone(),
            commits: vec![b.clone()],
            commit: b.clone(),
            found: String::new(),
            cell: None,
        };
        let (project, url) = (project(), "http://127.0.0.1:3000/o/n.git");
        let command = CompareCommand { budget: Some("30s".parse().unwrap()), ..CompareCommand::default() };
        let asked = |asked: Option<&str>| PullJob {
            subject: pull.clone(),
            approval: Approval::Author,
            asked: asked.map(str::to_owned),
            known: 0,
            cause: "c".to_owned(),
        };
        let merging =
            MergingSubject { branch: "queue/main".to_owned(), commit: b.clone(), baseline: a.clone() };
        let jobs = [
            pull_job(&project, url, asked(None), &command).unwrap(),
            pull_job(&project, url, asked(Some("3")), &command).unwrap(),
            merging_job(&project, url, merging, "c".to_owned()).unwrap(),
            push_job(&project, url, push, project.run.as_ref().unwrap(), 0, "c".to_owned()).unwrap(),
            range_job(&project, url, range, "c".to_owned()).unwrap(),
        ];
        let mut ids = std::collections::BTreeSet::new();
        for job in &jobs {
            assert!(ids.insert(&job.id));
            let work: Work = serde_json::from_value(job.body.clone()).unwrap();
            assert_eq!(work.allowed_origins, ["http://127.0.0.1:3000"]);
            for step in &work.steps {
                let text = serde_json::to_vec(&step.job).unwrap();
                let read = tlslab_job::Job::read(&text).unwrap();
                assert_eq!(read.trust, Trust::Candidate);
            }
            assert!(job.needs_sandbox);
        }
        let text = jobs[0].body.to_string();
        assert!(text.contains(&format!("tiny@git:{url}#{b}+O3")), "{text}");
        assert!(text.contains("\"budget_s\":30"), "{text}");
    }

    #[test]
    fn addresses_become_what_a_runner_may_fetch_from() {
        assert_eq!(origin("https://git.example/o/n.git").unwrap(), "git.example");
        assert_eq!(origin("https://git.example:444/o/n.git").unwrap(), "https://git.example:444");
        for wrong in [
            "ssh://git.example/o",
            "https://u:p@git.example/o",
            "https:///o",
            "o/n",
            "https://a/b#c",
            "file:///etc",
        ] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
