//! The JSON Schemas of jobs, events and outcomes.

use schemars::{JsonSchema, schema_for};

use crate::job::Job;
use crate::work::{Ending, EventLine};

/// That of what a process that carries out a job reads.
pub fn job() -> String {
    text::<Job>()
}

/// That of the lines that it writes.
pub fn event() -> String {
    text::<EventLine>()
}

/// That of its last line.
pub fn outcome() -> String {
    text::<Ending>()
}

fn text<T: JsonSchema>() -> String {
    format!("{:#}\n", schema_for!(T).to_value())
}
