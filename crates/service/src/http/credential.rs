//! The credential that a runner's git shows for the private repositories of its job. No other answer has it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tlslab_forge::ForgeError;
use tlslab_queue::{Hold, Renewed};
use tlslab_runner::Work;
use tlslab_runner::wire::AskCredential;

use super::answer::{database_problem, problem};
use super::runner_protocol::Known;
use crate::log::log;
use crate::service::Service;
use crate::tries::may_pass;

/// `POST /runner/v1/credential`: for the holder of the lease of a job with private repositories, while it
/// lasts.
pub(super) async fn answer(
    State(service): State<Arc<Service>>,
    Known(runner): Known,
    Json(ask): Json<AskCredential>,
) -> Response {
    let hold = Hold { job: ask.job, token: ask.token, runner: runner.name };
    let asked = hold.clone();
    let held = service.ask(move |queue| Ok((queue.renew(&asked, None)?, queue.job(&asked.job)?))).await;
    let (renewed, job) = match held {
        Ok(held) => held,
        Err(error) => return database_problem(&error),
    };
    let job = job.filter(|_| renewed != Renewed::Lost);
    let Some(job) = job else {
        return problem(StatusCode::CONFLICT, "the job is not leased to this runner");
    };
    let private = serde_json::from_value::<Work>(job.body).map(|work| work.private).unwrap_or_default();
    if private.is_empty() || service.config.project(&job.project).is_none() {
        return problem(StatusCode::CONFLICT, "the job has no private repository");
    }
    let giving = service.clone();
    let given = tokio::task::spawn_blocking(move || {
        let project = giving.config.project(&job.project);
        let project = project.ok_or_else(|| anyhow::anyhow!("its project is not configured any more"))?;
        giving.fetch_credential(project, &private)
    });
    match given.await.map_err(anyhow::Error::from).and_then(|given| given) {
        Ok(credential) => {
            log(&format!("runner {} was given a credential for job {}", hold.runner, hold.job));
            ([(header::CACHE_CONTROL, "no-store")], Json(credential)).into_response()
        }
        Err(cause) => {
            log(&format!("job {} gets no credential: {cause:#}", hold.job));
            // A permanent error is not tried again.
            let passes = cause.downcast_ref::<ForgeError>().is_some_and(may_pass);
            let status = if passes { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::CONFLICT };
            problem(status, &format!("the code host gives no credential: {cause:#}"))
        }
    }
}
