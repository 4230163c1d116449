//! The compilers, as they name themselves.

use std::collections::{BTreeMap, BTreeSet};

/// Tools that fetch, unpack, find or start others: none writes contents of a product.
const WITHOUT_EFFECT: [&str; 11] =
    ["apt-get", "bzip2", "curl", "git", "make", "ninja", "pip3", "pkg-config", "sh", "tar", "xz"];

/// Tools that generate compiled sources. Their output depends on their version: a distribution that rebuilds
/// a version changes only their digest.
const GENERATORS: [&str; 10] =
    ["autoreconf", "automake", "bison", "cmake", "flex", "libtoolize", "m4", "meson", "perl", "python3"];

/// A tool's part of a product's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownBy {
    Nothing,
    Version,
    Digest,
}

impl KnownBy {
    /// A tool that is not listed may affect the product.
    pub(crate) fn of(tool: &str) -> Self {
        match tool {
            _ if WITHOUT_EFFECT.contains(&tool) => Self::Nothing,
            _ if GENERATORS.contains(&tool) => Self::Version,
            _ => Self::Digest,
        }
    }
}

/// The compilers that builds use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchain {
    /// The C compilers by the names under which they are called: the first line of `--version` of each.
    pub compilers: BTreeMap<String, String>,
    /// The target: `cc -dumpmachine`.
    pub target: String,
    /// The Rust compiler: `rustc -vV` in one line.
    pub rustc: String,
    /// The features of the building CPU, as the kernel lists them: some build scripts choose code by them.
    pub cpu_features: String,
    /// Other programs and libraries that affect products, by name: each one's digest, as a version does not
    /// show a distribution's changes, or the version of one that only generates sources.
    pub files: BTreeMap<String, String>,
}

/// The tools of every build in C: the compiler proper, the assembler, the linker, the archiver and the C
/// library.
pub(crate) const EVERYWHERE: [&str; 8] =
    ["cc1", "cc1plus", "collect2", "lto1", "as", "ld", "ar", "libc.so.6"];

impl Toolchain {
    /// From what the programs print.
    pub fn from_outputs(cc_version: &str, cc_target: &str, rustc: &str) -> Self {
        let toolchain = Self {
            compilers: BTreeMap::new(),
            target: cc_target.trim().to_owned(),
            rustc: rustc_in_one_line(rustc),
            cpu_features: String::new(),
            files: BTreeMap::new(),
        };
        toolchain.with("cc", cc_version)
    }

    /// With another C compiler.
    #[must_use]
    pub fn with(mut self, name: &str, version: &str) -> Self {
        let first = version.lines().next().unwrap_or_default().trim();
        self.compilers.insert(name.to_owned(), first.to_owned());
        self
    }

    /// A C compiler's own description; its name if unknown.
    pub fn version_of<'t>(&'t self, compiler: &'t str) -> &'t str {
        self.compilers.get(compiler).map_or(compiler, String::as_str)
    }

    /// With a file that affects products.
    #[must_use]
    pub fn with_file(mut self, name: &str, digest: &str) -> Self {
        self.files.insert(name.to_owned(), digest.to_owned());
        self
    }

    /// The files that a build in C with these tools depends on, a line each.
    pub fn files_for<'n>(&self, tools: impl IntoIterator<Item = &'n str>) -> Vec<String> {
        let names: BTreeSet<&str> = EVERYWHERE.into_iter().chain(tools).collect();
        let line = |name: &str| Some(format!("{name} {}", self.files.get(name)?));
        names.into_iter().filter_map(line).collect()
    }

    /// With the CPU that `/proc/cpuinfo` describes.
    pub fn on_cpu(self, cpuinfo: &str) -> Self {
        let features = cpuinfo.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            matches!(name.trim(), "flags" | "Features").then(|| value.trim().to_owned())
        });
        Self { cpu_features: features.unwrap_or_default(), ..self }
    }
}

fn rustc_in_one_line(verbose: &str) -> String {
    let mut lines = verbose.lines().map(str::trim);
    let first = lines.next().unwrap_or_default().to_owned();
    lines.filter(|line| line.starts_with("host:") || line.starts_with("LLVM")).fold(first, |text, line| {
        let separator = if line.starts_with("host:") { ", " } else { "; " };
        text + separator + line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_compilers_print() {
        let toolchain = Toolchain::from_outputs(
            "cc (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022\n",
            "x86_64-linux-gnu\n",
            "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nLLVM version: 22.1\n",
        );
        assert_eq!(toolchain.version_of("cc"), "cc (Debian 12.2.0-14) 12.2.0");
        assert_eq!(toolchain.target, "x86_64-linux-gnu");
        let rustc = "rustc 1.95.0 (59807616e 2026-04-14), host: x86_64-unknown-linux-gnu; LLVM version: 22.1";
        assert_eq!(toolchain.rustc, rustc);
        let with_files =
            toolchain.clone().with_file("ld", "d1").with_file("make", "d2").with_file("perl", "d3");
        assert_eq!(with_files.files_for(["make", "cargo"]), ["ld d1", "make d2"]);
        let known_by = ["tar", "perl", "x"].map(KnownBy::of);
        assert_eq!(known_by, [KnownBy::Nothing, KnownBy::Version, KnownBy::Digest]);
        let cpuinfo = "processor\t: 0\nflags\t\t: fpu aes avx2\nprocessor\t: 1\nflags\t\t: fpu\n";
        assert_eq!(toolchain.on_cpu(cpuinfo).cpu_features, "fpu aes avx2");
    }
}
