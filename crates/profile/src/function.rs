//! A function, and the part of its names that is the same on another machine and in another version.

/// A function where its code is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function {
    /// Its program or library; empty if unknown.
    pub object: String,
    /// The source file: the one in which it begins, or that of the inlined code. Empty if unknown.
    pub file: String,
    /// Its name.
    pub name: String,
}

impl Function {
    /// The name of its source file wherever it was compiled: `ring-0.17.14/crypto/internal.h`. Empty if
    /// unknown.
    pub fn source(&self) -> String {
        source(&self.file)
    }

    /// Its identity across versions and builds: a name and a source file.
    pub fn identity(&self) -> (String, String) {
        let source = self.source();
        let home = match source.split_once('/') {
            Some((first, rest)) => format!("{}/{rest}", without_version(first)),
            None => source,
        };
        (plain_name(&self.name), home)
    }
}

/// A path without machine-specific parts: the place of unpacked sources, a registry's or a cache's folders.
fn source(path: &str) -> String {
    if path == UNKNOWN {
        return String::new();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.pop() {
                None | Some("..") => parts.push(".."),
                Some(_) => {}
            },
            part => parts.push(part),
        }
    }
    let begins = begins(&parts);
    parts[begins..].iter().filter(|part| **part != "..").copied().collect::<Vec<_>>().join("/")
}

/// The index from which the path is the same everywhere.
fn begins(parts: &[&str]) -> usize {
    // Cargo unpacks crates into registry/src/REGISTRY/, Rust's own library is below rustc/COMMIT/.
    let after_registry =
        parts.windows(2).position(|pair| pair == ["registry", "src"]).map(|at| (at + 3).min(parts.len()));
    // A folder named by a digest, of a commit or of its inputs, maybe with a word before it.
    let is_named_by_digest = |part: &&str| is_digest(part.rsplit('-').next().unwrap_or_default());
    let after_digest = parts.iter().rposition(is_named_by_digest).map(|at| at + 1);
    // There, packages that are not from a registry have separate folders.
    let is_within = |at: &usize| parts.get(*at) == Some(&"source") && parts.len() > at + 2;
    let after_digest = after_digest.map(|at| if is_within(&at) { at + 1 } else { at });
    after_registry.max(after_digest).filter(|at| *at < parts.len()).unwrap_or(0)
}

fn is_digest(part: &str) -> bool {
    part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// `ring-0.17.14` is `ring`.
fn without_version(folder: &str) -> &str {
    folder
        .match_indices('-')
        .find(|(at, _)| folder[at + 1..].starts_with(|first: char| first.is_ascii_digit()))
        .map_or(folder, |(at, _)| &folder[..at])
}

/// A name without parts that differ from build to build: digests, versions in the names of some libraries'
/// symbols, and suffixes that compilers add to copies of a function.
pub(crate) fn plain_name(name: &str) -> String {
    let name = match name.rsplit_once("::h") {
        Some((name, digest)) if is_digest(digest) => name,
        _ => name,
    };
    let name = COPIES.iter().filter_map(|mark| name.find(mark)).min().map_or(name, |at| &name[..at]);
    without_numbers(&without_brackets(&without_impl_numbers(name)))
}

/// `m::{impl#49}::f` is `m::{impl#}::f`: blocks are numbered by their position in a file.
fn without_impl_numbers(name: &str) -> String {
    let mut pieces = name.split(IMPL);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |plain, rest| {
        plain + IMPL + rest.trim_start_matches(|letter: char| letter.is_ascii_digit())
    })
}

/// `core[8a27d4f5a4a8d1b2]::ptr` is `core::ptr`.
fn without_brackets(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        match after.split_once(']') {
            Some((digest, after)) if is_digest(digest) => rest = after,
            _ => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain + rest
}

/// `ring_core_0_17_14__mul` is `ring_core_mul`: three numbers or more, one after the other, are a version.
fn without_numbers(name: &str) -> String {
    let parts: Vec<&str> = name.split('_').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut kept: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let numbers = parts[at..].iter().take_while(|part| is_number(part)).count();
        if numbers >= 3 {
            at += numbers;
            // Anything else between the version and the name belongs to the version.
            let empty = parts[at..].iter().take_while(|part| part.is_empty()).count();
            at += if at + empty < parts.len() { empty } else { 0 };
        } else {
            kept.extend(&parts[at..at + numbers.max(1)]);
            at += numbers.max(1);
        }
    }
    kept.join("_")
}

/// callgrind's name for unknown files.
pub(crate) const UNKNOWN: &str = "???";

/// How compilers call a block of a type's functions, with a number after it.
const IMPL: &str = "{impl#";

const COPIES: [&str; 6] = [".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm."];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_called_the_same_on_every_machine() {
        for (path, expected) in [
            (
                "/home/a/.cargo/registry/src/index-1949cf8c6b5b557f/ring-0.17.14/crypto/internal.h",
                "ring-0.17.14/crypto/internal.h",
            ),
            (
                "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/mod.rs",
                "library/core/src/slice/mod.rs",
            ),
            (
                "/home/b/.cache/tlslab/work/3986191ab1e7323e/crates/driver-kit/src/buffer.rs",
                "crates/driver-kit/src/buffer.rs",
            ),
            ("/home/b/.cache/tlslab/work/3986191ab1e7323e/source/ring/src/lib.rs", "ring/src/lib.rs"),
            ("/home/b/.cache/tlslab/scratch/prefix-1721412bdadd5bc6/ssl/t1_lib.c", "ssl/t1_lib.c"),
            ("./malloc/./malloc/malloc.c", "malloc/malloc/malloc.c"),
            ("../sysdeps/x86_64/multiarch/../memcpy.S", "sysdeps/x86_64/memcpy.S"),
            ("/x/ring-0.17.14/crypto/fipsmodule/../internal.h", "x/ring-0.17.14/crypto/internal.h"),
            ("/home/b/.cache/3986191ab1e7323e", "home/b/.cache/3986191ab1e7323e"),
            ("???", ""),
            ("", ""),
        ] {
            assert_eq!(source(path), expected, "{path}");
        }
    }

    #[test]
    fn a_name_is_the_same_in_every_version() {
        for (name, expected) in [
            ("ring_core_0_17_14__fiat_curve25519_adx_mul", "ring_core_fiat_curve25519_adx_mul"),
            ("ring_core_0_17_8_fiat_curve25519_adx_mul", "ring_core_fiat_curve25519_adx_mul"),
            ("aws_lc_0_32_3_EVP_DigestSign", "aws_lc_EVP_DigestSign"),
            ("tls1_2_mac", "tls1_2_mac"),
            ("rustls::conn::read::h0123456789abcdef", "rustls::conn::read"),
            ("core[8a27d4f5a4a8d1b2]::ptr::drop::<[u8]>", "core::ptr::drop::<[u8]>"),
            ("ecp_add.constprop.0.isra.3", "ecp_add"),
            (
                "f<m::{impl#49}::g::{closure_env#1}, m::{impl#5}>",
                "f<m::{impl#}::g::{closure_env#1}, m::{impl#}>",
            ),
            ("_0_1_2_", "_"),
            ("[", "["),
        ] {
            assert_eq!(plain_name(name), expected);
        }
        let function = |version: &str| Function {
            object: String::new(),
            file: format!("/c/registry/src/index/ring-{version}/src/aead.rs"),
            name: "seal".to_owned(),
        };
        assert_eq!(function("0.17.14").identity(), ("seal".to_owned(), "ring/src/aead.rs".to_owned()));
        assert_eq!(function("0.17.14").identity(), function("0.17.8").identity());
    }
}
