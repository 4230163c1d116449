//! The Markdown pages of documents from their recorded results.

use std::path::Path;

use tlslab_lab::Environment;
use tlslab_reproduction::{Document, Reproduction, claims_markdown, claims_svg, markdown};

use crate::from_record::{FromRecord, from_record};

/// Documents from their recorded results, and their pages.
pub struct Rendered {
    /// The documents.
    pub reproductions: Vec<Reproduction>,
    /// The name and text of each page: one for each document; the claims of all; their picture.
    pub pages: Vec<(String, String)>,
    /// The name and text of each file in the layout of a document; for several hosts, of the first.
    pub texts: Vec<(String, String)>,
}

/// Renders documents from their records, without measuring. `file` is the record of a single one.
///
/// # Errors
/// Fails if a document has no record, or if a record cannot be read.
pub fn rerendered(
    environment: &Environment,
    documents: &[Document],
    file: Option<&Path>,
) -> anyhow::Result<Rendered> {
    let made = documents.iter().map(|document| from_record(environment, document, file));
    let (mut reproductions, mut texts) = (Vec::new(), Vec::new());
    for made in made {
        let FromRecord { reproduction, texts: of_one } = made?;
        reproductions.push(reproduction);
        texts.extend(of_one);
    }
    reproductions.sort_by(|one, other| one.document.cmp(&other.document));
    let page = |one: &Reproduction| (format!("{}.md", one.document), markdown(one));
    let mut pages: Vec<(String, String)> = reproductions.iter().map(page).collect();
    pages.push(("claims.md".to_owned(), claims_markdown(&reproductions)));
    pages.push(("claims.svg".to_owned(), claims_svg(&reproductions)));
    Ok(Rendered { reproductions, pages, texts })
}
