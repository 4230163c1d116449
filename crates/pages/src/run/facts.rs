//! The proven properties of a connection, as lines by which stacks can be compared.

use serde_json::Value;
use tlslab_text::clean;

use tlslab_report::tables::{leaves, scalar};

/// A fact as shown.
#[derive(Clone, Default)]
pub(super) struct Fact {
    /// The value, or why it is not shown.
    pub value: String,
    /// Who shows it.
    pub sources: String,
}

/// The facts of one connection by name: those of the handshake, then sizes, data and the offer, then all
/// others.
pub(super) fn facts(value: &Value) -> Vec<(String, Fact)> {
    let Value::Object(members) = value else { return Vec::new() };
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
    let mut facts = Vec::new();
    for (name, value) in members {
        match is_fact(value) {
            true => facts.push((spoken(name), agreed_fact(value))),
            false => collect(name, value, &mut facts),
        }
    }
    facts
}

const ORDER: [&str; 12] = [
    "version",
    "suite",
    "group",
    "signature_scheme",
    "certificate_key",
    "resumed",
    "hello_retry_request",
    "tickets",
    "sizes",
    "records",
    "data",
    "offer",
];

fn is_fact(value: &Value) -> bool {
    value.get("not_shown").is_some() || (value.get("value").is_some() && value.get("sources").is_some())
}

fn agreed_fact(value: &Value) -> Fact {
    if let Some(reason) = value.get("not_shown") {
        return Fact { value: format!("not shown: {}", clean(&scalar(reason))), sources: String::new() };
    }
    let words = match &value["value"] {
        plain @ (Value::Object(_) | Value::Array(_)) => {
            leaves(plain).into_iter().map(|(_, value)| value).collect::<Vec<_>>().join(", ")
        }
        plain => scalar(plain),
    };
    Fact { value: clean(&words), sources: clean(&scalar(&value["sources"]).replace(' ', ", ")) }
}

fn collect(name: &str, value: &Value, facts: &mut Vec<(String, Fact)>) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            for (key, value) in members {
                collect(&format!("{name} {key}"), value, facts);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let item = |item: &Value| match (item.get("count"), item.get("plaintext_bytes")) {
                (Some(count), Some(bytes)) => format!("{count} × {bytes}"),
                _ => leaves(item)
                    .into_iter()
                    .map(|(key, value)| format!("{key} {value}"))
                    .collect::<Vec<_>>()
                    .join(" "),
            };
            let value = clean(&items.iter().map(item).collect::<Vec<_>>().join(" + "));
            facts.push((spoken(name), Fact { value, sources: source(name) }));
        }
        Value::Array(items) if items.is_empty() => {
            facts.push((spoken(name), Fact { value: "none".to_owned(), sources: source(name) }));
        }
        plain => {
            facts.push((spoken(name), Fact { value: clean(&scalar(plain)), sources: source(name) }));
        }
    }
}

/// Sizes, records and offers are read from the wire; only the driver knows the plaintext.
fn source(name: &str) -> String {
    match name.split(' ').next() {
        Some("offer" | "sizes" | "records") => "wire".to_owned(),
        Some("data") if name.contains("plaintext") && !name.contains("sent ") => "driver".to_owned(),
        Some("data") => "wire".to_owned(),
        _ => String::new(),
    }
}

fn spoken(name: &str) -> String {
    clean(&name.replace('_', " "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn facts_show_their_sources_and_what_is_not_shown() {
        let facts = super::facts(&json!({
            "sizes": { "client_hello_bytes": 190 },
            "version": { "value": "TLSv1.3", "sources": ["wire", "client"] },
            "signature_scheme": { "not_shown": "no way to say" },
            "data": { "sent": { "client": { "record_sizes": [{ "plaintext_bytes": 16384, "count": 2 }] } },
                      "plaintext_sent": 5, "expansion": null },
        }));
        let lines: Vec<String> =
            facts.iter().map(|(name, fact)| format!("{name}: {} [{}]", fact.value, fact.sources)).collect();
        assert_eq!(
            lines,
            [
                "version: TLSv1.3 [wire, client]",
                "signature scheme: not shown: no way to say []",
                "sizes client hello bytes: 190 [wire]",
                "data plaintext sent: 5 [driver]",
                "data sent client record sizes: 2 × 16384 [wire]",
            ]
        );
    }
}
