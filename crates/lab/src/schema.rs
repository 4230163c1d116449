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

#[cfg(test)]
mod tests {
    /// `UPDATE_SCHEMA=1 cargo test -p tlslab-lab schema` writes them anew.
    #[test]
    fn the_schema_files_are_up_to_date() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol");
        for (name, text) in [("job", super::job()), ("event", super::event()), ("outcome", super::outcome())]
        {
            let path = format!("{folder}/{name}.schema.json");
            if std::env::var_os("UPDATE_SCHEMA").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let written = std::fs::read_to_string(&path).unwrap_or_default();
            let next = "run `UPDATE_SCHEMA=1 cargo test -p tlslab-lab schema` and look at the change";
            assert!(written == text, "{path}: {next}");
        }
    }
}
