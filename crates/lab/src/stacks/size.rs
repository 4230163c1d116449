//! The sizes of stacks' libraries, read from built programs; none of these is started.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use tlslab_binaries::{LibrarySize, SizeError, Unit, library_size, needed, whole_size};
use tlslab_record::{SizeOutcome, StackRecord, StackSize};

use crate::compare::identical_code::is_common;
use crate::session::workshop::Workshop;
use crate::stacks::loaded::shared_libraries;

/// The crates of the kit and those that it needs: they are in every driver.
const OF_KIT: [&str; 11] = [
    "tlslab_driver_kit",
    "tlslab_protocol",
    "hex",
    "itoa",
    "libc",
    "memchr",
    "serde",
    "serde_core",
    "serde_json",
    "thiserror",
    "zmij",
];

/// The sizes of those stacks that were built.
pub fn sizes(workshop: &Workshop<'_>, stacks: &[StackRecord]) -> Vec<StackSize> {
    let built = stacks.iter().enumerate().filter(|(_, stack)| !stack.driver.is_empty());
    built.map(|(index, stack)| size(workshop, index, stack)).collect()
}

fn size(workshop: &Workshop<'_>, stack: usize, record: &StackRecord) -> StackSize {
    let driver = Path::new(&record.driver);
    let build_s = workshop.builder().build_time(driver).map(|took| took.as_secs_f64());
    let failed = |cause: io::Error| {
        let outcome = SizeOutcome::Failed { failed: format!("cannot read {}: {cause}", driver.display()) };
        StackSize { stack, text: outcome.clone(), data: outcome.clone(), shared: outcome, build_s: None }
    };
    let program = match fs::read(driver) {
        Ok(program) => program,
        Err(cause) => return failed(cause),
    };
    let found = library_size(&program, &is_library);
    let loaded: Vec<String> =
        needed(driver).unwrap_or_default().into_iter().filter(|name| !is_common(name)).collect();
    let (text, data) = match (loaded.first(), found) {
        (_, Err(why @ (SizeError::NotElf | SizeError::Go | SizeError::OtherArchitecture))) => {
            both(&unsupported(&why.to_string()))
        }
        (Some(library), _) => both(&unsupported(&format!(
            "its driver loads {library} when it starts, so the library is not in the program; see size.shared"
        ))),
        (None, Ok(LibrarySize { text, data })) => {
            (SizeOutcome::Read { bytes: text }, SizeOutcome::Read { bytes: data })
        }
        (None, Err(why)) => both(&unsupported(&why.to_string())),
    };
    let shared = match loaded.is_empty() {
        true => unsupported("its driver loads no library of the stack: the recipe builds static libraries"),
        false => shared(driver, &record.environment),
    };
    StackSize { stack, text, data, shared, build_s }
}

fn unsupported(why: &str) -> SizeOutcome {
    SizeOutcome::Unsupported { unsupported: why.to_owned() }
}

fn both(outcome: &SizeOutcome) -> (SizeOutcome, SizeOutcome) {
    (outcome.clone(), outcome.clone())
}

/// Whether code is the library's: neither the driver's, nor the kit's, nor of the language's standard
/// library.
fn is_library(unit: &Unit) -> bool {
    let path = unit.path();
    let is_of_language = ["/rustc/", "/rust/deps/"].iter().any(|start| path.starts_with(start));
    let is_of_kit = unit.crate_name().is_some_and(|name| OF_KIT.contains(&name));
    !is_of_language && !is_of_kit && !is_of_driver(&path)
}

/// Whether a source is the driver's: a file below `drivers/` or `crates/` of a folder in which a driver was
/// built.
fn is_of_driver(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    parts.windows(3).any(|parts| {
        let key = parts[1].strip_prefix("driver-").filter(|_| parts[0] == "scratch");
        let key = key.or_else(|| (parts[0] == "work").then_some(parts[1]));
        let is_key = |key: &str| key.len() == 64 && key.bytes().all(|digit| digit.is_ascii_hexdigit());
        key.is_some_and(is_key) && ["drivers", "crates"].contains(&parts[2])
    })
}

/// The shared libraries that a driver loads, and those in the folders that its recipe lets it search: a
/// library may load others while it works.
fn shared(driver: &Path, environment: &BTreeMap<String, String>) -> SizeOutcome {
    match shared_libraries(driver, environment) {
        Ok(libraries) => {
            let mut bytes = 0;
            for library in &libraries {
                match fs::read(library)
                    .map_err(|cause| cause.to_string())
                    .and_then(|file| whole_size(&file).map_err(|cause| cause.to_string()))
                {
                    Ok(LibrarySize { text, data }) => bytes += text + data,
                    Err(cause) => {
                        return SizeOutcome::Failed {
                            failed: format!("cannot read {}: {cause}", library.display()),
                        };
                    }
                }
            }
            SizeOutcome::Read { bytes }
        }
        Err(failed) => SizeOutcome::Failed { failed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kits_crates_are_those_that_its_lock_file_has() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let lock = fs::read_to_string(root.join("drivers/rustls/Cargo.lock")).unwrap();
        let lock = tlslab_build::Lockfile::parse(&lock).unwrap();
        let needed = lock.needed_by("tlslab-driver-kit");
        // Code that only runs in compilations is in no program.
        let only_compiles =
            ["serde_derive", "thiserror_impl", "proc_macro2", "quote", "syn", "unicode_ident"];
        let needed = needed.iter().map(|package| package.name.replace('-', "_"));
        let mut needed: Vec<String> = needed.filter(|name| !only_compiles.contains(&&**name)).collect();
        needed.push("tlslab_driver_kit".to_owned());
        needed.sort();
        let mut known = OF_KIT.map(str::to_owned);
        known.sort();
        assert_eq!(needed, known);
    }

    #[test]
    fn code_of_the_driver_is_not_the_librarys() {
        let key = "3986191ab1e7323e5f1f8cfb42f3adf46ed9125b9a3f847674bbd16b7501bcd9";
        let is_library =
            |source: &str, folder: &str| is_library(&Unit { source: source.into(), folder: folder.into() });
        assert!(is_library("ssl/ssl_lib.c", &format!("/c/scratch/prefix-{key}")));
        assert!(is_library("crates/x/src/lib.rs/@/x.0-cgu.0", &format!("/c/scratch/prefix-{key}")));
        assert!(!is_library("drivers/libssl/main.c", &format!("/c/scratch/driver-{key}")));
        assert!(!is_library("src/main.rs/@/driver.e10-cgu.07", &format!("/c/work/{key}/drivers/rustls")));
        assert!(is_library("src/lib.rs/@/rustls.e10-cgu.07", &format!("/c/work/{key}/source/rustls")));
        assert!(!is_library("/r/serde-1.0.229/src/lib.rs/@/serde.1-cgu.0", "/r/serde-1.0.229"));
        assert!(!is_library("/rustc/5980/library/std/src/lib.rs/@/std.1-cgu.0", "/rustc/5980"));
    }
}
