//! `tlslab scenarios new`: a file to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, bail};
use tlslab_job::Status;
use tlslab_lab::Problem;

/// A family of scenarios with every common key.
pub(crate) const FAMILY: &str = include_str!("scenario.toml");
/// A suite with every common key.
pub(crate) const SUITE: &str = include_str!("suite.toml");

/// Writes it.
pub(crate) fn new(file: Option<&Path>, is_suite: bool) -> anyhow::Result<Status> {
    let text = if is_suite { SUITE } else { FAMILY };
    let Some(file) = file else {
        out!("{text}");
        return Ok(Status::Done);
    };
    let shown = file.display().to_string();
    let made = OpenOptions::new().write(true).create_new(true).open(file);
    let mut made = match made {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
            bail!(Problem::invalid("file", shown, "it exists already", "name another file"))
        }
        made => made.with_context(|| format!("cannot make {shown}; name a file in a folder that exists"))?,
    };
    made.write_all(text.as_bytes()).with_context(|| format!("cannot write {shown}"))?;
    match is_suite {
        true => outln!("{shown}: `tlslab run --suite NAME` runs it from scenarios/suites/NAME.toml"),
        false => outln!("{shown}: `tlslab scenarios` lists what it resolves to from scenarios/NAME.toml"),
    }
    Ok(Status::Done)
}
