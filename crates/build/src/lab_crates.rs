//! The two crates of the lab that are part of drivers, cut out of the lab's tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use tlslab_artifact::{Doing, Halt, Snapshot, is_source};

use crate::lockfile::Lockfile;
use crate::manifest::{dependencies, smallest_workspace, without_tests};

/// The crates in a workspace of their own, with the release profile if `with_profile`: it applies only if
/// this workspace is the one that is built.
pub(crate) fn lab_crates(root: &Path, with_profile: bool) -> Result<Snapshot, Halt> {
    let mut snapshot = Snapshot::default();
    let mut manifests: Vec<(&str, Table)> = Vec::new();
    for folder in CRATES {
        snapshot.add_folder(root, Path::new(folder), is_source)?;
        let manifest = parsed(&root.join(folder).join("Cargo.toml"), without_tests)?;
        snapshot.add(format!("{folder}/Cargo.toml"), written(&manifest));
        manifests.push((folder, manifest));
    }
    let members: Vec<(&str, &Table)> =
        manifests.iter().map(|(folder, manifest)| (*folder, manifest)).collect();
    let mut workspace = parsed(&root.join("Cargo.toml"), |text| smallest_workspace(text, &members))?;
    if !with_profile {
        workspace.remove("profile");
    }
    snapshot.add("Cargo.toml", written(&workspace));
    Ok(snapshot)
}

/// The part of the lab's lock file that the two crates need.
pub(crate) fn lab_lock(root: &Path) -> Result<String, Halt> {
    let lock = parsed(&root.join("Cargo.lock"), Lockfile::parse)?;
    let mut members = BTreeMap::new();
    for folder in CRATES {
        let manifest = parsed(&root.join(folder).join("Cargo.toml"), without_tests)?;
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
        let needed: BTreeSet<String> =
            dependencies(&manifest).into_iter().map(|(_, package)| package).collect();
        members.insert(name.unwrap_or_default().to_owned(), needed);
    }
    Ok(lock.only_for(&members).to_text())
}

/// Reads and parses a file of the lab's tree.
pub(crate) fn parsed<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, toml::de::Error>,
) -> Result<T, Halt> {
    let text = fs::read_to_string(path).doing("read", path)?;
    parse(&text).map_err(|error| {
        Halt::wrong(format!("`{}`", path.display()), error.message(), "correct the file, or take it from git")
    })
}

/// A manifest as text.
pub(crate) fn written(manifest: &Table) -> String {
    // A parsed table can be written.
    toml::to_string(manifest).unwrap_or_default()
}

const CRATES: [&str; 2] = ["crates/driver-kit", "crates/protocol"];
