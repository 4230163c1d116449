//! The programs that builds need, and how to get those that are missing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;

use tlslab_artifact::on_path;
use tlslab_recipe::Recipe;

/// A missing program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    /// The program.
    pub tool: String,
    /// Debian's package that has it; `None` if none is known.
    pub debian_package: Option<String>,
    /// The stacks that need it.
    pub needed_by: Vec<String>,
}

/// Everything that is missing, as one message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct MissingTools(pub Vec<MissingTool>);

/// The programs that these recipes need and that are in no folder of `path`, a value of `PATH`. Sorted.
#[must_use]
pub fn missing_tools<'r>(recipes: impl IntoIterator<Item = &'r Recipe>, path: &OsStr) -> Vec<MissingTool> {
    let mut needed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for recipe in recipes {
        for tool in recipe.all_tools() {
            needed.entry(tool).or_default().push(recipe.name.clone());
        }
    }
    needed
        .into_iter()
        .filter(|(tool, _)| on_path(tool, path).is_none())
        .map(|(tool, needed_by)| MissingTool { debian_package: debian_package(&tool), tool, needed_by })
        .collect()
}

impl MissingTool {
    /// How to install it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match &self.debian_package {
            Some(package) => format!("install it: apt-get install {package}"),
            None if is_rust(&self.tool) => "install it with rustup: https://rustup.rs".to_owned(),
            None => "install it by hand".to_owned(),
        }
    }
}

impl fmt::Display for MissingTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "some programs that builds need are missing:")?;
        for missing in &self.0 {
            write!(f, "\n  {} (for {})", missing.tool, missing.needed_by.join(", "))?;
        }
        let mut packages: Vec<&str> =
            self.0.iter().filter_map(|tool| tool.debian_package.as_deref()).collect();
        packages.sort_unstable();
        packages.dedup();
        if !packages.is_empty() {
            write!(f, "\ninstall them with: apt-get install {}", packages.join(" "))?;
        }
        let others = || self.0.iter().filter(|missing| missing.debian_package.is_none());
        if others().any(|missing| is_rust(&missing.tool)) {
            write!(f, "\ninstall cargo and rustc with rustup: https://rustup.rs")?;
        }
        let by_hand: Vec<_> =
            others().map(|missing| missing.tool.as_str()).filter(|tool| !is_rust(tool)).collect();
        if !by_hand.is_empty() {
            write!(f, "\ninstall by hand: {}", by_hand.join(", "))?;
        }
        Ok(())
    }
}

fn is_rust(tool: &str) -> bool {
    matches!(tool, "cargo" | "rustc")
}

fn debian_package(tool: &str) -> Option<String> {
    let package = match tool {
        "cc" | "c++" | "gcc" | "g++" | "ld" | "ar" => "build-essential",
        "ninja" => "ninja-build",
        "go" => "golang-go",
        "java" | "javac" => "default-jdk-headless",
        "node" => "nodejs",
        "autoreconf" => "autoconf",
        "libtoolize" => "libtool",
        "aclocal" => "automake",
        "clang++" => "clang",
        "npm" => "npm",
        "pip3" => "python3-pip",
        "xz" => "xz-utils",
        "sh" => "dash",
        "apt-get" => "apt",
        same if SAME_NAME.contains(&same) => same,
        _ => return None,
    };
    Some(package.to_owned())
}

const SAME_NAME: [&str; 15] = [
    "automake",
    "bison",
    "bzip2",
    "clang",
    "cmake",
    "curl",
    "flex",
    "git",
    "m4",
    "make",
    "meson",
    "perl",
    "pkg-config",
    "python3",
    "tar",
];
