//! The host's fingerprint in full.

use serde_json::Value;
use tlslab_text::clean;

/// Every leaf of a JSON value with its path, such as `cpu.model`; lists of plain values are one leaf.
pub fn leaves(value: &Value) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    collect(String::new(), value, &mut leaves);
    leaves
}

fn collect(path: String, value: &Value, leaves: &mut Vec<(String, String)>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                collect(below(key), value, leaves);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (at, item) in items.iter().enumerate() {
                collect(below(&at.to_string()), item, leaves);
            }
        }
        Value::Null => {}
        plain => leaves.push((clean(&path), clean(&scalar(plain)))),
    }
}

/// A plain value, or a list of plain values, as text.
pub fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(items) => items.iter().map(scalar).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn a_fingerprint_becomes_lines() {
        let host = json!({
            "cpu": { "name": "Example 9000", "features": ["aes", "avx2"] },
            "topology": { "logical_cpus": 4, "allowed_cpus": 2 },
            "system": { "kernel": "6.1.0" },
            "tuning": { "smt": true, "governor": null }, "disks": [{ "name": "a" }]
        });
        let leaves = super::leaves(&host);
        let leaf = |path: &str| leaves.iter().find(|leaf| leaf.0 == path).map(|leaf| leaf.1.as_str());
        assert_eq!(leaf("cpu.features"), Some("aes avx2"));
        assert_eq!(leaf("disks.0.name"), Some("a"));
        assert_eq!(leaf("tuning.smt"), Some("yes"));
        assert_eq!(leaf("tuning.governor"), None);
    }
}
