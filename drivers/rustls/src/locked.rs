//! Versions of packages, which rustls cannot report at run time: they are read from the lock file of this build.

use tlslab_driver_kit::locked_version;

const LOCK: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"));

/// The version that this build has of a package, if any; of several that are locked, the one that rustls itself uses.
pub fn version(package: &str) -> Option<String> {
    let rustls = LOCK.split("[[package]]").find(|entry| entry.starts_with("\nname = \"rustls\"\n"));
    let used = format!(" \"{package} ");
    let by_rustls =
        rustls.and_then(|entry| entry.lines().find_map(|line| line.strip_prefix(&used)?.strip_suffix("\",")));
    by_rustls.or_else(|| locked_version(LOCK, package)).map(str::to_owned)
}
