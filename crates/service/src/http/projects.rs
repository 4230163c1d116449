//! The page of a project, and comparisons: those of the site and those of jobs.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State as Shared};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use tlslab_pages::service::{Choice, Fact, ProjectPage};
use tlslab_pages::site::ComparisonLine;
use tlslab_queue::{Filter, JobRow, Phase, Queue, QueueError, Scope};

use super::api::ApiError;
use super::guard::{authorise, protect};
use super::pages::repository;
use super::pulls::{OfProject, newest_of_pulls, project_choices, project_of};
use super::shown::{LINKS, PageError, respond};
use super::site::{Here, place};
use crate::config::FailPolicy;
use crate::pull_names::PullNames;
use crate::render::job_lists::Outlook;
use crate::render::pull_page::line_of_pull;
use crate::render::words::{comparison_line, limited, line, now_unix_ms};
use crate::service::Service;

/// Comparisons of jobs on a page.
const COMPARISONS: u32 = 200;
/// Rows of each list on a project's page.
const MOST: usize = 10;

/// The routes.
pub(super) fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/projects/{project}", get(project)).route("/comparisons", get(comparisons)))
}

/// Comparisons of jobs, the last that ended first.
fn compared(
    queue: &dyn Queue,
    (project, most): (Option<String>, u32),
    branch: impl Fn(&str) -> Option<String>,
) -> Result<Vec<ComparisonLine>, QueueError> {
    let jobs = queue.list(&Filter { project, most, is_compared: true, ..Filter::default() })?;
    let names = PullNames::of_jobs(queue, jobs.iter())?;
    let of_job =
        |job: &JobRow| comparison_line(job, &names.named(job).title, branch(&job.project).as_deref());
    Ok(jobs.iter().filter_map(of_job).collect())
}

/// The branch of a project against which pull requests are compared, if it is configured.
fn branches(service: &Arc<Service>) -> impl Fn(&str) -> Option<String> + use<> {
    let service = service.clone();
    move |project| service.config.project(project)?.branch.clone()
}

async fn comparisons(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    query: Result<Query<OfProject>, QueryRejection>,
) -> Result<Response, PageError> {
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let project = OfProject::read(query)?;
    let (wanted, branch) = (project.clone(), branches(&service));
    let mut lines = service.ask(move |queue| compared(queue, (wanted, COMPARISONS), branch)).await?;
    if project.is_none() {
        let reading = service.clone();
        let of_site = tokio::task::spawn_blocking(move || reading.site.comparisons(&place(&reading))).await;
        lines.extend(of_site.map_err(|cause| ApiError::failed(format!("the page cannot be made: {cause}")))?);
        lines.sort_by(|one, other| other.ended.cmp(&one.ended));
    }
    let choices = project_choices(&service, "/comparisons", project.as_deref());
    Ok(respond(&service, reader.as_ref(), tlslab_pages::site::comparisons(&lines, &choices, &LINKS)))
}

async fn project(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(named): Path<String>,
) -> Result<Response, PageError> {
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let configured = service.config.projects.iter().map(|project| project.name.get_ref().clone());
    let (configured, branch): (Vec<String>, _) = (configured.collect(), branches(&service));
    let found = service.ask(move |queue| {
        let Some(project) = project_of(queue, configured, &named)? else { return Ok(None) };
        let of = |phase, most| Filter { phase, most, project: Some(project.clone()), ..Filter::default() };
        let (open, ended) = (queue.list(&of(Phase::Open, 0))?, queue.list(&of(Phase::Ended, 200))?);
        let names = PullNames::of_jobs(queue, open.iter().chain(&ended))?;
        let compared = compared(queue, (Some(project.clone()), MOST as u32), branch)?;
        Ok(Some((project, (open, ended), (queue.runners()?, names), compared)))
    });
    let none = || ApiError::not_found("there is no project of that name, and no job of one");
    let (project, (open, ended), (runners, names), comparisons) = found.await?.ok_or_else(none)?;
    let newest = newest_of_pulls([&open[..], &ended[..]].concat());
    let pulls = newest.iter().take(MOST).map(|(job, pull)| line_of_pull(job, pull, &names)).collect();
    let outlook = Outlook::new(now_unix_ms(), runners, &ended, names);
    let config = service.config.project(&project);
    let mut stacks: Vec<String> = config.map(|config| config.stacks.clone()).unwrap_or_default();
    stacks.dedup();
    let model = ProjectPage {
        facts: facts(&service, &project),
        all: all_of(&project),
        stacks,
        pulls,
        jobs: open.iter().take(MOST).map(|job| outlook.open(job)).collect(),
        comparisons,
        name: limited(&line(&project), 100),
    };
    Ok(respond(&service, reader.as_ref(), tlslab_pages::service::project(&model, &Here(&service.site))))
}

/// Where all of a project's own are. Names are parts of addresses.
fn all_of(project: &str) -> Vec<Choice> {
    let project = super::pages::encoded(project);
    let choice = |text: &str, href: String| Choice { text: text.to_owned(), href, is_current: false };
    vec![
        choice("All pull requests", format!("/pulls?project={project}")),
        choice("All jobs", format!("/jobs?project={project}")),
        choice("Failed jobs", format!("/jobs?project={project}&state=failed")),
        choice("All comparisons", format!("/comparisons?project={project}")),
        choice("History", "/history".to_owned()),
    ]
}

fn facts(service: &Service, name: &str) -> Vec<Fact> {
    let Some(project) = service.config.project(name) else { return Vec::new() };
    let fact = |name: &'static str, text: &str| Fact { name, text: line(text), ..Fact::default() };
    let address = repository(service, name).map(|repository| repository.page);
    let fails = match project.fail_on {
        FailPolicy::Regression => "a significant regression",
        FailPolicy::Change => "any significant change",
        FailPolicy::AnyRegression => "every confirmed regression",
        FailPolicy::Never => "nothing",
    };
    let branch = project.branch.as_deref().unwrap_or("the default branch");
    let labels = if project.labels.is_empty() { "none".to_owned() } else { project.labels.join(", ") };
    vec![
        Fact { address, ..fact("Repository", project.repository.get_ref()) },
        fact("Branch", branch),
        fact("Stacks", &project.stacks.join(", ")),
        fact("Labels that a runner needs", &labels),
        fact("What fails a pull request", fails),
    ]
}
