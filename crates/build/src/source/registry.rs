//! A package of the registry, fetched by its ordinary client in a temporary project.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Doing, Halt, OUTSIDE, Workspace, program};

use crate::lockfile::{Lockfile, same_version};

/// Fetches a package, with this checksum if it is known. One project per package: cargo rejects two
/// compatible versions in one.
pub(super) fn fetch(
    package: &str,
    version: &str,
    sha256: Option<&str>,
    scratch: &Path,
    workspace: &Workspace<'_>,
) -> Result<PathBuf, Halt> {
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n\n\
         [dependencies]\n{package} = \"={version}\"\n\n[workspace]\n"
    );
    for (name, content) in [("Cargo.toml", manifest.as_str()), ("lib.rs", "")] {
        let file = scratch.join(name);
        fs::write(&file, content).doing("write", &file)?;
    }
    let cargo = |words: &[&str]| {
        let cargo = program("cargo", Path::new(OUTSIDE)).args(words);
        cargo.arg("--manifest-path").arg(scratch.join("Cargo.toml"))
    };
    workspace.fetch(cargo(&["generate-lockfile"]))?;
    check(package, version, sha256, &scratch.join("Cargo.lock"))?;
    // Cargo checks unpacked files against the lock file.
    let vendor = scratch.join("vendor");
    workspace.fetch(cargo(&["vendor", "--locked", "--versioned-dirs"]).arg(&vendor))?;
    vendored(package, version, &vendor)
}

fn check(package: &str, version: &str, sha256: Option<&str>, lock: &Path) -> Result<(), Halt> {
    let text = fs::read_to_string(lock).doing("read", lock)?;
    let locked = Lockfile::parse(&text).map_err(|error| {
        Halt::wrong("the lock file of the fetch", error.message(), "check the version of cargo")
    })?;
    let found = locked.named(package).find(|found| same_version(&found.version, version));
    match found.and_then(|found| found.checksum.as_deref()) {
        Some(checksum) => match sha256.filter(|sha256| *sha256 != checksum) {
            None => Ok(()),
            Some(sha256) => Err(Halt::wrong(
                format!("crate {package} {version}"),
                format!("its checksum is {checksum}, the recipe says {sha256}"),
                "find out which of the two is right before you correct the recipe",
            )),
        },
        None => {
            Err(Halt::wrong(format!("crate {package} {version}"), "it has no checksum", "check the registry"))
        }
    }
}

/// The folder has the full version in its name, with the suffix after `+`.
fn vendored(package: &str, version: &str, vendor: &Path) -> Result<PathBuf, Halt> {
    for entry in fs::read_dir(vendor).doing("read", vendor)?.flatten() {
        let name = entry.file_name();
        let found = name.to_str().and_then(|name| name.strip_prefix(package)?.strip_prefix('-'));
        if found.is_some_and(|found| same_version(found, version)) {
            return Ok(entry.path());
        }
    }
    Err(Halt::wrong(format!("crate {package} {version}"), "cargo did not unpack it", "read the log"))
}
