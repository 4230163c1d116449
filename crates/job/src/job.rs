//! A job: a request with an identifier, a level of trust and a policy, as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_lab::{Conditions, JobId, Problem, Start, Trust};
use tlslab_record::Policy;

use crate::request::Request;

/// The version of the format of jobs, events and outcomes that this lab writes.
pub const FORMAT: u32 = 1;

/// The largest text that is read as a job, bytes.
pub const LONGEST_JOB: usize = 1 << 20;

/// A request with everything that decides how it is carried out, except for the place of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The version of its format.
    #[serde(default = "format")]
    pub format: u32,
    /// Its identifier: a job of the same identifier resumes with existing measurements.
    pub id: JobId,
    /// The request.
    pub request: Request,
    /// How far its sources are trusted.
    pub trust: Trust,
    /// Every number that decisions depend on; the lab's own by default.
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
    /// Fails if the text is not a job; the error names the field if known.
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
            let next = "`tlslab schema job` describes each field";
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

impl From<&Job> for Conditions {
    fn from(job: &Job) -> Self {
        Self {
            id: job.id.clone(),
            start: Start::Either,
            trust: job.trust,
            isolation: job.trust.into(),
            policy: job.policy.clone(),
            command: Vec::new(),
        }
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
