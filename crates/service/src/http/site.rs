//! The site of the service's own database: runs, stacks, scenarios, histories, comparisons, tables, feed and
//! badges.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tlslab_lab::Results;
use tlslab_pages::{Asset, Links, Page, Target};
use tlslab_queue::Scope;

use super::answer::problem;
use super::api::ApiError;
use super::guard::{authorise, protect};
use super::overview;
use super::shown::{LINKS, PageError, respond};
use crate::service::Service;
use crate::site_cache::{Cache, Place, ReadPushes};
use crate::stored_result;

/// The routes. All other paths are looked up in the site.
pub(crate) fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/", get(home)).fallback(page))
}

pub(super) fn place(service: &Arc<Service>) -> Place {
    let results = Results {
        out: service.config.folder.clone(),
        store: Some(service.pool.address().clone()),
        history: None,
    };
    let base = service.config.url.as_deref().map(|url| format!("{}/", url.trim_end_matches('/')));
    let reading = service.clone();
    let pushes: Arc<ReadPushes> =
        Arc::new(move |known| reading.queue(|queue| Ok(known.read(queue)?.to_vec())));
    Place { results, base: base.unwrap_or_default(), pushes }
}

/// The overview: the database's part, and the service's.
async fn home(Shared(service): Shared<Arc<Service>>, headers: HeaderMap) -> Result<Response, PageError> {
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let reading = service.clone();
    let read = tokio::task::spawn_blocking(move || reading.site.overview(&place(&reading))).await;
    let of_site = read.map_err(|cause| ApiError::failed(format!("the page cannot be made: {cause}")))?;
    let model = overview::of_service(&service, of_site).await?;
    Ok(respond(&service, reader.as_ref(), tlslab_pages::site::overview(&model, &Here(&service.site))))
}

/// A page or file of the site; comparisons of jobs are the queue's.
async fn page(Shared(service): Shared<Arc<Service>>, request: Request) -> Result<Response, PageError> {
    let (path, method) = (request.uri().path().to_owned(), request.method().clone());
    if method != Method::GET && method != Method::HEAD || path.starts_with("/api/") {
        return Ok(problem(StatusCode::NOT_FOUND, "there is no such address"));
    }
    let reader = authorise(&service, request.headers(), Scope::Read).await?;
    let failed = |cause: String| ApiError::failed(format!("the page cannot be made: {cause}"));
    let (reading, wanted) = (service.clone(), path.clone());
    let made = tokio::task::spawn_blocking(move || reading.site.answer(&place(&reading), &wanted)).await;
    let made =
        made.map_err(|cause| failed(cause.to_string()))?.map_err(|cause| failed(format!("{cause:#}")))?;
    if let Some(answer) = made {
        return Ok(match &reader {
            Some(access) => answer.for_reader(&access.name),
            None => answer.into_response(),
        });
    }
    if let Some(job) = path.strip_prefix("/comparisons/") {
        let (reading, job) = (service.clone(), job.to_owned());
        let found = tokio::task::spawn_blocking(move || comparison_of_job(&reading, &job)).await;
        if let Some(page) = found.map_err(|cause| failed(cause.to_string()))?? {
            return Ok(respond(&service, reader.as_ref(), page));
        }
    }
    let what = tlslab_text::clean(&path).chars().take(200).collect::<String>();
    Err(PageError(ApiError::not_found(format!(
        "Page not found: {what}. It may have been deleted, or not been measured yet."
    ))))
}

/// The whole comparison of a job. It links to what the site has: its runs and their files may have stayed on
/// the runner.
fn comparison_of_job(service: &Service, job: &str) -> Result<Option<Page>, PageError> {
    let comparison = stored_result::judged(service, job)?;
    Ok(comparison.map(|comparison| tlslab_pages::comparison(&comparison, &Here(&service.site))))
}

/// Links to pages of the site and to all lists.
pub(super) struct Here<'s>(pub &'s Cache);

impl Links for Here<'_> {
    fn to(&self, target: &Target) -> Option<String> {
        let is_of_site = matches!(
            target,
            Target::Run(_)
                | Target::Proof(..)
                | Target::File(_)
                | Target::Stack(_)
                | Target::Scenario(_)
                | Target::HistoryOf(_)
                | Target::Defaults
        );
        LINKS.to(target).filter(|address| !is_of_site || self.0.has(address))
    }

    fn asset(&self, asset: &Asset) -> Option<String> {
        LINKS.asset(asset)
    }
}
