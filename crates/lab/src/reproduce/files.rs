//! What a document becomes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tlslab_reproduction::{Reproduction, claims_html, claims_markdown, claims_svg, html, json, markdown};

/// Which runs were made for which measurements.
pub const RUNS: &str = "runs.json";
/// What programs said.
pub const TRIALS: &str = "trials.json";
/// What functions took.
pub const PROFILES: &str = "profiles.json";
/// How long what took.
pub const TIMES: &str = "times.json";

/// Writes a document in all formats, and the claims of all documents that were measured. Where the page is.
pub fn write_files(
    folder: &Path,
    reproduction: &Reproduction,
    texts: &[(String, String)],
) -> anyhow::Result<PathBuf> {
    let write = |name: &str, text: String| {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    };
    let name = &reproduction.document;
    write(&format!("{name}.html"), html(reproduction))?;
    write(&format!("{name}.md"), markdown(reproduction))?;
    write(&format!("{name}.json"), json(reproduction))?;
    for (file, text) in texts {
        write(file, text.clone())?;
    }
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
    write("claims.html", claims_html(&all))?;
    write("claims.md", claims_markdown(&all))?;
    write("claims.svg", claims_svg(&all))?;
    Ok(folder.join(format!("{name}.html")))
}
