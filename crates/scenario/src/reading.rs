//! TOML files, with all of their errors at once.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::ScenarioError;

/// Reads a file. A single error is shown with its place; of several, each has a line.
///
/// # Errors
/// Fails if the text is not TOML; the error has every key that is unknown, missing or has an invalid value.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ScenarioError> {
    toml::from_str(text).map_err(|first| {
        let all = text.parse::<Table>().map(|table| wrong_keys::<T>(&table, text)).unwrap_or_default();
        match all.len() {
            0 | 1 => ScenarioError::File { file: file.to_owned(), cause: first.to_string() },
            _ => several(file, all),
        }
    })
}

/// Several errors as one; a single one unchanged.
pub(crate) fn several(file: &str, mut causes: Vec<String>) -> ScenarioError {
    let cause = match causes.len() {
        1 => causes.remove(0),
        count => format!("{count} mistakes:\n  {}", causes.join("\n  ")),
    };
    ScenarioError::File { file: file.to_owned(), cause }
}

/// Each key is read in a file of its own, so that no error hides another; missing keys are found after the
/// invalid ones are removed.
fn wrong_keys<T: DeserializeOwned>(table: &Table, text: &str) -> Vec<String> {
    let mut wrong: Vec<(usize, String)> = Vec::new();
    let mut right = Table::new();
    for (key, value) in table {
        let mut inner = Vec::new();
        if let Value::Table(below) = value {
            inner = below
                .iter()
                .filter_map(|(at, one)| {
                    let only = Table::from_iter([(at.clone(), one.clone())]);
                    Some((at, cause::<T>(key, Value::Table(only))?))
                })
                .collect();
        }
        if !inner.is_empty() {
            wrong.extend(inner.into_iter().map(|(at, cause)| line(text, at, &cause)));
            continue;
        }
        match cause::<T>(key, value.clone()) {
            Some(cause) => wrong.push(line(text, key, &cause)),
            None => _ = right.insert(key.clone(), value.clone()),
        }
    }
    if let Err(missing) = T::deserialize(right)
        && missing.message().starts_with(MISSING)
    {
        wrong.push((0, missing.message().trim().to_owned()));
    }
    wrong.sort_by_key(|(line, _)| *line);
    wrong.into_iter().map(|(_, cause)| cause).collect()
}

/// The error of a key.
fn cause<T: DeserializeOwned>(key: &str, value: Value) -> Option<String> {
    let only = Table::from_iter([(key.to_owned(), value)]);
    let cause = T::deserialize(only).err()?.message().trim().to_owned();
    (!cause.starts_with(MISSING)).then_some(cause)
}

/// The prefix of the message about a missing key.
const MISSING: &str = "missing field";

/// The line of a key, and its error.
fn line(text: &str, key: &str, cause: &str) -> (usize, String) {
    let is_key = |line: &str| {
        let line = line.trim_start().trim_start_matches('[');
        line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(['=', ']', '.']))
    };
    match text.lines().position(is_key) {
        Some(at) => (at + 1, format!("line {}: {key}: {cause}", at + 1)),
        None => (0, format!("{key}: {cause}")),
    }
}
