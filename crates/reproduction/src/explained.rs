//! Errors of a document's file, with the place and the known keys.
//!
//! Parts of a document that share keys are read in two steps, and the reader then knows neither the place of
//! a key nor the keys of the other step.

use std::ops::Range;

use serde_json::Value;

/// The error of a text as a reader of the file needs it. `schema` makes the schema of the file.
pub(crate) fn explained(text: &str, error: &toml::de::Error, schema: impl FnOnce() -> Value) -> String {
    let message = error.message().trim();
    let place = error.span().and_then(|span| {
        let word = message.split('`').nth(1)?;
        let is_key = message.starts_with("unknown field");
        let found = text.get(span.clone())?;
        let is_exact = found.trim_matches(['"', '\'']) == word;
        let place = if is_exact { None } else { place_of(text, span.start, word, is_key) };
        place.map(|place| (place, span.start))
    });
    let Some((place, start)) = place else { return error.to_string() };
    let keys = match message.starts_with("unknown field") && !message.contains("expected") {
        true => keys_at(&text[start..], schema),
        false => None,
    };
    let expected = keys.map(|keys| format!(", expected one of {keys}")).unwrap_or_default();
    shown(text, place, &format!("{message}{expected}"))
}

/// Where a key, or a value in quotes, stands in the table that begins at a place.
fn place_of(text: &str, start: usize, word: &str, is_key: bool) -> Option<Range<usize>> {
    let rest = &text[start..];
    let end = rest.match_indices("\n[").map(|(at, _)| at).find(|at| *at > 0).unwrap_or(rest.len());
    let table = &rest[..end];
    let is_it = |at: usize| {
        let (before, after) = (&table[..at], table[at + word.len()..].trim_start());
        match is_key {
            true => {
                let is_whole =
                    before.chars().next_back().is_none_or(|sign| sign.is_whitespace() || "{,".contains(sign));
                is_whole && after.starts_with('=')
            }
            false => before.ends_with(['"', '\'']) && after.starts_with(['"', '\'']),
        }
    };
    let at = table.match_indices(word).map(|(at, _)| at).find(|at| is_it(*at))?;
    Some(start + at..start + at + word.len())
}

/// The keys of the table that a text begins with, in backticks.
fn keys_at(table: &str, schema: impl FnOnce() -> Value) -> Option<String> {
    let name = match table.lines().next()?.trim() {
        "[[claims]]" => "ClaimOf",
        "[[comparisons.claims]]" => "ComparedClaimOf",
        "[[comparisons.follows]]" => "FollowedOf",
        "[[profiles.claims]]" => "ProfiledClaimOf",
        "[[tables.columns]]" => "ColumnOf",
        // Of the tables in one line, columns alone are read in two steps.
        line if line.starts_with('{') && !line.contains("says") => "ColumnOf",
        _ => return None,
    };
    let keys: Vec<String> = match &schema()["$defs"][name]["properties"] {
        Value::Object(keys) => keys.keys().map(|key| format!("`{key}`")).collect(),
        _ => vec![],
    };
    (!keys.is_empty()).then(|| keys.join(", "))
}

/// An error with its line, as of any other error of a file.
fn shown(text: &str, place: Range<usize>, message: &str) -> String {
    let before = &text[..place.start];
    let line = before.matches('\n').count() + 1;
    let begins = before.rfind('\n').map_or(0, |at| at + 1);
    let column = text[begins..place.start].chars().count();
    let whole = text[begins..].lines().next().unwrap_or_default();
    let (number, marks) = (line.to_string(), "^".repeat(text[place].chars().count()));
    let blank = " ".repeat(number.len());
    format!(
        "TOML parse error at line {line}, column {}\n{blank} |\n{number} | {whole}\n{blank} | {}{marks}\n{message}\n",
        column + 1,
        " ".repeat(column)
    )
}
