//! What the lab has measured of its counters and its host, kept in files beside the runs for their reports.

pub mod fidelity;
pub mod neighbours;

use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The entries of a file in the folder of the runs; none if it does not exist. `command` is the one that writes it.
fn load<T: DeserializeOwned>(out: &Path, file: &str, command: &str) -> anyhow::Result<Vec<T>> {
    let path = out.join(file);
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| {
            format!("{} was not written by `{command}`; delete it and run that again", path.display())
        }),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(cause) => Err(cause).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Replaces the entries of such a file at once.
fn store<T: Serialize>(out: &Path, file: &str, all: &[T]) -> anyhow::Result<()> {
    std::fs::create_dir_all(out).with_context(|| format!("cannot create the folder {}", out.display()))?;
    let path = out.join(file);
    let text = serde_json::to_string_pretty(all).context("cannot serialise the entries")?;
    let fresh = path.with_extension("json.new");
    std::fs::write(&fresh, text).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, &path).with_context(|| format!("cannot write {}", path.display()))
}
