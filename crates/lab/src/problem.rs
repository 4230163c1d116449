//! Errors in a request, or in the place where it is carried out: the thing, the cause and the next step, with
//! a kind.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_text::{did_you_mean, nearest};

/// The kind of an error: what the sender can do about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The request is invalid: send another one.
    Invalid,
    /// Something that the request names does not exist.
    NotFound,
    /// A resource that it needs is unavailable at the moment, or on this machine.
    Unavailable,
    /// It is not allowed.
    Refused,
    /// It was cancelled, and can be resumed.
    Interrupted,
    /// It failed.
    Failed,
}

/// An error: the thing, the cause and the next step. It names no option of a command line, so that any reader
/// can use it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Problem(Box<ProblemParts>);

/// The parts of a [`Problem`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProblemParts {
    /// The kind.
    pub kind: ErrorKind,
    /// The field of the request that is wrong, such as `budget_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The thing.
    pub thing: String,
    /// The cause.
    pub cause: String,
    /// The next step.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub next_step: String,
    /// Existing alternatives, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// After how long to try again, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<f64>,
}

impl Problem {
    /// An error of a kind, without the parts that only some kinds have.
    pub fn new(
        kind: ErrorKind,
        thing: impl Into<String>,
        cause: impl Into<String>,
        next_step: impl Into<String>,
    ) -> Self {
        let (thing, cause, next_step) = (thing.into(), cause.into(), next_step.into());
        let (field, near, retry_after_s) = (None, Vec::new(), None);
        Self(Box::new(ProblemParts { kind, field, thing, cause, next_step, near, retry_after_s }))
    }

    /// An invalid field of the request.
    pub fn invalid(
        field: impl Into<String>,
        thing: impl Into<String>,
        cause: impl Into<String>,
        next_step: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Invalid, thing, cause, next_step).with_field(field)
    }

    /// Something that is not allowed.
    pub fn refused(thing: impl Into<String>, cause: impl Into<String>, next_step: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, thing, cause, next_step)
    }

    /// Something that does not exist, with existing alternatives.
    pub fn not_found(
        thing: impl Into<String>,
        cause: impl Into<String>,
        next_step: impl Into<String>,
        known: impl IntoIterator<Item = String>,
    ) -> Self {
        let thing = thing.into();
        let known: Vec<String> = known.into_iter().collect();
        let near = nearest(&thing, known.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
        let mut problem = Self::new(ErrorKind::NotFound, thing, cause, next_step);
        problem.0.near = near;
        problem
    }

    /// The same problem, about a field of the request.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// The same, with the time after which to try again, s.
    #[must_use]
    pub fn with_retry(mut self, after_s: Option<f64>) -> Self {
        self.0.retry_after_s = after_s;
        self
    }
}

impl Deref for Problem {
    type Target = ProblemParts;

    fn deref(&self) -> &ProblemParts {
        &self.0
    }
}

impl Error for Problem {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.thing, self.cause)?;
        let advice = format!("{}{}", did_you_mean(&self.near), self.next_step);
        match advice.trim_end() {
            "" => Ok(()),
            advice => write!(f, "; {advice}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_sentence_with_what_is_near() {
        let known = ["handshake", "handover", "transfer"].map(str::to_owned);
        let problem = Problem::not_found("handshaek", "no suite is called so", "choose one", known);
        assert_eq!(
            problem.to_string(),
            "handshaek: no suite is called so; did you mean handshake? choose one"
        );
        let read: Problem = serde_json::from_str(&serde_json::to_string(&problem).unwrap()).unwrap();
        assert_eq!(read, problem);
    }
}
