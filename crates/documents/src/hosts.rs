//! The records of a document: one for each host that measured it.
//!
//! `NAME.recorded.json.gz` is the first host's, `NAME.HOST.recorded.json.gz` that of a further one. A
//! record's content never becomes part of a path.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tlslab_lab::{Environment, Problem};
use tlslab_record::Fingerprint;

use crate::host_name::HostName;
use crate::record::{ENDING, read, record_name};
use crate::sources;

/// The records next to a document, the first host's first.
///
/// # Errors
/// Fails if the document's file no longer exists, or if a record's host has an invalid name.
pub fn records(
    environment: &Environment,
    document: &str,
) -> anyhow::Result<Vec<(Option<HostName>, PathBuf)>> {
    let folder = sources::folder_of(environment, document)?;
    let mut found = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if let Some(host) = host_in(&folder, &path, document)? {
            found.push((host, path));
        }
    }
    found.sort();
    Ok(found)
}

/// The host in the name of a file, if the file is a record of this document: the first host has none.
fn host_in(folder: &Path, file: &Path, document: &str) -> anyhow::Result<Option<Option<HostName>>> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let Some(between) = name.strip_suffix(ENDING).and_then(|name| name.strip_prefix(document)) else {
        return Ok(None);
    };
    match between.strip_prefix('.').and_then(|between| between.strip_suffix('.')) {
        None if between == "." => Ok(Some(None)),
        None => Ok(None),
        // For a document with a point in its name.
        Some(host) if host.contains('.') || folder.join(format!("{document}.{host}.toml")).is_file() => {
            Ok(None)
        }
        Some(host) => match host.parse() {
            Ok(host) => Ok(Some(Some(host))),
            Err(cause) => {
                let next = format!("rename it to {document}.HOST.{ENDING}");
                bail!(Problem::invalid("from", file.display().to_string(), cause, next))
            }
        },
    }
}

/// The place of a host's record: over its own record, next to a document without any, or next to those of
/// other hosts. `asked` is the host's name if the user has given one.
///
/// # Errors
/// Fails if another processor's record has the name.
pub fn place_of_record(
    environment: &Environment,
    document: &str,
    host: &Fingerprint,
    asked: Option<&HostName>,
) -> anyhow::Result<PathBuf> {
    let folder = sources::folder_of(environment, document)?;
    let known = records(environment, document)?;
    if let Some(asked) = asked {
        return Ok(folder.join(record_name(document, Some(asked))));
    }
    for (_, file) in &known {
        if is_same_processor(&read(file)?.host(), host) {
            return Ok(file.clone());
        }
    }
    let name = (!known.is_empty()).then(|| HostName::of(host));
    let place = folder.join(record_name(document, name.as_ref()));
    if known.iter().any(|(_, file)| *file == place) {
        let cause = "another processor's record already has this name";
        let next = "give this host a name of its own";
        bail!(Problem::invalid("host", place.display().to_string(), cause, next));
    }
    Ok(place)
}

/// Whether two hosts have the same kind of processor. Microcode and kernel may differ.
fn is_same_processor(one: &Fingerprint, other: &Fingerprint) -> bool {
    let of = |host: &Fingerprint| {
        let cpu = &host.cpu;
        [&cpu.name, &cpu.vendor, &cpu.family, &cpu.model, &cpu.stepping].map(Clone::clone)
    };
    of(one) == of(other)
}
