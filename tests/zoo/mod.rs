//! The zoo: hostile drivers, archives, checkouts, recipes, files, programs and databases. Each specimen is a file of its own, with a
//! sentence on what it tries and one on what must happen; the crate that meets its kind tries it.
#![allow(dead_code, reason = "each test that has a part of the zoo uses a part of this")]

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A specimen.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Specimen {
    /// Its name: that of its file.
    #[serde(skip)]
    pub name: String,
    /// What it tries, in words that stand after "it".
    pub tries: String,
    /// What must happen, as a sentence.
    pub must: String,
    /// A shell script: what a driver does, or how the specimen is made.
    #[serde(default)]
    pub script: String,
    /// The text of a file.
    #[serde(default)]
    pub text: String,
    /// Words of a command line.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// A recipe's `[source]`.
    #[serde(default)]
    pub source: String,
    /// The level of verification that a driver is tried at; `none` if none is given.
    #[serde(default)]
    pub verification: Option<String>,
    /// Whether it is noticed only where nothing else runs.
    #[serde(default)]
    pub quiet: bool,
    /// What the error says; none where there must be no error.
    #[serde(default)]
    pub says: Option<String>,
}

/// Every kind there is.
pub(crate) const KINDS: [&str; 7] =
    ["drivers", "archives", "checkouts", "recipes", "files", "programs", "databases"];

/// The specimens of a kind, by name.
pub(crate) fn specimens(kind: &str) -> Vec<Specimen> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/zoo").join(kind);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let mut specimen: Specimen =
            toml::from_str(&text).unwrap_or_else(|cause| panic!("{}: {cause}", file.display()));
        specimen.name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        specimen
    };
    files.into_iter().map(read).collect()
}

/// Tries every specimen of a kind that is noticed on a busy machine, too, several at once, and reports all that went wrong.
pub(crate) fn try_all(kind: &str, at_once: usize, one: impl Fn(&Specimen) -> Result<(), String> + Sync) {
    try_these(kind, specimens(kind).into_iter().filter(|specimen| !specimen.quiet).collect(), at_once, one);
}

/// Tries these.
pub(crate) fn try_these(
    kind: &str,
    all: Vec<Specimen>,
    at_once: usize,
    one: impl Fn(&Specimen) -> Result<(), String> + Sync,
) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(specimen) = all.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            if let Err(what) = one(specimen) {
                wrong.push(format!("{kind}/{}: {what}", specimen.name));
            }
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} of {} specimens:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// Whether an error is the one that was expected.
pub(crate) fn judge(specimen: &Specimen, error: Option<&str>) -> Result<(), String> {
    match (&specimen.says, error) {
        (None, None) => Ok(()),
        (Some(says), Some(error)) if error.contains(says.as_str()) => Ok(()),
        (Some(says), Some(error)) => Err(format!("says {error:?}, which has no {says:?}")),
        (None, Some(error)) => Err(format!("is refused: {error}")),
        (Some(_), None) => Err("is taken".to_owned()),
    }
}
