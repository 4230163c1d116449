//! What is carried out: a request with an identifier, a level of trust and a policy, as plain data.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use tlslab_record::{Policy, is_run_id};

use crate::problem::Problem;
use crate::request::Request;

/// The version of the form of jobs, events and outcomes that this lab writes.
pub const FORMAT: u32 = 1;

/// The largest text that is read as a job, bytes.
pub const LONGEST_JOB: usize = 1 << 20;

/// A request with all that decides how it is carried out. Where results lie is no part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The version of its form.
    #[serde(default = "format")]
    pub format: u32,
    /// Its identifier: a job of the same identifier goes on with what was measured.
    pub id: JobId,
    /// What is asked for.
    pub request: Request,
    /// How far its sources are trusted.
    pub trust: Trust,
    /// Every number that decisions depend on; the lab's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
}

fn format() -> u32 {
    FORMAT
}

impl Job {
    /// Reads a job.
    ///
    /// # Errors
    /// A text that is none, with the field that is wrong where that is known.
    pub fn read(text: &[u8]) -> Result<Self, Problem> {
        let thing = "the job";
        if text.len() > LONGEST_JOB {
            let cause = format!("it has {} bytes, more than {LONGEST_JOB}", text.len());
            return Err(Problem::invalid("job", thing, cause, "send a shorter one"));
        }
        let deserializer = &mut serde_json::Deserializer::from_slice(text);
        let job: Self = serde_path_to_error::deserialize(deserializer).map_err(|wrong| {
            let field = match wrong.path().to_string() {
                path if path == "." => "job".to_owned(),
                path => path,
            };
            let next = "the schema of jobs says what each field may be";
            Problem::invalid(field, thing, wrong.into_inner().to_string(), next)
        })?;
        if job.format != FORMAT {
            let cause = format!("it has form {}, this lab reads {FORMAT}", job.format);
            return Err(Problem::invalid(
                "format",
                thing,
                cause,
                "write a job of that form, or use the lab that it is for",
            ));
        }
        Ok(job)
    }
}

/// The identifier of a job: small letters, digits and hyphens, so that it can be the name of a folder and of a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct JobId(String);

impl JobId {
    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A new one, which begins with the time.
    pub fn new() -> Self {
        use rand::RngExt;
        let now = jiff::Timestamp::now();
        Self(format!("{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), rand::rng().random::<u16>()))
    }

    /// That of a request of which the same one goes on: its kind, and a digest of what it asks for.
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
                "\"{}\" is not an identifier; write small letters, digits and hyphens, {LONGEST_ID} at most",
                text.chars().take(LONGEST_ID).collect::<String>().escape_debug()
            )),
        }
    }
}

/// Runs of a job have names that are longer than its own.
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

/// How far the sources and the recipes of a job are trusted. It alone decides whether they run in a sandbox, in which cache their
/// products are written, and from which hosts they may be fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// A user's own work on their own machine: no sandbox, any source, also folders and files of this machine.
    Owner,
    /// The lab's own recipes at released versions, in a sandbox; their products are everybody's.
    Reviewed,
    /// Anybody's code: in a sandbox, with products in a cache of its own where there is one.
    Candidate,
}

impl Trust {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Reviewed => "reviewed",
            Self::Candidate => "candidate",
        }
    }
}

impl FromStr for Trust {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known =
            [Self::Owner, Self::Reviewed, Self::Candidate].into_iter().find(|trust| trust.name() == text);
        known.ok_or_else(|| "write owner, reviewed or candidate".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_needs_three_fields_and_survives_json() {
        let text = br#"{"id":"a-1","trust":"candidate","request":{"kind":"build","stacks":["s"]}}"#;
        let job = Job::read(text).unwrap();
        assert_eq!((job.format, job.id.as_str(), job.trust), (FORMAT, "a-1", Trust::Candidate));
        assert_eq!(Job::read(&serde_json::to_vec(&job).unwrap()).unwrap(), job);
    }

    #[test]
    fn what_is_wrong_with_a_job_is_named_with_its_field() {
        let wrong = |text: &str| {
            let problem = Job::read(text.as_bytes()).unwrap_err();
            (problem.field.clone().unwrap(), problem.to_string())
        };
        let job =
            |id: &str, rest: &str| format!("{{\"id\":\"{id}\",\"trust\":\"owner\",\"request\":{{{rest}}}}}");
        for id in ["", "A", "../x", "a b", "ü", &"x".repeat(97)] {
            assert!(wrong(&job(id, "\"kind\":\"build\"")).1.contains("identifier"), "{id}");
        }
        for rest in [
            "\"kind\":\"run\",\"timeout_s\":-1",
            "\"kind\":\"run\",\"rounds\":0",
            "\"kind\":\"run\",\"count_iterations\":0",
            "\"kind\":\"run\",\"slicing\":{\"slices\":0}",
            "\"kind\":\"run\",\"slicing\":{\"warm_up\":{\"least_ns\":1,\"least_iterations\":1,\"most_ns\":18446744073709551615}}",
            "\"kind\":\"compare\",\"decision\":{\"floor\":1e300}",
            "\"kind\":\"validate\",\"by\":[0.9]",
            "\"kind\":\"doctor\",\"budgets_s\":[-1]",
            "\"kind\":\"run\",\"out\":\"/etc\"",
            "\"kind\":\"nothing\"",
        ] {
            let (field, text) = wrong(&job("a", rest));
            assert!(field.starts_with("request") && text.contains("the job"), "{rest}: {field}: {text}");
        }
        assert_eq!(wrong("").0, "job");
        assert_eq!(wrong("[]").0, "job");
        assert!(
            wrong(&format!("{{\"format\":2,{}", &job("a", "\"kind\":\"build\"")[1..])).1.contains("form 2")
        );
        assert!(wrong(&" ".repeat(LONGEST_JOB + 1)).1.contains("more than"));
    }
}
