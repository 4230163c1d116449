//! Answers that every part gives.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tlslab_queue::QueueError;

use crate::log::log;

/// A refusal, for programs.
pub(crate) fn problem(status: StatusCode, message: &str) -> Response {
    let kind = match status {
        StatusCode::NOT_FOUND => "not-found",
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "refused",
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => "unavailable",
        status if status.is_server_error() => "failed",
        _ => "invalid",
    };
    let body = axum::Json(json!({"kind": kind, "message": message}));
    match status {
        StatusCode::SERVICE_UNAVAILABLE => (status, [(header::RETRY_AFTER, "5")], body).into_response(),
        _ => (status, body).into_response(),
    }
}

/// The database does not answer.
pub(crate) fn database_problem(error: &QueueError) -> Response {
    log(&error.to_string());
    match error {
        QueueError::Store(_) => {
            problem(StatusCode::SERVICE_UNAVAILABLE, "the database is unavailable; try again")
        }
        QueueError::Missing { .. } => problem(StatusCode::NOT_FOUND, &error.to_string()),
        QueueError::Conflict { .. } => problem(StatusCode::CONFLICT, &error.to_string()),
        QueueError::Damaged { .. } => {
            problem(StatusCode::INTERNAL_SERVER_ERROR, "a row cannot be read; see the log")
        }
    }
}
