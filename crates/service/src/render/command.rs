//! The command that measures the same on another machine.

use serde_json::Value;
use tlslab_job::Request;
use tlslab_lab::{request::CompareRequest, request::RunRequest};
use tlslab_protocol::Arrivals;
use tlslab_text::shell_word;

use super::words::{limited, line};

/// The request of a job's last step.
pub(crate) fn request(body: &Value) -> Option<Request> {
    serde_json::from_value(engine_job(body)?.get("request")?.clone()).ok()
}

/// The last step's job, as `tlslab work` reads it.
pub(crate) fn engine_job(body: &Value) -> Option<&Value> {
    body.get("steps")?.as_array()?.last()?.get("job")
}

/// The command for a request, if a verb has options for all of it.
pub(crate) fn command(request: &Request) -> Option<String> {
    match request {
        Request::Compare(compare) => Some(of_compare(compare)),
        Request::Run(run) => Some(of_run(run)),
        _ => None,
    }
}

/// The requirements of a request's command on another machine, in sentences: the service's operator has the
/// recipes of a repository.
pub(crate) fn needs(request: &Request) -> String {
    let mut names: Vec<&str> = match request {
        Request::Compare(compare) => compare.pairs.iter().map(|(_, candidate)| candidate.as_str()).collect(),
        Request::Run(run) => run.stacks.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    names.retain(|stack| stack.contains("@git:"));
    let mut names: Vec<String> = names
        .into_iter()
        .filter_map(|stack| Some(limited(&line(stack.split(['@', '+']).next()?), 100)))
        .collect();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "It needs tlslab and the recipe of {names}: if `tlslab stacks` does not list {names}, ask the operator of this service for the recipe \
         and save it in a folder `stacks` where you run the command. To measure again here, comment `/tlslab compare` on the pull request.",
        names = names.join(", ")
    )
}

fn of_compare(request: &CompareRequest) -> String {
    let mut words = vec!["tlslab".to_owned(), "compare".to_owned()];
    let mut pairs = request.pairs.iter();
    if let Some((baseline, candidate)) = pairs.next() {
        words.extend([baseline.clone(), candidate.clone()]);
    }
    for (baseline, candidate) in pairs {
        words.extend(["--pair".to_owned(), baseline.clone(), candidate.clone()]);
    }
    match request.scenarios.is_empty() {
        true => words.extend(["--suite".to_owned(), request.suite.clone()]),
        false => {
            words.extend(request.scenarios.iter().flat_map(|name| ["--scenario".to_owned(), name.clone()]))
        }
    }
    let metrics = request.metrics.iter().map(|metric| metric.name().to_owned());
    words.extend(metrics.flat_map(|name| ["--metric".to_owned(), name]));
    words.extend(budget(request.decision.budget_s.map(|time| time.get())));
    if request.decision.fixed_layout {
        words.push("--fixed-layout".to_owned());
    }
    joined(&words)
}

fn of_run(request: &RunRequest) -> String {
    let mut words = vec!["tlslab".to_owned(), "run".to_owned()];
    words.extend(request.stacks.iter().flat_map(|stack| ["--stack".to_owned(), stack.clone()]));
    if request.all_stacks {
        words.push("--all-stacks".to_owned());
    }
    words.extend(request.suite.iter().flat_map(|suite| ["--suite".to_owned(), suite.clone()]));
    words.extend(request.scenarios.iter().flat_map(|name| ["--scenario".to_owned(), name.clone()]));
    words.extend(request.rates.iter().flat_map(|rate| ["--rate".to_owned(), rate.to_string()]));
    if !request.rates.is_empty() && request.arrivals != Arrivals::default() {
        words.extend(["--arrivals".to_owned(), request.arrivals.to_string()]);
    }
    let metrics = request.metrics.iter().map(|metric| metric.name().to_owned());
    words.extend(metrics.flat_map(|name| ["--metric".to_owned(), name]));
    words.extend(budget(request.budget_s.map(|time| time.get())));
    joined(&words)
}

fn budget(budget_s: Option<f64>) -> Vec<String> {
    budget_s.map(|budget_s| vec!["--budget".to_owned(), format!("{budget_s}s")]).unwrap_or_default()
}

fn joined(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| shell_word(&tlslab_text::clean(word))).collect();
    words.join(" ")
}
