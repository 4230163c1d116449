//! Which shared libraries a driver loads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use tlslab_binaries::{needed, run_paths};

use crate::compare::identical_code::is_common;

/// Where the system has its libraries.
const SYSTEM: [&str; 5] =
    ["/usr/local/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// The libraries that a program loads when it starts, those of its own folder and of the given variables
/// included, without those that every program of the system may load.
///
/// # Errors
/// Fails if a file cannot be read or a library is not found, and says which.
pub(crate) fn shared_libraries(
    driver: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<BTreeSet<PathBuf>, String> {
    let described = |path: &Path, cause: io::Error| format!("cannot read {}: {cause}", path.display());
    let own = run_paths(driver).map_err(|cause| described(driver, cause))?;
    let given = environment.get("LD_LIBRARY_PATH").into_iter().flat_map(|list| list.split(':'));
    let own: Vec<PathBuf> = own
        .into_iter()
        .chain(given.map(PathBuf::from))
        .chain(driver.parent().map(Path::to_owned))
        .filter(|folder| folder.is_absolute())
        .collect();
    let mut found: BTreeSet<PathBuf> = own.iter().flat_map(|folder| libraries_of(folder)).collect();
    let mut next: Vec<PathBuf> = found.iter().cloned().chain([driver.to_owned()]).collect();
    while let Some(program) = next.pop() {
        for name in needed(&program).map_err(|cause| described(&program, cause))? {
            if is_common(&name) {
                continue;
            }
            let folders = own.iter().map(PathBuf::as_path).chain(SYSTEM.iter().map(Path::new));
            let place = folders.map(|folder| folder.join(&name)).find_map(|path| path.canonicalize().ok());
            let place =
                place.ok_or_else(|| format!("cannot find {name}, which {} loads", program.display()))?;
            if found.insert(place.clone()) {
                next.push(place);
            }
        }
    }
    Ok(found)
}

/// The shared libraries of a folder, each once, whatever links there are to it.
fn libraries_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_library = |path: &PathBuf| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.ends_with(".so") || name.contains(".so.")
        })
    };
    entries.map(|entry| entry.path()).filter(is_library).filter_map(|path| path.canonicalize().ok()).collect()
}
