//! Pull requests for their pages.

use serde_json::Value;
use tlslab_pages::service::{Fact, Measurement, PullLine, PullPage};
use tlslab_queue::JobRow;

use super::command::{command, needs, request};
use super::comparison::comparison_view;
use super::failure::without_folders;
use super::job::{Repository, subject_facts};
use super::words::{limited, line, moment, short, state_class, state_words};
use crate::pull_names::PullNames;
use crate::stored_result;
use crate::subject::{PullSubject, Subject};

/// A pull request by its newest job.
pub(crate) fn line_of_pull(job: &JobRow, pull: &PullSubject, names: &PullNames) -> PullLine {
    PullLine {
        project: line(&job.project),
        number: pull.number,
        title: names.title(&job.project, pull.number),
        branch: names.branch(&job.project, pull.number),
        class: state_class(job),
        state: state_words(job),
        why: why(job),
        author: limited(&line(&pull.author), 100),
        head: limited(&line(&short(&pull.commit)), 20),
        at: moment(job.created_unix_ms),
    }
}

/// The page of a pull request from its jobs, newest first, each with its result.
pub(crate) fn pull_page(
    project: &str,
    number: u64,
    jobs: &[(JobRow, Option<Value>)],
    (repository, names): (Option<&Repository>, &PullNames),
) -> PullPage {
    let compared = jobs.iter().enumerate().find_map(|(at, (_, ending))| {
        let comparison = stored_result::comparison(ending.as_ref()?)?;
        Some((at, comparison_view(&comparison)))
    });
    let newest = jobs.first().map(|(job, _)| job);
    let facts = newest.map(|job| subject_facts(job, repository)).unwrap_or_default();
    let runner = compared.as_ref().and_then(|(at, _)| jobs[*at].0.runner.clone());
    let runner = runner.map(|runner| Fact { name: "Runner", text: line(&runner), ..Fact::default() });
    let request = newest.and_then(|job| request(&job.body));
    PullPage {
        project: limited(&line(project), 100),
        number,
        actions: Default::default(),
        title: names.title(project, number),
        branch: names.branch(project, number),
        needs: request.as_ref().map(needs).unwrap_or_default(),
        facts: facts.into_iter().chain(runner).collect(),
        command: request.as_ref().and_then(command).map(|command| limited(&command, 4_000)),
        measurements: jobs.iter().map(|(job, ending)| measurement(job, ending.as_ref())).collect(),
        comparison: compared,
    }
}

fn measurement(job: &JobRow, ending: Option<&Value>) -> Measurement {
    let (commits, is_unchanged) = match Subject::of(job) {
        Some(Subject::Pull(pull)) => ([pull.commit, pull.baseline], pull.is_unchanged),
        _ => Default::default(),
    };
    Measurement {
        job: job.id.clone(),
        class: state_class(job),
        state: state_words(job),
        why: why(job),
        commits: commits.map(|commit| limited(&line(&short(&commit)), 20)),
        runner: line(job.runner.as_deref().unwrap_or_default()),
        at: moment(job.created_unix_ms),
        is_unchanged,
        has_comparison: ending.and_then(stored_result::comparison).is_some(),
    }
}

/// The first line of the cause of a job's state.
fn why(job: &JobRow) -> String {
    let text = job.verdict.as_ref().map_or(job.reason.as_str(), |verdict| &verdict.title);
    limited(&without_folders(&line(text.lines().next().unwrap_or_default())), 300)
}
