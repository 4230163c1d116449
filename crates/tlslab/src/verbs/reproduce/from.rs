//! `tlslab reproduce --from`: pages from recorded results.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use tlslab_documents::{documents, records, rerendered};
use tlslab_job::Status;
use tlslab_lab::{Environment, ErrorKind, Problem};
use tlslab_reproduction::Document;

use super::args::ReproduceArgs;
use super::one::rendered;
use super::skipped::report_skipped;

/// The documents with recorded results; prints the names of the others, which are skipped.
fn with_records(environment: &Environment, documents: &[Document]) -> anyhow::Result<Vec<Document>> {
    let mut found = Vec::new();
    for document in documents {
        match records(environment, &document.name)?.is_empty() {
            false => found.push(document.clone()),
            true => errln!(
                "{0}: skipped, no results are recorded; `tlslab reproduce {0} --record` measures and records it",
                document.name
            ),
        }
    }
    Ok(found)
}

/// Renders the recorded results of a document, or of all.
pub(super) fn reproduce_from(environment: &Environment, args: &ReproduceArgs) -> anyhow::Result<Status> {
    let file = args.from.as_deref().filter(|file| !file.is_empty()).map(Path::new);
    if args.document.is_none() && (!args.all || file.is_some()) {
        let (cause, next) = match args.all {
            true => ("one file has the results of one document", "name that document, or omit the file"),
            false => ("no document was named", "name the document whose results it has, or use --all"),
        };
        bail!(Problem::invalid("from", "--from", cause, next));
    }
    let documents = documents(environment)?;
    let others = documents.broken.iter().filter(|broken| Some(&broken.name) != args.document.as_ref());
    report_skipped(others);
    let is_any_broken = !documents.broken.is_empty();
    let wanted = match &args.document {
        Some(name) => vec![documents.named(name)?],
        None => {
            let all: Vec<Document> = documents.timed.into_iter().map(|(document, _)| document).collect();
            with_records(environment, &all)?
        }
    };
    if wanted.is_empty() {
        let next = "`tlslab reproduce --all --record` measures all and records them";
        bail!(Problem::new(ErrorKind::NotFound, "documents", "no results are recorded", next));
    }
    let status = if args.all && is_any_broken { Status::Failed } else { Status::Done };
    let made = rerendered(environment, &wanted, file)?;
    let Some(folder) = &args.to else {
        for reproduction in &made.reproductions {
            out!("{}", rendered(reproduction, args.format));
        }
        return Ok(status);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let is_wanted = |name: &str| args.all || !name.starts_with("claims.");
    for (name, text) in made.pages.iter().chain(&made.texts).filter(|(name, _)| is_wanted(name)) {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(status)
}
