//! Forms on the pages of jobs and pull requests, for those who are signed in.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State as Shared};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use tlslab_pages::service::{Action, Actions};
use tlslab_queue::{JobRow, Scope};

use super::guard::{limit, protect};
use super::session::{Form, Session, see_other, signed_in};
use super::shown::PageError;
use crate::actions::{By, again, approve, awaited_commit, can_run_again, cancel, may_end};
use crate::render::job::Repository;
use crate::render::words::short;
use crate::service::Service;
use crate::subject::Subject;

/// The routes.
pub(super) fn routes() -> Router<Arc<Service>> {
    let router = Router::new()
        .route("/jobs/{id}/cancel", post(cancel_job))
        .route("/jobs/{id}/approve", post(approve_job))
        .route("/jobs/{id}/again", post(run_again));
    protect(limit(router))
}

/// The actions of a signed-in person on a job; none for everybody else.
pub(super) fn actions_of(
    session: Option<&Session>,
    job: &JobRow,
    repository: Option<&Repository>,
) -> Actions {
    let Some(session) = session else { return Actions::default() };
    let access = &session.access;
    let address = |what: &str| format!("/jobs/{}/{what}", super::pages::encoded(&job.id));
    let mut buttons = Vec::new();
    if let Some(commit) = awaited_commit(job).filter(|_| access.may(Scope::Administer)) {
        let number = match Subject::of(job) {
            Some(Subject::Pull(pull)) => Some(pull.number),
            _ => None,
        };
        let diff = repository.zip(number).and_then(|(repository, number)| repository.diff(number));
        buttons.push(Action {
            text: format!("Approve this commit: {}", short(&commit)),
            address: address("approve"),
            commit,
            look: diff.map(|address| ("Its diff on the code host".to_owned(), address)),
        });
    }
    if may_end(access, job) {
        let button =
            |text: &str, what| Action { text: text.to_owned(), address: address(what), ..Action::default() };
        if can_run_again(job) {
            buttons.push(button("Run again", "again"));
        }
        if !job.state.is_ended() && job.cancel.is_none() {
            buttons.push(button("Cancel", "cancel"));
        }
    }
    Actions { csrf: session.csrf(), buttons }
}

/// The sender of a form of this session.
async fn sender(
    service: &Arc<Service>,
    headers: &HeaderMap,
    body: Body,
    scope: Scope,
) -> Result<(Session, Form), PageError> {
    let session = signed_in(service, headers, scope).await?;
    let form = Form::read(body).await?;
    session.check(service, headers, &form)?;
    Ok((session, form))
}

fn by(session: &Session) -> By<'_> {
    By { access: &session.access, why: None }
}

async fn cancel_job(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, PageError> {
    let (session, _) = sender(&service, &headers, body, Scope::Submit).await?;
    let job = cancel(&service, &id, by(&session)).await?;
    Ok(to_page(&job))
}

async fn approve_job(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, PageError> {
    let (session, form) = sender(&service, &headers, body, Scope::Administer).await?;
    // A form without a commit approves none.
    let commit = form.get("commit").unwrap_or_default();
    let job = approve(&service, &id, Some(commit), by(&session)).await?;
    Ok(to_page(&job))
}

async fn run_again(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, PageError> {
    let (session, _) = sender(&service, &headers, body, Scope::Submit).await?;
    let job = again(&service, &id, by(&session)).await?;
    Ok(to_page(&job))
}

/// The page of a job is loaded next.
fn to_page(job: &JobRow) -> Response {
    see_other(&format!("/jobs/{}", super::pages::encoded(&job.id)))
}
