//! The JSON Schema of `results.json`, generated from the types.

use schemars::schema_for;

use crate::model::Report;

/// The schema as pretty-printed JSON with a final line feed. `results.schema.json` in this crate is this
/// text.
pub fn results_schema() -> String {
    let schema = schema_for!(Report);
    // A schema is plain JSON.
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema serialises");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    /// `UPDATE_SCHEMA=1 cargo test -p tlslab-estimate` updates it.
    #[test]
    fn the_schema_file_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/results.schema.json");
        let generated = super::results_schema();
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(path, &generated).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == generated,
            "run `UPDATE_SCHEMA=1 cargo test -p tlslab-estimate` and look at the change"
        );
    }
}
