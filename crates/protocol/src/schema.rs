//! The JSON Schema of the protocol, generated from the types.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;

use crate::{Reply, Request};

/// A line in either direction, so that one schema covers both.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Line {
    /// From the lab to the driver.
    Request(Request),
    /// From the driver to the lab.
    Reply(Reply),
}

/// The JSON Schema as pretty-printed text with a final line feed.
pub fn protocol_schema() -> String {
    let schema = schema_for!(Line);
    // A schema is plain JSON, so serialising it cannot fail.
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema serialises");
    text.push('\n');
    text
}
