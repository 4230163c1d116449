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
        let next = "name the document whose results it has, or use --all without a file";
        bail!(Problem::invalid("from", "--from", "no document was named", next));
    }
    let documents: Vec<Document> =
        documents(environment)?.into_iter().map(|(document, _)| document).collect();
    let wanted: Vec<Document> = match &args.document {
        Some(name) => documents.iter().filter(|document| document.name == *name).cloned().collect(),
        None => with_records(environment, &documents)?,
    };
    if wanted.is_empty() && args.document.is_none() {
        let next = "`tlslab reproduce --all --record` measures all and records them";
        bail!(Problem::new(ErrorKind::NotFound, "documents", "no results are recorded", next));
    }
    if wanted.is_empty() {
        let known = documents.iter().map(|document| document.name.clone());
        let thing = args.document.clone().unwrap_or_else(|| "documents".to_owned());
        let next = "`tlslab reproduce` lists the documents";
        bail!(Problem::not_found(thing, "there is no document of this name", next, known));
    }
    let made = rerendered(environment, &wanted, file)?;
    let Some(folder) = &args.to else {
        for reproduction in &made.reproductions {
            out!("{}", rendered(reproduction, args.format));
        }
        return Ok(Status::Done);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let is_wanted = |name: &str| args.all || !name.starts_with("claims.");
    for (name, text) in made.pages.iter().chain(&made.texts).filter(|(name, _)| is_wanted(name)) {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(Status::Done)
}
