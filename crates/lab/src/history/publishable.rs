//! Removes names of the measuring machine from a run: folders and the host's name.

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tlslab_record::RunRecord;

/// The extent of a run's copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Everything,
    /// Everything but the machine's own names: absolute paths become file names, and the host has no name.
    Publishable,
}

/// A record that can be published. Figures, samples and versions are unchanged; such a copy cannot be
/// resumed.
///
/// # Errors
/// Fails if the record cannot be read back.
pub(super) fn publishable(record: RunRecord) -> anyhow::Result<RunRecord> {
    let plan = shortened(&record.plan)?;
    let cells = shortened(&record.cells)?;
    let warnings = shortened(&record.warnings)?;
    Ok(RunRecord { plan, cells, warnings, ..record })
}

/// Data in which absolute paths are file names.
///
/// # Errors
/// Fails if the data cannot be read back.
pub(super) fn shortened<T: Serialize + DeserializeOwned>(data: &T) -> anyhow::Result<T> {
    let mut value = serde_json::to_value(data)?;
    shorten(&mut value);
    serde_json::from_value(value).context("the record without paths cannot be read back")
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_paths(text),
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

/// A text in which each absolute path of two parts or more is reduced to its last part. A path begins where
/// no word precedes it.
fn without_paths(text: &str) -> String {
    let is_of_path = |letter: char| letter.is_alphanumeric() || "/._-+@~=#".contains(letter);
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|letter| !is_of_path(letter)).unwrap_or(rest.len());
        let (path, after) = rest.split_at(word);
        let is_path = path.starts_with('/') && path[1..].contains('/') && !path.starts_with("//");
        short.push_str(if is_path {
            path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
        } else {
            path
        });
        let between = after.find(is_of_path).unwrap_or(after.len());
        short.push_str(&after[..between]);
        rest = &after[between..];
    }
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absolute_paths_become_file_names_wherever_they_are() {
        let mut value = json!({
            "driver": "/home/somebody/.cache/tlslab/driver/ab/driver",
            "command": ["/opt/bin/tlslab", "run", "--scenario", "handshake/1.3/x"],
            "seed": 7,
            "deep": [{ "library": "/a/b.so" }, null, "/"],
            "log": "error (/root/work/drivers/x): see\n /tmp/a.log, https://example.org/a/b and 3 MB/s",
        });
        shorten(&mut value);
        let expected = json!({
            "driver": "driver",
            "command": ["tlslab", "run", "--scenario", "handshake/1.3/x"],
            "seed": 7,
            "deep": [{ "library": "b.so" }, null, "/"],
            "log": "error (x): see\n a.log, https://example.org/a/b and 3 MB/s",
        });
        assert_eq!(value, expected);
    }
}
