//! Copies of libraries with planted costs.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::{Path, PathBuf};

use super::stdout;

/// The version of a package in the lab's stack.
pub(crate) fn version_of(stack: &str, package: &str) -> String {
    super::driver(stack);
    let said = stdout(&super::tlslab().args(["stacks", stack]).output().unwrap());
    let words: Vec<&str> = said.split([' ', ',', '\n']).filter(|word| !word.is_empty()).collect();
    let is_version = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    let pair = words.windows(2).find(|pair| pair[0] == package && is_version(pair[1]));
    pair.unwrap_or_else(|| panic!("no {package} in {said}"))[1].to_owned()
}

/// A copy of a package as Cargo has unpacked it.
pub(crate) fn copied(into: &Path, stack: &str, package: &str) -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"));
    let name = format!("{package}-{}", version_of(stack, package));
    let registries = std::fs::read_dir(home.join("registry/src")).unwrap();
    let source = registries.map(|entry| entry.unwrap().path().join(&name)).find(|path| path.is_dir());
    let source = source.unwrap_or_else(|| panic!("Cargo has not unpacked {name}"));
    let copy = into.join(package);
    std::fs::create_dir_all(into).unwrap();
    let status = std::process::Command::new("cp").arg("-r").args([&source, &copy]).status().unwrap();
    assert!(status.success());
    copy
}

/// Inserts a cost after a text that occurs once in a file.
pub(crate) fn plant(file: &Path, behind: &str, cost: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(behind).count(), 1, "{behind} in {}", file.display());
    std::fs::write(file, text.replacen(behind, &format!("{behind}\n{cost}\n"), 1)).unwrap();
}
