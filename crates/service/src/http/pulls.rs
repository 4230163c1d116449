//! Pull requests: the list, and a page for each with all its measurements.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State as Shared};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use tlslab_pages::slug;
use tlslab_queue::{Filter, Queue, QueueError, Scope};

use super::api::ApiError;
use super::guard::{authorise, protect};
use super::pages::repository;
use super::shown::{LINKS, PageError, respond};
use crate::new_jobs::pull_group;
use crate::render::pull_page::{line_of_pull, pull_page};
use crate::service::Service;
use crate::stored_result::{comparison, judged_ending, read};
use crate::subject::Subject;

/// Measurements of a pull request on its page.
const MOST: u32 = 50;

/// The routes.
pub(super) fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/pulls", get(pulls)).route("/pulls/{project}/{number}", get(pull)))
}

/// The newest job of each pull request among the newest jobs.
async fn pulls(Shared(service): Shared<Arc<Service>>, headers: HeaderMap) -> Result<Response, PageError> {
    authorise(&service, &headers, Scope::Read).await?;
    let jobs = service.ask(|queue| queue.list(&Filter::default())).await?;
    let mut seen = BTreeSet::new();
    let lines = jobs.iter().filter_map(|job| match Subject::of(job) {
        Some(Subject::Pull(pull)) if seen.insert((&job.project, pull.number)) => {
            Some(line_of_pull(job, &pull))
        }
        _ => None,
    });
    Ok(respond(&tlslab_pages::service::pulls(&lines.collect::<Vec<_>>(), &LINKS)))
}

async fn pull(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path((named, number)): Path<(String, String)>,
) -> Result<Response, PageError> {
    authorise(&service, &headers, Scope::Read).await?;
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
        let jobs: Result<Vec<_>, QueueError> = jobs.into_iter().map(with_result).collect();
        Ok(Some((project, jobs?)))
    });
    let (project, jobs) = found.await?.filter(|(_, jobs)| !jobs.is_empty()).ok_or_else(none)?;
    let repository = repository(&service, &project);
    let page = tokio::task::spawn_blocking(move || {
        let mut jobs = jobs;
        if let Some((_, ending)) = jobs
            .iter_mut()
            .find(|(_, ending)| ending.as_ref().is_some_and(|ending| comparison(ending).is_some()))
        {
            *ending = ending.take().map(|ending| judged_ending(&service, ending));
        }
        let model = pull_page(&project, number, &jobs, repository.as_ref());
        respond(&tlslab_pages::service::pull(&model, &LINKS))
    });
    Ok(page.await.map_err(|cause| ApiError::failed(format!("the page cannot be made: {cause}")))?)
}

/// The project whose name is so in an address: one of the configuration, or of the newest jobs.
fn project_of(queue: &dyn Queue, configured: Vec<String>, named: &str) -> Result<Option<String>, QueueError> {
    if let Some(project) = configured.into_iter().find(|project| slug(project) == named) {
        return Ok(Some(project));
    }
    let jobs = queue.list(&Filter::default())?;
    Ok(jobs.into_iter().map(|job| job.project).find(|project| slug(project) == named))
}
