//! The files of a document.

use std::fs;
use std::path::Path;

use anyhow::Context;
use tlslab_lab::Export;
use tlslab_pages::Alone;
use tlslab_reproduction::{Reproduction, claims_markdown, claims_svg, json, markdown};

/// The runs of each measurement.
pub(crate) const RUNS: &str = "runs.json";
/// The output of programs.
pub(crate) const TRIALS: &str = "trials.json";
/// The instructions of functions.
pub(crate) const PROFILES: &str = "profiles.json";
/// The durations of parts.
pub(crate) const TIMES: &str = "times.json";

/// Writes a document in all formats, and the claims of all documents that were measured.
pub(crate) fn write_files(
    out: &Path,
    folder: &str,
    reproduction: &Reproduction,
    texts: &[(String, String)],
) -> anyhow::Result<Export> {
    let name = &reproduction.document;
    let mut files = vec![
        (format!("{name}.html"), tlslab_pages::document(reproduction, &Alone).html(&Alone)),
        (format!("{name}.md"), markdown(reproduction)),
        (format!("{name}.json"), json(reproduction)),
    ];
    files.extend_from_slice(texts);
    let mut written = Export::write(out, "document", folder, &files)?;
    let all = all_of(&out.join(folder))?;
    let page = tlslab_pages::claims(&all, &Alone).html(&Alone);
    let claims = [("html", page), ("md", claims_markdown(&all)), ("svg", claims_svg(&all))]
        .map(|(ending, text)| (format!("claims.{ending}"), text));
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
