//! Requests to the server's API.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::http::Request;

use crate::gitea::error::GiteaError;

/// Longer answers are rejected.
const LONGEST_ANSWER: u64 = 64 << 20;
/// The number of entries per page: the server's own maximum.
const PAGE: usize = 50;

/// The API of one server.
pub(super) struct Api {
    agent: Agent,
    address: String,
}

/// One request.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub body: Option<&'a Value>,
    /// The value of the header `Authorization`.
    pub authorization: Option<&'a str>,
}

impl Api {
    pub(super) fn new(port: u16) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(60)))
            .http_status_as_error(false)
            .max_redirects(0)
            // The server is on this machine.
            .proxy(None)
            .build()
            .into();
        Self { agent, address: format!("http://127.0.0.1:{port}/api/v1") }
    }

    /// Sends a request without credentials.
    pub(super) fn anonymous(&self, method: &str, path: &str) -> Result<Value, GiteaError> {
        self.send(Ask { method, path, body: None, authorization: None })
    }

    /// Sends a request. The answer is null if it is empty or not JSON.
    pub(super) fn send(&self, ask: Ask) -> Result<Value, GiteaError> {
        let silent = |cause: String| GiteaError::Silent {
            url: self.address.clone(),
            cause,
            log: "not read".to_owned(),
        };
        let mut request = Request::builder().method(ask.method).uri(format!("{}{}", self.address, ask.path));
        if let Some(authorization) = ask.authorization {
            request = request.header("Authorization", authorization);
        }
        let request = match ask.body {
            Some(body) => request.header("Content-Type", "application/json").body(body.to_string()),
            None => request.body(String::new()),
        };
        let request = request.map_err(|cause| silent(cause.to_string()))?;
        let mut response = self.agent.run(request).map_err(|cause| silent(cause.to_string()))?;
        let text = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_string();
        let text = text.map_err(|cause| silent(cause.to_string()))?;
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            let (method, path) = (ask.method.to_owned(), ask.path.to_owned());
            return Err(GiteaError::Refused { method, path, status, body: text });
        }
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Reads all pages of a list.
    pub(super) fn list(&self, path: &str, authorization: &str) -> Result<Vec<Value>, GiteaError> {
        let mut found = Vec::new();
        let join = if path.contains('?') { '&' } else { '?' };
        for page in 1.. {
            let path = format!("{path}{join}limit={PAGE}&page={page}");
            let ask = Ask { method: "GET", path: &path, body: None, authorization: Some(authorization) };
            let Value::Array(entries) = self.send(ask)? else { break };
            let last = entries.len() < PAGE;
            found.extend(entries);
            if last {
                break;
            }
        }
        Ok(found)
    }
}

/// A string field of an answer.
pub(super) fn text(answer: &Value, pointer: &str, method: &str, path: &str) -> Result<String, GiteaError> {
    let found = answer.pointer(pointer).and_then(Value::as_str);
    found.map(str::to_owned).ok_or_else(|| lacks(pointer, method, path))
}

/// A number field of an answer.
pub(super) fn number(answer: &Value, pointer: &str, method: &str, path: &str) -> Result<u64, GiteaError> {
    answer.pointer(pointer).and_then(Value::as_u64).ok_or_else(|| lacks(pointer, method, path))
}

fn lacks(pointer: &str, method: &str, path: &str) -> GiteaError {
    GiteaError::Answer { method: method.to_owned(), path: path.to_owned(), field: pointer.to_owned() }
}
