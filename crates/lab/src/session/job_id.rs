//! The identifier of a job.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use tlslab_record::is_run_id;

/// The identifier of a job: lowercase letters, digits and hyphens, so that it can be the name of a folder and
/// of a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct JobId(String);

impl JobId {
    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A new identifier, which begins with the time.
    pub fn new() -> Self {
        use rand::RngExt;
        let now = jiff::Timestamp::now();
        Self(format!("{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), rand::rng().random::<u16>()))
    }

    /// The identifier of a request that can resume: its kind, and a digest of its content.
    pub fn of(kind: &str, request: &impl Serialize) -> Self {
        use sha2::Digest as _;
        let text = serde_json::to_vec(request).unwrap_or_default();
        Self(format!("{kind}-{}", &hex::encode(sha2::Sha256::digest(&text))[..16]))
    }
}

impl Default for JobId {
    fn default() -> Self {
        Self::new()
    }
}

impl FromStr for JobId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.len() <= LONGEST_ID && is_run_id(text) {
            true => Ok(Self(text.to_owned())),
            false => Err(format!(
                "\"{}\" is not an identifier; write lowercase letters, digits and hyphens, {LONGEST_ID} at most",
                text.chars().take(LONGEST_ID).collect::<String>().escape_debug()
            )),
        }
    }
}

/// A job's runs have longer names than the job.
const LONGEST_ID: usize = 96;

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for JobId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for JobId {
    fn schema_name() -> Cow<'static, str> {
        "JobId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[a-z0-9-]+$", "minLength": 1, "maxLength": LONGEST_ID })
    }
}
