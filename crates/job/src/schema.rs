//! The JSON Schemas of jobs, events and outcomes, and of the files that users write.

pub use crate::schema_reference::reference;

use schemars::{JsonSchema, Schema, schema_for};

use crate::job::Job;
use crate::work::{Ending, EventLine};

/// The schema of a job.
pub fn job() -> String {
    text::<Job>()
}

/// The schema of the lines of `tlslab work`.
pub fn event() -> String {
    text::<EventLine>()
}

/// The schema of its last line.
pub fn outcome() -> String {
    text::<Ending>()
}

/// The files that users write: each one's name, place and schema.
pub const FILES: [(&str, &str); 4] = [
    ("scenario", "scenarios/NAME.toml"),
    ("suite", "scenarios/suites/NAME.toml"),
    ("recipe", "stacks/NAME.toml"),
    ("document", "documents/NAME.toml"),
];

/// The schema of a file that users write.
pub fn file(name: &str) -> Option<String> {
    Some(format!("{:#}\n", schema_of(name)?.to_value()))
}

fn schema_of(name: &str) -> Option<Schema> {
    match name {
        "scenario" => Some(tlslab_scenario::family_schema()),
        "suite" => Some(tlslab_scenario::suite_schema()),
        "recipe" => Some(tlslab_recipe::schema()),
        "document" => Some(schema_for!(tlslab_reproduction::Document)),
        _ => None,
    }
}

fn text<T: JsonSchema>() -> String {
    format!("{:#}\n", schema_for!(T).to_value())
}

#[cfg(test)]
mod tests {
    /// `UPDATE_SCHEMA=1 cargo test -p tlslab-job schema` regenerates it.
    #[test]
    fn the_reference_of_files_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/files.md");
        let text = crate::schema_reference::reference();
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == text,
            "{path}: run `UPDATE_SCHEMA=1 cargo test -p tlslab-job schema` and look at the change"
        );
    }

    /// `UPDATE_SCHEMA=1 cargo test -p tlslab-job schema` regenerates them.
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
            let next = "run `UPDATE_SCHEMA=1 cargo test -p tlslab-job schema` and look at the change";
            assert!(written == text, "{path}: {next}");
        }
    }
}
