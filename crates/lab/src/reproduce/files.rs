//! What a document becomes.

use std::fs;
use std::path::Path;

use anyhow::Context;
use tlslab_reproduction::{Reproduction, claims_markdown, claims_svg, json, markdown};

use crate::exports::Export;
use crate::pages::Pages;

/// Which runs were made for which measurements.
pub const RUNS: &str = "runs.json";
/// What programs said.
pub const TRIALS: &str = "trials.json";
/// What functions took.
pub const PROFILES: &str = "profiles.json";
/// How long what took.
pub const TIMES: &str = "times.json";

/// Writes a document in all formats, and the claims of all documents that were measured.
pub fn write_files(
    out: &Path,
    folder: &str,
    reproduction: &Reproduction,
    texts: &[(String, String)],
    pages: Option<&dyn Pages>,
) -> anyhow::Result<Export> {
    let name = &reproduction.document;
    let page = pages.map(|pages| (format!("{name}.html"), pages.document(reproduction)));
    let mut files: Vec<(String, String)> = page.into_iter().collect();
    files.push((format!("{name}.md"), markdown(reproduction)));
    files.push((format!("{name}.json"), json(reproduction)));
    files.extend_from_slice(texts);
    let mut written = Export::write(out, "document", folder, &files)?;
    let all = all_of(&out.join(folder))?;
    let page = pages.map(|pages| ("claims.html".to_owned(), pages.claims(&all)));
    let mut claims: Vec<(String, String)> = page.into_iter().collect();
    claims.push(("claims.md".to_owned(), claims_markdown(&all)));
    claims.push(("claims.svg".to_owned(), claims_svg(&all)));
    written.files.extend(Export::write(out, "document", folder, &claims)?.files);
    Ok(written)
}

/// Every document that was measured into a folder.
fn all_of(folder: &Path) -> anyhow::Result<Vec<Reproduction>> {
    let mut all: Vec<Reproduction> = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let is_document = path.extension().is_some_and(|ending| ending == "json")
            && ![RUNS, TRIALS, PROFILES, TIMES].iter().any(|other| path.ends_with(other));
        if is_document {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let read = serde_json::from_str(&text);
            all.push(read.with_context(|| format!("{} is not a document; remove it", path.display()))?);
        }
    }
    all.sort_by(|one, other| one.document.cmp(&other.document));
    Ok(all)
}
