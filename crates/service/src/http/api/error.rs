//! Errors of the API: the thing, the cause and the next step, with a status.

use std::fmt;
use std::time::Duration;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use tlslab_lab::{ErrorKind, Problem};
use tlslab_queue::QueueError;

/// When to ask again if the database is away.
const DATABASE_AWAY: Duration = Duration::from_secs(5);

/// Why a request has no answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct ApiError(Box<Parts>);

/// The parts of an error.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiErrorParts")]
struct Parts {
    /// The status of the answer.
    #[serde(skip)]
    status: StatusCode,
    /// Its kind, by what the client can do about it.
    kind: ApiErrorKind,
    /// All of it in a sentence.
    message: String,
    /// The field of the request that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The field or name that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    thing: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<String>,
    /// Existing names, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near: Vec<String>,
    /// When to try again, s from now; also in the header Retry-After.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
}

/// Of which kind an error is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ApiErrorKind {
    /// The request is invalid: another one must be sent.
    Invalid,
    /// The token is missing or unknown.
    Unauthorised,
    /// The token may not do this.
    Forbidden,
    /// The named resource does not exist.
    NotFound,
    /// It conflicts with the current state.
    Conflict,
    /// It is too large.
    TooLarge,
    /// There were too many requests.
    TooMany,
    /// The service cannot do it at the moment.
    Unavailable,
    /// It was tried without success.
    Failed,
}

impl ApiError {
    fn new(status: StatusCode, kind: ApiErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let (field, thing, cause, next_step) = (None, None, None, None);
        let (near, retry_after_s) = (Vec::new(), None);
        Self(Box::new(Parts { status, kind, message, field, thing, cause, next_step, near, retry_after_s }))
    }

    fn with_retry(mut self, wait_s: u64) -> Self {
        self.0.retry_after_s = Some(wait_s);
        self
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        self.0.status
    }

    /// All of it in a sentence.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// A token is needed.
    pub(crate) fn unauthorised(cause: &str) -> Self {
        let message =
            format!("{cause}; send `Authorization: Bearer TOKEN` with a token that the service has granted");
        Self::new(StatusCode::UNAUTHORIZED, ApiErrorKind::Unauthorised, message)
    }

    /// The token may not.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ApiErrorKind::Forbidden, message)
    }

    /// Nothing has that name.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, ApiErrorKind::NotFound, message)
    }

    /// There is no such job.
    pub(crate) fn no_job(id: &str) -> Self {
        let id: String = id.chars().take(96).collect();
        Self::not_found(format!("there is no job \"{}\"; GET /api/v1/jobs lists them", id.escape_debug()))
    }

    /// It conflicts with the current state.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, ApiErrorKind::Conflict, message)
    }

    /// It is too large.
    pub(crate) fn too_large(most: usize) -> Self {
        let message = format!("the request has more than {most} bytes; send a shorter one");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ApiErrorKind::TooLarge, message)
    }

    /// There were too many requests.
    pub(crate) fn too_many(wait_s: u64) -> Self {
        let message = format!("too many requests from this address; try again in {wait_s} s");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, ApiErrorKind::TooMany, message);
        error.with_retry(wait_s)
    }

    /// A limit of the configuration is reached.
    pub(crate) fn over_limit(message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, ApiErrorKind::TooMany, message)
    }

    /// The path has no such method.
    pub(crate) fn wrong_method() -> Self {
        let message = "this path has no such method; GET /api/v1/openapi.json lists them";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, ApiErrorKind::Invalid, message)
    }

    /// Something that no request can change.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ApiErrorKind::Failed, message)
    }

    /// Something that the service cannot do before some time has passed.
    pub(crate) fn unavailable(cause: impl fmt::Display, after: Duration) -> Self {
        let wait_s = after.as_secs().max(1);
        let message = format!("{cause}; try again in {wait_s} s");
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, ApiErrorKind::Unavailable, message);
        error.with_retry(wait_s)
    }

    /// A parameter or field is invalid.
    pub(crate) fn invalid(field: &str, cause: impl Into<String>) -> Self {
        let cause = cause.into();
        let error =
            Self::new(StatusCode::BAD_REQUEST, ApiErrorKind::Invalid, format!("\"{field}\": {cause}"));
        Self(Box::new(Parts { field: Some(field.to_owned()), cause: Some(cause), ..*error.0 }))
    }

    /// The engine's error on a job in the field `job`.
    pub(crate) fn of_job(problem: &Problem) -> Self {
        let (status, kind) = match problem.kind {
            ErrorKind::NotFound => (StatusCode::NOT_FOUND, ApiErrorKind::NotFound),
            ErrorKind::Refused => (StatusCode::FORBIDDEN, ApiErrorKind::Forbidden),
            _ => (StatusCode::BAD_REQUEST, ApiErrorKind::Invalid),
        };
        let field = problem.field.as_deref().map(|field| match field {
            "job" => field.to_owned(),
            field => format!("job.{field}"),
        });
        let (thing, cause) = (Some(problem.thing.clone()), Some(problem.cause.clone()));
        let next_step = Some(problem.next_step.clone()).filter(|text| !text.is_empty());
        let near = problem.near.clone();
        let error = Self::new(status, kind, problem.to_string());
        Self(Box::new(Parts { field, thing, cause, next_step, near, ..*error.0 }))
    }
}

impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Store(_) => Self::unavailable("the database cannot be reached", DATABASE_AWAY),
            QueueError::Conflict { .. } => Self::conflict(error.to_string()),
            QueueError::Missing { .. } => Self::not_found(error.to_string()),
            // Where the database is concerns nobody outside.
            QueueError::Damaged { .. } => {
                Self::failed("the database has a row that cannot be read; see the log of the service")
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, retry) = (self.0.status, self.0.retry_after_s);
        let mut response = (status, Json(self)).into_response();
        if let Some(retry) = retry {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry));
        }
        if status == StatusCode::UNAUTHORIZED {
            let how = HeaderValue::from_static("Bearer realm=\"tlslab\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, how);
        }
        response
    }
}
