//! Pull requests: the list, and a page for each with all its measurements.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State as Shared};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use tlslab_pages::service::{Choice, PullPage};
use tlslab_pages::slug;
use tlslab_queue::{Filter, JobRow, Queue, QueueError, Scope};

use super::actions::actions_of;
use super::api::ApiError;
use super::guard::{authorise, protect};
use super::pages::repository;
use super::session::session_of;
use super::shown::{LINKS, PageError, respond};
use crate::new_jobs::pull_group;
use crate::pull_names::PullNames;
use crate::render::pull_page::{line_of_pull, pull_page};
use crate::service::Service;
use crate::stored_result::{comparison, judged_ending, read};
use crate::subject::{PullSubject, Subject};

/// Measurements of a pull request on its page.
const MOST: u32 = 50;

/// The routes.
pub(super) fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/pulls", get(pulls)).route("/pulls/{project}/{number}", get(pull)))
}

/// The newest job of each pull request among the newest jobs.
async fn pulls(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    query: Result<Query<OfProject>, QueryRejection>,
) -> Result<Response, PageError> {
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let project = OfProject::read(query)?;
    let filter = Filter { project: project.clone(), ..Filter::default() };
    let (jobs, names) = service
        .ask(move |queue| {
            let jobs = newest_of_pulls(queue.list(&filter)?);
            let names = PullNames::of_jobs(queue, jobs.iter().map(|(job, _)| job))?;
            Ok((jobs, names))
        })
        .await?;
    let lines: Vec<_> = jobs.iter().map(|(job, pull)| line_of_pull(job, pull, &names)).collect();
    let choices = project_choices(&service, "/pulls", project.as_deref());
    Ok(respond(&service, reader.as_ref(), tlslab_pages::service::pulls(&lines, &choices, &LINKS)))
}

/// The newest job of each pull request, the newest first.
pub(super) fn newest_of_pulls(mut jobs: Vec<JobRow>) -> Vec<(JobRow, PullSubject)> {
    jobs.sort_by_key(|job| std::cmp::Reverse(job.key));
    let mut seen = BTreeSet::new();
    let newest = jobs.into_iter().filter_map(|job| match Subject::of(&job) {
        // Measurements aside do not answer.
        Some(Subject::Pull(pull))
            if pull.aside.is_none() && seen.insert((job.project.clone(), pull.number)) =>
        {
            Some((job, pull))
        }
        _ => None,
    });
    newest.collect()
}

/// Of which project a list is.
#[derive(Deserialize)]
pub(super) struct OfProject {
    project: Option<String>,
}

impl OfProject {
    /// The project that a query names, if it names one.
    pub(super) fn read(query: Result<Query<Self>, QueryRejection>) -> Result<Option<String>, ApiError> {
        let Query(Self { project }) = query.map_err(|cause| ApiError::invalid("query", cause.body_text()))?;
        Ok(project.filter(|project| !project.is_empty()))
    }
}

/// Choices of projects for a list: all of them first.
pub(super) fn project_choices(service: &Service, list: &str, chosen: Option<&str>) -> Vec<Choice> {
    let names = service.config.projects.iter().map(|project| project.name.get_ref().as_str());
    let choices = [None].into_iter().chain(names.map(Some)).map(|name| Choice {
        text: name.unwrap_or("all projects").to_owned(),
        href: name.map_or_else(|| list.to_owned(), |name| format!("{list}?project={name}")),
        is_current: name == chosen,
    });
    choices.collect()
}

async fn pull(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path((named, number)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let none = || ApiError::not_found("no measurement of such a pull request is known");
    let number: u64 = number.parse().map_err(|_| none())?;
    let configured = service.config.projects.iter().map(|project| project.name.get_ref().clone());
    let configured: Vec<String> = configured.collect();
    let found = service.ask(move |queue| {
        let Some(project) = project_of(queue, configured, &named)? else { return Ok(None) };
        let group = Some(pull_group(&project, number));
        let jobs = queue.list(&Filter { group, most: MOST, ..Filter::default() })?;
        let with_result = |job: tlslab_queue::JobRow| {
            let ending = queue.result(&job.id)?.and_then(|packed| read(&packed));
            Ok((job, ending))
        };
        let names = PullNames::of_jobs(queue, jobs.iter())?;
        let jobs: Result<Vec<_>, QueueError> = jobs.into_iter().map(with_result).collect();
        Ok(Some((project, jobs?, names)))
    });
    let (project, jobs, names) = found.await?.filter(|(_, jobs, _)| !jobs.is_empty()).ok_or_else(none)?;
    let repository = repository(&service, &project);
    let session = session_of(&service, &headers).await?;
    let actions = jobs
        .first()
        .map(|(newest, _)| actions_of(session.as_ref(), newest, repository.as_ref()))
        .unwrap_or_default();
    let page = tokio::task::spawn_blocking(move || {
        let mut jobs = jobs;
        if let Some((_, ending)) = jobs
            .iter_mut()
            .find(|(_, ending)| ending.as_ref().is_some_and(|ending| comparison(ending).is_some()))
        {
            *ending = ending.take().map(|ending| judged_ending(&service, ending));
        }
        let model = pull_page(&project, number, &jobs, (repository.as_ref(), &names));
        let model = PullPage { actions, ..model };
        respond(&service, reader.as_ref(), tlslab_pages::service::pull(&model, &LINKS))
    });
    Ok(page.await.map_err(|cause| ApiError::failed(format!("the page cannot be made: {cause}")))?)
}

/// The project of a name in an address: one of the configuration, or of the newest jobs.
pub(super) fn project_of(
    queue: &dyn Queue,
    configured: Vec<String>,
    named: &str,
) -> Result<Option<String>, QueueError> {
    if let Some(project) = configured.into_iter().find(|project| slug(project) == named) {
        return Ok(Some(project));
    }
    let jobs = queue.list(&Filter::default())?;
    Ok(jobs.into_iter().map(|job| job.project).find(|project| slug(project) == named))
}
