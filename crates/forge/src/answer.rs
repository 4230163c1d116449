//! Requests to a forge and their answers.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::ForgeError;

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// `GET`, `POST`, `PUT` or `PATCH`.
    pub method: &'static str,
    /// The whole address.
    pub url: String,
    /// Its body, as JSON.
    pub body: Option<Value>,
    /// A token instead of the transport's own.
    pub token: Option<Token>,
}

impl Ask {
    pub(crate) fn get(url: String) -> Self {
        Self { method: "GET", url, body: None, token: None }
    }

    pub(crate) fn new(method: &'static str, url: String, body: Value) -> Self {
        Self { method, url, body: Some(body), token: None }
    }
}

/// A secret that opens a forge. It is not part of any message.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// From its text: printable ASCII, as it becomes a header.
    pub fn new(text: &str) -> Result<Self, ForgeError> {
        let is_good = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        let why = "it must consist of printable ASCII characters without spaces";
        let refused = || ForgeError::Name { what: "token", text: "(not shown)".to_owned(), why };
        is_good.then(|| Self(text.to_owned())).ok_or_else(refused)
    }

    /// Its text, for the header of a request.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(not shown)")
    }
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// After how many seconds to retry, if the forge states it.
    pub retry_after_s: Option<u64>,
    /// How many requests are left, if the forge states it.
    pub remaining: Option<u64>,
    /// When there will be more, seconds since 1970.
    pub reset_unix_s: Option<u64>,
    /// The body; null if it is not JSON.
    pub body: Value,
}

/// Carries requests.
pub trait Transport {
    /// Sends one and waits for its answer, whatever its status.
    fn send(&mut self, ask: &Ask) -> Result<Answer, ForgeError>;
    /// Waits.
    fn wait(&mut self, time: Duration);
    /// Seconds since 1970.
    fn now_unix_s(&self) -> u64;
}

impl Answer {
    /// Whether it went well.
    pub fn is_well(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The forge's message.
    pub fn message(&self) -> String {
        let said = ["message", "error_description", "error"].iter().find_map(|name| self.body.get(name));
        match said {
            Some(Value::String(text)) => text.chars().take(200).collect(),
            Some(other) => other.to_string().chars().take(200).collect(),
            None => "without a message".to_owned(),
        }
    }
}

/// A successful answer, or the error; `need` describes the permissions that a token must have.
pub(crate) fn well(ask: &Ask, answer: Answer, need: &'static str) -> Result<Answer, ForgeError> {
    let Ask { method, url, .. } = ask;
    let (method, url, message) = (*method, url.clone(), answer.message());
    match answer.status {
        _ if answer.is_well() => Ok(answer),
        status @ (301 | 302 | 307 | 308) => Err(ForgeError::Renamed { url, status }),
        401 => Err(ForgeError::Unauthorised { url, message, need }),
        403 => Err(ForgeError::Forbidden { method, url, message, need }),
        404 => Err(ForgeError::NotFound { url, message, need }),
        status => Err(ForgeError::Unexpected { method, url, status, message }),
    }
}

/// Where a number is in an answer.
pub(crate) fn number(body: &Value, name: &str) -> Option<u64> {
    body.get(name)?.as_u64()
}

/// Where a text is in an answer.
pub(crate) fn words<'b>(body: &'b Value, name: &str) -> Option<&'b str> {
    body.get(name)?.as_str()
}
