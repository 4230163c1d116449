//! The index of packages that cargo keeps on this machine.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tame_index::{IndexLocation, IndexUrl, IndexVersion, KrateName, SparseIndex, flock::LockOptions};
use tlslab_artifact::{Context, Doing, Halt, OUTSIDE, program};

/// How long another cargo may lock the index.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Cargo updates its index when it locks a package that needs another; then the index has every version.
pub(crate) fn bring_up_to_date(name: &str, context: Context<'_>) -> Result<(), Halt> {
    let scratch = tempfile::tempdir().doing("create", Path::new("a temporary folder"))?;
    let manifest = format!(
        "[package]\nname = \"list\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n\n\
         [dependencies]\n{name} = \"*\"\n\n[workspace]\n"
    );
    for (file, text) in [("Cargo.toml", manifest.as_str()), ("lib.rs", "")] {
        let file = scratch.path().join(file);
        fs::write(&file, text).doing("write", &file)?;
    }
    let cargo =
        program("cargo", Path::new(OUTSIDE)).args(["generate-lockfile", "--quiet", "--manifest-path"]);
    context.ask(cargo.arg(scratch.path().join("Cargo.toml"))).map(drop)
}

/// Every version of a package in cargo's index on this machine; none if cargo has never queried it.
pub(crate) fn index_versions(name: &str) -> Result<Vec<IndexVersion>, Halt> {
    let read = || -> Result<Vec<IndexVersion>, tame_index::Error> {
        let index = SparseIndex::new(IndexLocation::new(IndexUrl::crates_io(None, None, None)?))?;
        let lock = LockOptions::cargo_package_lock(None)?.shared().lock(|_| Some(LONGEST_WAIT))?;
        let entry = index.cached_krate(KrateName::crates_io(name)?, &lock)?;
        let Some(entry) = entry else { return Ok(Vec::new()) };
        // A version that only a newer cargo can read is ignored.
        Ok(entry.iter()?.filter_map(|version| version.deserialize().ok()).collect())
    };
    read().map_err(|cause| {
        let what = format!("cargo's index of {name}");
        Halt::wrong(what, cause.to_string(), "check the version of cargo")
    })
}
