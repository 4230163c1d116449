//! What is asked of a forge and what it answers.

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
    /// What goes with it, as JSON.
    pub body: Option<Value>,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// After how many seconds it may be asked again, where it says so.
    pub retry_after_s: Option<u64>,
    /// How many requests are left, where it says so.
    pub remaining: Option<u64>,
    /// When there will be more, seconds since 1970.
    pub reset_unix_s: Option<u64>,
    /// The body; null where it is no JSON.
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

    /// What the forge says about it.
    pub fn message(&self) -> String {
        let said = ["message", "error_description", "error"].iter().find_map(|name| self.body.get(name));
        match said {
            Some(Value::String(text)) => text.chars().take(200).collect(),
            Some(other) => other.to_string().chars().take(200).collect(),
            None => "it says no more".to_owned(),
        }
    }
}
