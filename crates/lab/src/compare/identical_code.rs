//! Whether two programs run the same code, and whether a program has its library in it.

use std::path::Path;

use anyhow::Context;
use tlslab_binaries::{Sections, needed};

/// Libraries that every program of the system may load; their work is not measured.
const COMMON: [&str; 12] = [
    "libc.so",
    "libm.so",
    "libgcc_s.so",
    "libdl.so",
    "librt.so",
    "libpthread.so",
    "libutil.so",
    "libstdc++.so",
    "ld-linux",
    "linux-vdso",
    "libz.so",
    "libatomic.so",
];

/// Whether the code and the constants of two programs are equal.
pub(super) fn same_code(baseline: &Path, candidate: &Path) -> anyhow::Result<bool> {
    let sections = |path: &Path| {
        Sections::of(path).with_context(|| format!("cannot read the code of {}", path.display()))
    };
    let (baseline, candidate) = (sections(baseline)?, sections(candidate)?);
    // A program that loads its library has little code of its own, so equality is not evidence.
    Ok(baseline == candidate && loaded(&baseline.needed).is_none())
}

/// The library that a program loads at its start instead of containing it.
pub(super) fn loads(program: &Path) -> Option<String> {
    loaded(&needed(program).ok()?)
}

fn loaded(needed: &[String]) -> Option<String> {
    needed.iter().find(|name| !is_common(name)).cloned()
}

/// Whether every program of the system may load a library of this name.
pub fn is_common(name: &str) -> bool {
    COMMON.iter().any(|common| name.starts_with(common))
}
