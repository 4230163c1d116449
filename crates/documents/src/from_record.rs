//! Documents from their recorded results, without measuring.

use std::path::Path;

use anyhow::{Context, bail};
use tlslab_lab::{Environment, ErrorKind, Problem};
use tlslab_reproduction::{Document, Reproduction, merged, reproduce as evaluate, texts};

use crate::host_name::column_names;
use crate::hosts::records;
use crate::profiles::with_parts;
use crate::record::{read, record_name};
use crate::sources;

/// The rendering of recorded results.
pub struct FromRecord {
    /// The document.
    pub reproduction: Reproduction,
    /// The name and text of each file in its own layout; for several hosts, of the first.
    pub texts: Vec<(String, String)>,
}

/// A document from its recorded results: from the given file, or from the records next to the document, those
/// of several hosts side by side.
///
/// # Errors
/// Fails if the document or file does not exist, or if the file is not a record of this document.
pub fn from_record(
    environment: &Environment,
    document: &Document,
    file: Option<&Path>,
) -> anyhow::Result<FromRecord> {
    if let Some(file) = file {
        return on_one_host(environment, document, file);
    }
    let known = records(environment, &document.name)?;
    if known.is_empty() {
        bail!(missing(
            &sources::folder_of(environment, &document.name)?.join(record_name(&document.name, None)),
            document
        ));
    }
    let on_hosts = known.iter().map(|(_, file)| on_one_host(environment, document, file));
    let mut on_hosts: Vec<FromRecord> = on_hosts.collect::<anyhow::Result<_>>()?;
    let texts = on_hosts.first_mut().map(|first| std::mem::take(&mut first.texts)).unwrap_or_default();
    let on_hosts: Vec<Reproduction> = on_hosts.into_iter().map(|one| one.reproduction).collect();
    let hosts: Vec<_> =
        known.into_iter().map(|(host, _)| host).zip(on_hosts.iter().map(|one| &one.host)).collect();
    let names = column_names(&hosts);
    let merged = merged(names.into_iter().zip(on_hosts).collect()).context("no host has measured it")?;
    Ok(FromRecord { reproduction: merged, texts })
}

fn missing(file: &Path, document: &Document) -> Problem {
    let next = format!("`tlslab reproduce {} --record` measures it and writes the file", document.name);
    Problem::new(ErrorKind::NotFound, file.display().to_string(), "no results are recorded there", next)
}

fn on_one_host(environment: &Environment, document: &Document, file: &Path) -> anyhow::Result<FromRecord> {
    let name = &document.name;
    if !file.is_file() {
        bail!(missing(file, document));
    }
    let record = read(file)?;
    if record.document != *name {
        let cause = format!("it has the results of the document {}, not of {name}", record.document);
        bail!(Problem::invalid("from", file.display().to_string(), cause, "name that document"));
    }
    let mut measured = record.into_measured();
    let parts = environment.parts()?;
    for functions in measured.profiles.values_mut().flatten() {
        *functions = with_parts(std::mem::take(functions), &parts);
    }
    let texts = texts(document, &measured.last());
    Ok(FromRecord { reproduction: evaluate(document, &measured), texts })
}
