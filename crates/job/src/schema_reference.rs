//! The reference of the files that users write, generated from their schemas.

use std::fmt::Write;

use serde_json::Value;

use crate::schema::{FILES, file};

/// The most words of a description in a table.
const MOST_VALUES: usize = 40;

/// The page.
pub fn reference() -> String {
    let mut text = "# Files\n\nWhat the files of a folder of one's own may contain. `tlslab schema scenario` prints the JSON Schema \
                    of scenarios, which editors read, and so on for the others; this page is made from the schemas.\n"
        .to_owned();
    for (name, place) in FILES {
        let schema: Value = file(name).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n## {name}: `{place}`");
        table(&mut text, &schema, None);
        for (inner, of) in schema["$defs"].as_object().into_iter().flatten() {
            if of["properties"].is_object() {
                table(&mut text, of, Some(inner));
            } else {
                values(&mut text, of, inner);
            }
        }
    }
    text
}

/// The keys of an object.
fn table(text: &mut String, of: &Value, name: Option<&str>) {
    if let Some(name) = name {
        let _ = writeln!(text, "\n### {name}");
    }
    if let Some(described) = of["description"].as_str() {
        let _ = writeln!(text, "\n{}", described.replace('\n', " "));
    }
    let required: Vec<&str> =
        of["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    text.push_str("\n| key | value | meaning |\n|---|---|---|\n");
    for (key, value) in of["properties"].as_object().into_iter().flatten() {
        let must = if required.contains(&key.as_str()) { " (required)" } else { "" };
        let meaning =
            value["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(text, "| `{key}`{must} | {} | {meaning} |", kind(value));
    }
}

/// The values of a closed set of words; nothing for another kind of type.
fn values(text: &mut String, of: &Value, name: &str) {
    let values = words(of);
    if values.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n### {name}");
    if let Some(described) = of["description"].as_str() {
        let _ = writeln!(text, "\n{}", described.replace('\n', " "));
    }
    if values.iter().all(|(_, meaning)| meaning.is_empty()) {
        let all: Vec<String> = values.iter().map(|(value, _)| format!("`{value}`")).collect();
        let _ = writeln!(text, "\n{}", all.join(", "));
        return;
    }
    text.push_str("\n| value | meaning |\n|---|---|\n");
    for (value, meaning) in values {
        let _ = writeln!(text, "| `{value}` | {} |", meaning.replace('\n', " ").replace('|', "\\|"));
    }
}

/// Every word that a type accepts, with its meaning.
fn words(of: &Value) -> Vec<(String, String)> {
    let meaning = of["description"].as_str().unwrap_or_default();
    let word = |value: &Value, meaning: &str| Some((value.as_str()?.to_owned(), meaning.to_owned()));
    if let Some(only) = word(&of["const"], meaning) {
        return vec![only];
    }
    if let Some(values) = of["enum"].as_array() {
        return values.iter().filter_map(|value| word(value, "")).collect();
    }
    let either = ["oneOf", "anyOf"].into_iter().filter_map(|key| of[key].as_array());
    either.flatten().flat_map(words).collect()
}

/// The possible values of a key, in a few words.
fn kind(value: &Value) -> String {
    if let Some(target) = value["$ref"].as_str() {
        return target.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let either = ["anyOf", "oneOf", "allOf"].into_iter().find_map(|key| value[key].as_array());
    if let Some(either) = either {
        let mut kinds: Vec<String> = either.iter().map(kind).filter(|kind| kind != "null").collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    if let Some(values) = value["enum"].as_array() {
        let named = values.iter().take(MOST_VALUES).filter(|value| !value.is_null());
        return named
            .map(|value| format!("`{}`", value.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(only) = value["const"].as_str() {
        return format!("`{only}`");
    }
    let kinds = match &value["type"] {
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect()
        }
        Value::String(kind) => vec![kind.as_str()],
        _ => vec!["any value"],
    };
    match kinds[..] {
        ["array"] => format!("list of {}", kind(&value["items"])),
        ["object"] if value["additionalProperties"].is_object() => {
            format!("table of {}", kind(&value["additionalProperties"]))
        }
        ["object"] => "table".to_owned(),
        _ => kinds.join(" or "),
    }
}
