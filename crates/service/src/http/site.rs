//! The site of the service's own database: runs, stacks, scenarios, histories, comparisons, tables, feed and badges.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tlslab_lab::Results;
use tlslab_pages::site::Overview;
use tlslab_pages::{Asset, Links, Page, Served, Target};
use tlslab_queue::Scope;
use tlslab_record::Policy;
use tlslab_site::{Made, Site, Source};

use super::answer::problem;
use super::api::ApiError;
use super::guard::{authorise, protect};
use super::overview;
use super::shown::{LINKS, PageError, policy, shown};
use crate::log::log;
use crate::result;
use crate::service::Service;

/// The database is asked for newer results at most so often.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// Pages and files that are kept, and their bytes together; beyond that all are made again.
const MOST_MADE: usize = 512;
const MOST_BYTES: usize = 64 << 20;

/// The routes. What no other part has is looked for in the site.
pub fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/", get(home)).fallback(page))
}

/// The site as it was read last, and what was made of it.
#[derive(Default)]
pub struct Cache(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    looked: Option<Instant>,
    read: Option<Read>,
    problem: String,
    made: BTreeMap<String, Answer>,
    bytes: usize,
}

struct Read {
    site: Site,
    state: String,
    targets: BTreeMap<String, Target>,
}

/// A page or a file that was made.
#[derive(Clone)]
struct Answer {
    kind: HeaderValue,
    policy: Option<HeaderValue>,
    text: Bytes,
}

impl Inner {
    /// Reads the database again if it has something newer.
    fn look(&mut self, service: &Service) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return;
        }
        let done = self.read_newer(service);
        self.looked = Some(Instant::now());
        // A database that is away comes back; until then there is what was read before.
        let problem =
            done.err().map(|cause| format!("the site cannot be read: {cause:#}")).unwrap_or_default();
        if !problem.is_empty() && problem != self.problem {
            log(&problem);
        }
        self.problem = problem;
    }

    fn read_newer(&mut self, service: &Service) -> anyhow::Result<()> {
        let results = Results {
            out: service.config.folder.clone(),
            store: Some(service.pool.address().clone()),
            history: None,
        };
        let source = Source::open(results, Policy::default().history)?;
        let state = source.state()?;
        if self.read.as_ref().is_some_and(|read| read.state == state) {
            return Ok(());
        }
        let base = service.config.url.as_deref().map(|url| format!("{}/", url.trim_end_matches('/')));
        let site = Site::read(source, &base.unwrap_or_default())?;
        let lists = [Target::Choose, Target::Comparisons, Target::Claims];
        let targets = site.targets().into_iter().chain(lists);
        let targets = targets.map(|target| (Served::address(&target), target)).collect();
        self.read = Some(Read { site, state, targets });
        self.made.clear();
        self.bytes = 0;
        Ok(())
    }

    fn answer(&mut self, path: &str) -> anyhow::Result<Option<Answer>> {
        if let Some(answer) = self.made.get(path) {
            return Ok(Some(answer.clone()));
        }
        let Some(read) = &self.read else { return Ok(None) };
        let Some(target) = read.targets.get(path) else { return Ok(None) };
        let Some(made) = read.site.make(target, &LINKS)? else { return Ok(None) };
        let answer = match made {
            Made::Page(page) => Answer {
                kind: HeaderValue::from_static("text/html; charset=utf-8"),
                policy: policy(&page, &LINKS),
                text: page.html(&LINKS).into(),
            },
            Made::File { kind, text } => {
                Answer { kind: HeaderValue::from_static(kind), policy: None, text: text.into() }
            }
        };
        if self.made.len() >= MOST_MADE || self.bytes + answer.text.len() > MOST_BYTES {
            self.made.clear();
            self.bytes = 0;
        }
        self.bytes += answer.text.len();
        self.made.insert(path.to_owned(), answer.clone());
        Ok(Some(answer))
    }
}

impl Cache {
    /// What the overview shows of the database.
    fn overview(&self, service: &Service) -> Overview {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.look(service);
        inner.read.as_ref().map(|read| read.site.overview().clone()).unwrap_or_default()
    }

    fn has(&self, address: &str) -> bool {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.read.as_ref().is_some_and(|read| read.targets.contains_key(address))
    }

    fn answer(&self, service: &Service, path: &str) -> anyhow::Result<Option<Answer>> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.look(service);
        inner.answer(path)
    }
}

/// The overview: what the database has, and what the service does.
async fn home(Shared(service): Shared<Arc<Service>>, headers: HeaderMap) -> Result<Response, PageError> {
    authorise(&service, &headers, Scope::Read).await?;
    let reading = service.clone();
    let read = tokio::task::spawn_blocking(move || reading.site.overview(&reading)).await;
    let of_site = read.map_err(|cause| ApiError::failed(format!("the page cannot be made: {cause}")))?;
    let model = overview::of_service(&service, of_site).await?;
    Ok(shown(&tlslab_pages::site::overview(&model, &LINKS)))
}

/// A page or file of the site; comparisons of jobs are the queue's.
async fn page(Shared(service): Shared<Arc<Service>>, request: Request) -> Result<Response, PageError> {
    let (path, method) = (request.uri().path().to_owned(), request.method().clone());
    if method != Method::GET && method != Method::HEAD || path.starts_with("/api/") {
        return Ok(problem(StatusCode::NOT_FOUND, "there is no such address"));
    }
    authorise(&service, request.headers(), Scope::Read).await?;
    let failed = |cause: String| ApiError::failed(format!("the page cannot be made: {cause}"));
    let (reading, wanted) = (service.clone(), path.clone());
    let made = tokio::task::spawn_blocking(move || reading.site.answer(&reading, &wanted)).await;
    let made =
        made.map_err(|cause| failed(cause.to_string()))?.map_err(|cause| failed(format!("{cause:#}")))?;
    if let Some(answer) = made {
        return Ok(answer.into_response());
    }
    if let Some(job) = path.strip_prefix("/comparisons/") {
        let (reading, job) = (service.clone(), job.to_owned());
        let found = tokio::task::spawn_blocking(move || comparison_of_job(&reading, &job)).await;
        if let Some(page) = found.map_err(|cause| failed(cause.to_string()))?? {
            return Ok(shown(&page));
        }
    }
    let what = tlslab_text::clean(&path).chars().take(200).collect::<String>();
    Err(PageError(ApiError::not_found(format!(
        "There is nothing at {what}. It may have been deleted, or not measured yet."
    ))))
}

/// The whole comparison that a job came to. It leads to what the site has: its runs and their files may have stayed on the runner.
fn comparison_of_job(service: &Service, job: &str) -> Result<Option<Page>, PageError> {
    let ending = result::of_job(service, job)?;
    let comparison = ending.as_ref().and_then(result::comparison);
    Ok(comparison.map(|comparison| tlslab_pages::comparison(&comparison, &Here(&service.site))))
}

/// Links to what the site has and to all lists.
struct Here<'s>(&'s Cache);

impl Links for Here<'_> {
    fn to(&self, target: &Target) -> Option<String> {
        let is_of_site = matches!(
            target,
            Target::Run(_) | Target::File(_) | Target::Stack(_) | Target::Scenario(_) | Target::HistoryOf(_)
        );
        LINKS.to(target).filter(|address| !is_of_site || self.0.has(address))
    }

    fn asset(&self, asset: &Asset) -> Option<String> {
        LINKS.asset(asset)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = self.text.into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, self.kind);
        if let Some(policy) = self.policy {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}
