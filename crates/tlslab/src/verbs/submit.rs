//! `tlslab submit`: a job for a service; its progress and result are shown here.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::{Value, json};
use tlslab_job::{Ending, EventLine, FORMAT, Job, Outcome, Request, Status};
use tlslab_lab::{Cancel, Event, JobId, Observer, Trust};
use tlslab_runner::{Client, RunnerError};

use crate::cli::Invocation;
use crate::progress::Progress;
use crate::signals::cancel_on_signals;
use crate::verbs::compare::{self, CompareArgs};
use crate::verbs::run::{self, RunArgs};

/// Arguments of `submit`.
#[derive(Args)]
#[command(
    after_help = "The result is printed as the verb itself prints it, and the exit status is the verb's. Paths in stacks are paths of the \
                  runner. Results stay in the service: --out and --store of the verb have no effect."
)]
pub(crate) struct SubmitArgs {
    /// The address of the service.
    #[arg(
        long,
        value_name = "URL",
        env = "TLSLAB_SERVICE",
        hide_env_values = true,
        default_value = "http://127.0.0.1:7474"
    )]
    pub service: String,
    /// A file with a token that the service has granted.
    #[arg(long, value_name = "FILE", default_value = "tlslab-service/token")]
    pub token_file: PathBuf,
    /// The project of the service that the job belongs to.
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// A label that the runner must have; may be repeated.
    #[arg(long = "label", value_name = "LABEL")]
    pub labels: Vec<String>,
    /// A title for the service's pages [default: the verb].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// The identifier of the job [default: a new one]. The same command with the same identifier follows the
    /// job again.
    #[arg(long, value_name = "ID")]
    pub id: Option<JobId>,
    /// How far the sources are trusted: owner (no sandbox, needs a token of scope administer), reviewed or
    /// candidate.
    #[arg(long, value_name = "LEVEL", default_value = "owner")]
    pub trust: Trust,
    /// Submit the job, print its identifier and do not wait.
    #[arg(long)]
    pub detach: bool,
    /// The verb, with its arguments.
    #[command(subcommand)]
    pub verb: SubmittedVerb,
}

/// The verbs that a service accepts.
#[derive(Subcommand)]
pub(crate) enum SubmittedVerb {
    /// Measure two stacks together and judge what changed.
    Compare(Box<CompareArgs>),
    /// Measure stacks.
    Run(Box<RunArgs>),
}

/// How often the service is asked.
const EVERY: Duration = Duration::from_secs(1);

/// For how long a job is offered to a busy service.
const PATIENCE: Duration = Duration::from_secs(30);

/// Submits a job and, unless it is detached, follows it to its end.
pub(crate) fn submit(args: &SubmitArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let request = request(&args.verb)?;
    let id = args.id.clone().unwrap_or_default();
    let job = Job { format: FORMAT, id: id.clone(), request, trust: args.trust, policy: None };
    let service = Service { client: Client::new(&args.service, &token(args)?)?, args };
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)?;
    service.submit(&job)?;
    let page = format!("{}/jobs/{id}", args.service.trim_end_matches('/'));
    errln!("job {id}: {page}");
    if args.detach {
        outln!("{id}");
        return Ok(Status::Done);
    }
    let mut progress = Progress::new(false, args.service.clone().into());
    let end = service.follow(&id, &mut progress, &cancel);
    progress.finish();
    match end? {
        End::Detached => {
            errln!("detached; the job continues at {page}. The same command with --id {id} follows it again");
            errln!(
                "to cancel it: curl -X POST -H \"Authorization: Bearer $(cat {})\" {}/api/v1/jobs/{id}/cancel",
                tlslab_text::shell_word(&args.token_file.display().to_string()),
                args.service.trim_end_matches('/')
            );
            Ok(Status::Interrupted)
        }
        End::Ended => service.print(&id, invocation),
    }
}

/// The request. It cannot name files of this machine.
fn request(verb: &SubmittedVerb) -> anyhow::Result<Request> {
    Ok(match verb {
        SubmittedVerb::Compare(args) => {
            let own = [
                (args.runs, "--runs"),
                (args.folders, "--folders"),
                (args.from.is_some(), "--from"),
                (args.resume.is_some(), "--resume"),
                (args.merge_base.is_some(), "--merge-base"),
                (args.history.is_some(), "--history"),
            ];
            refuse(&own)?;
            Request::Compare(Box::new(args.request()?))
        }
        SubmittedVerb::Run(args) => {
            refuse(&[(args.resume.is_some(), "--resume")])?;
            Request::Run(Box::new(args.request()))
        }
    })
}

fn refuse(own: &[(bool, &str)]) -> anyhow::Result<()> {
    match own.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => {
            bail!(
                "{option}: a service cannot read files of this machine; name stacks, or use the verb without submit"
            )
        }
        None => Ok(()),
    }
}

/// The token; it never stands on a command line.
fn token(args: &SubmitArgs) -> anyhow::Result<String> {
    let shown = args.token_file.display();
    let text = fs::read_to_string(&args.token_file).with_context(|| {
        format!("cannot read the token in {shown}; name a file with a token that the service has granted: --token-file")
    })?;
    let token = text.trim();
    ensure!(
        !token.is_empty() && token.len() <= 256 && token.bytes().all(|byte| byte.is_ascii_graphic()),
        "{shown} does not contain a token; write the token that the service has granted into it"
    );
    Ok(token.to_owned())
}

/// Why following a job has ended.
#[derive(Debug, PartialEq)]
enum End {
    /// The job has ended.
    Ended,
    /// The user has stopped waiting.
    Detached,
}

/// A service that carries out a job.
struct Service<'a> {
    client: Client,
    args: &'a SubmitArgs,
}

/// The service's answer to a query for events.
#[derive(Deserialize)]
struct Events {
    token: u64,
    events: Vec<NumberedEvent>,
    state: String,
    is_ended: bool,
    has_more: bool,
}

#[derive(Deserialize)]
struct NumberedEvent {
    number: u64,
    event: Value,
}

/// A job as the service sees it.
#[derive(Deserialize)]
struct Standing {
    state: String,
    reason: String,
    #[serde(default)]
    fault: Option<String>,
}

impl Service<'_> {
    /// The identifier makes it safe to send the same job again.
    fn submit(&self, job: &Job) -> anyhow::Result<()> {
        let SubmitArgs { project, labels, title, .. } = self.args;
        let mut body = json!({ "job": job, "labels": labels });
        if let Some(project) = project {
            body["project"] = json!(project);
        }
        if let Some(title) = title {
            body["title"] = json!(title);
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.client.post::<Value>("/api/v1/jobs", &body) {
                Ok(_) => return Ok(()),
                Err(RunnerError::Refused { status: 429 | 503, .. }) if Instant::now() < deadline => {
                    std::thread::sleep(EVERY);
                }
                Err(cause) => return Err(self.explained(cause)),
            }
        }
    }

    /// Shows events until the job has ended. If the service is unreachable, it tries again.
    fn follow(&self, id: &JobId, progress: &mut impl Observer, cancel: &Cancel) -> anyhow::Result<End> {
        let (mut token, mut after) = (None, 0);
        let (mut state, mut is_away) = (String::new(), false);
        loop {
            if cancel.is_requested() {
                return Ok(End::Detached);
            }
            let mut path = format!("/api/v1/jobs/{id}/events?after={after}");
            if let Some(token) = token {
                path += &format!("&token={token}");
            }
            let answer = match self.client.get::<Events>(&path) {
                Ok(Some(answer)) => answer,
                Ok(None) => bail!("{}: the service has no answer for job {id}", self.args.service),
                Err(cause) if cause.may_pass() => {
                    if !is_away {
                        errln!("{cause}; waiting for the service");
                    }
                    is_away = true;
                    pause(cancel);
                    continue;
                }
                Err(cause) => return Err(self.explained(cause)),
            };
            is_away = false;
            if after > 0 && token.is_some_and(|token| token != answer.token) {
                after = 0;
                note(progress, "a new attempt begins");
            }
            let is_complete = answer.is_ended && !answer.has_more && answer.events.is_empty();
            token = Some(answer.token);
            // Events before the end are shown before it.
            if answer.state != state && (is_complete || !answer.is_ended) {
                note(progress, &format!("job {id}: {}", answer.state.replace('-', " ")));
                state.clone_from(&answer.state);
            }
            for NumberedEvent { number, event } in answer.events {
                after = after.max(number);
                show(progress, event);
            }
            if is_complete {
                return Ok(End::Ended);
            }
            if !answer.has_more && !answer.is_ended {
                pause(cancel);
            }
        }
    }

    /// The result, as the verb itself prints it.
    fn print(&self, id: &JobId, invocation: &Invocation) -> anyhow::Result<Status> {
        let standing = self.client.get::<Standing>(&format!("/api/v1/jobs/{id}"));
        let standing = standing.map_err(|cause| self.explained(cause))?;
        let Some(Standing { state, reason, fault }) = standing else { bail!("job {id} no longer exists") };
        match state.as_str() {
            "reported" => {}
            "failed" => {
                let fault = fault.unwrap_or_else(|| "lab".to_owned());
                bail!("job {id} failed because of the {fault}: {reason}");
            }
            state => {
                errln!("job {id} was {state}: {reason}");
                return Ok(Status::Interrupted);
            }
        }
        let ending = self.client.get::<Ending>(&format!("/api/v1/jobs/{id}/result"));
        let ending = ending.map_err(|cause| self.explained(cause))?;
        let outcome = ending.and_then(|ending| ending.outcome);
        match (&outcome, &self.args.verb) {
            (Some(outcome @ Outcome::Comparison(_)), SubmittedVerb::Compare(args)) => {
                Ok(compare::print(outcome, args, invocation))
            }
            (Some(outcome @ Outcome::Run(_)), SubmittedVerb::Run(args)) => {
                Ok(run::print(outcome, args, invocation))
            }
            _ => bail!("the service has no such result of job {id}; see its page"),
        }
    }

    /// An error in terms of this command's options.
    fn explained(&self, cause: RunnerError) -> anyhow::Error {
        let shown = self.args.token_file.display();
        match cause {
            RunnerError::Unknown { url } => {
                anyhow::anyhow!(
                    "{url}: the service does not know the token in {shown}; name another file: --token-file"
                )
            }
            RunnerError::Unreachable { url, cause } => {
                anyhow::anyhow!("{url}: {cause}; start the service, or name its address: --service")
            }
            other => other.into(),
        }
    }
}

fn note(progress: &mut impl Observer, text: &str) {
    progress.on(&Event::Note { text: text.to_owned() });
}

/// Shows an event. Written files are on the runner.
fn show(progress: &mut impl Observer, event: Value) {
    if let Ok(line) = serde_json::from_value::<EventLine>(event)
        && !matches!(line.event, Event::Written(_))
    {
        progress.on(&line.event);
    }
}

/// Waits, but not after Ctrl-C.
fn pause(cancel: &Cancel) {
    let end = Instant::now() + EVERY;
    while Instant::now() < end && !cancel.is_requested() {
        std::thread::sleep(Duration::from_millis(50));
    }
}
