//! The drawing of dependencies in ARCHITECTURE.md is that of the workspace, every crate introduces itself,
//! and doc comments are no wider than code. `UPDATE=1` writes the drawing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const BEGINS: &str =
    "<!-- dependencies: written by `UPDATE=1 cargo test -p tlslab --test architecture` -->\n```\n";
const ENDS: &str = "```\n";

/// The folder and the manifest of each crate.
fn crates(root: &Path) -> impl Iterator<Item = (PathBuf, toml::Table)> {
    fs::read_dir(root.join("crates")).unwrap().map(|entry| {
        let folder = entry.unwrap().path();
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        (folder, toml::from_str(&text).unwrap())
    })
}

/// Each crate's dependencies within the workspace, without those of its tests.
fn dependencies(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for (folder, manifest) in crates(root) {
        let names = manifest.get("dependencies").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let own = names.keys().filter_map(|name| name.strip_prefix("tlslab-")).map(str::to_owned);
        all.insert(folder.file_name().unwrap().to_str().unwrap().to_owned(), own.collect());
    }
    all
}

/// The crates in levels, the lowest last: a crate depends only on levels below its own.
fn drawing(all: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut level: BTreeMap<&str, usize> = BTreeMap::new();
    while level.len() < all.len() {
        let before = level.len();
        for (name, below) in all {
            let levels: Option<Vec<usize>> =
                below.iter().map(|one| level.get(one.as_str()).copied()).collect();
            if let (false, Some(levels)) = (level.contains_key(name.as_str()), levels) {
                level.insert(name, levels.into_iter().max().map_or(0, |highest| highest + 1));
            }
        }
        assert!(level.len() > before, "crates depend on each other in a circle");
    }
    let highest = level.values().copied().max().unwrap_or_default();
    let mut text = String::new();
    for wanted in (0..=highest).rev() {
        for (name, _) in level.iter().filter(|(_, at)| **at == wanted) {
            let below: Vec<&str> = all[*name].iter().map(String::as_str).collect();
            let arrow = if below.is_empty() { String::new() } else { format!(" → {}", below.join(", ")) };
            writeln!(text, "{wanted}  {name}{arrow}").unwrap();
        }
    }
    text
}

#[test]
fn the_drawing_is_that_of_the_workspace() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("ARCHITECTURE.md");
    let text = fs::read_to_string(&file).unwrap();
    let begins = text.find(BEGINS).expect("the drawing's place") + BEGINS.len();
    let ends = begins + text[begins..].find(ENDS).expect("the drawing's end");
    let drawn = drawing(&dependencies(&root));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, format!("{}{drawn}{}", &text[..begins], &text[ends..])).unwrap();
        return;
    }
    assert_eq!(&text[begins..ends], drawn, "UPDATE=1 cargo test -p tlslab --test architecture");
}

/// The defect of a crate's README as an introduction, if any.
fn flaw(readme: &str, package: &str) -> Option<String> {
    let Some((title, text)) = readme.split_once("\n\n") else { return Some("it has no text".to_owned()) };
    if title != format!("# {package}") {
        return Some(format!("its title is \"{title}\" rather than \"# {package}\""));
    }
    let sentences = text.split_whitespace().filter(|word| word.ends_with(['.', '?', '!'])).count();
    (!(1..=5).contains(&sentences)).then(|| format!("it has {sentences} sentences; write one to five"))
}

#[test]
fn every_crate_introduces_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut flaws = Vec::new();
    for (folder, manifest) in crates(&root) {
        let value =
            |key: &str| manifest["package"].get(key).and_then(toml::Value::as_str).unwrap_or_default();
        let file = folder.join("README.md");
        let flaw = flaw(&fs::read_to_string(&file).unwrap_or_default(), value("name"));
        flaws.extend(flaw.map(|flaw| format!("{}: {flaw}", file.display())));
        if value("description").trim().is_empty() {
            flaws.push(format!("{}: the package has no description", folder.join("Cargo.toml").display()));
        }
    }
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
}

#[test]
fn an_introduction_has_a_title_and_a_few_sentences() {
    let wrong = |readme: &str| flaw(readme, "a-crate").is_some();
    assert!(!wrong("# a-crate\n\nIt reads `a.b` files. It\nreturns values.\n"));
    assert!(wrong("") && wrong("# a-crate\n") && wrong("# a-crate\n\nNo sentence\n"));
    assert!(wrong("# other\n\nIt reads.\n"));
    assert!(wrong(&format!("# a-crate\n\n{}\n", "It reads. ".repeat(6))));
}

#[test]
fn every_crate_is_in_one_group() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let groups = text.split("\n## ").find(|part| part.starts_with("All crates")).expect("the groups");
    let mut listed: Vec<&str> = groups
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once('/'))
        .map(|(name, _)| name)
        .collect();
    listed.sort_unstable();
    let mut there: Vec<String> = dependencies(&root).into_keys().collect();
    there.sort_unstable();
    assert_eq!(listed, there);
}

/// The fuzz targets are a separate workspace, which no other test compiles.
#[test]
fn the_fuzzers_lock_file_has_what_the_crates_depend_on() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lock: toml::Table =
        toml::from_str(&fs::read_to_string(root.join("fuzz/Cargo.lock")).unwrap()).unwrap();
    let locked: BTreeMap<&str, BTreeSet<&str>> = lock["package"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let dependencies =
                package.get("dependencies").and_then(toml::Value::as_array).into_iter().flatten();
            let names = dependencies.filter_map(|name| name.as_str()?.split(' ').next());
            (package["name"].as_str().unwrap(), names.collect())
        })
        .collect();
    let mut compared = 0;
    for (_, manifest) in crates(&root) {
        let name = manifest["package"]["name"].as_str().unwrap();
        let (Some(locked), Some(wanted)) = (locked.get(name), manifest.get("dependencies")) else { continue };
        for (dependency, how) in wanted.as_table().unwrap() {
            let is_optional = how.get("optional").is_some_and(|optional| optional.as_bool() == Some(true));
            let is_there = is_optional || locked.contains(dependency.as_str());
            assert!(
                is_there,
                "{name} → {dependency}: run `cargo metadata` in fuzz/, which writes fuzz/Cargo.lock"
            );
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared} dependencies were compared");
}

/// The width that rustfmt.toml sets for code; rustfmt does not apply it to comments.
const WIDTH: usize = 110;

/// The numbers of lines of doc comments that are wider. Tables, link definitions, code and lines without a
/// space cannot be wrapped.
fn wide_comments(source: &str) -> Vec<usize> {
    let (mut wide, mut is_code) = (Vec::new(), false);
    for (at, line) in source.lines().enumerate() {
        let text = line.trim_start();
        let comment = text.strip_prefix("///").or_else(|| text.strip_prefix("//!"));
        let Some(comment) = comment.filter(|comment| !comment.starts_with('/')) else {
            is_code = false;
            continue;
        };
        let text = comment.trim();
        is_code ^= text.starts_with("```");
        let is_link = text.starts_with('[') && text.contains("]: ");
        let can_break = !is_code && !is_link && !text.starts_with('|') && text.contains(' ');
        if can_break && line.chars().count() > WIDTH {
            wide.push(at + 1);
        }
    }
    wide
}

#[test]
fn doc_comments_are_no_wider_than_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = crates(&root).map(|(folder, _)| folder.join("src")).collect();
    let (mut read, mut wide) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                read += 1;
                let lines = wide_comments(&fs::read_to_string(&path).unwrap());
                wide.extend(lines.into_iter().map(|line| format!("{}:{line}", path.display())));
            }
        }
    }
    assert!(read > 500, "{read} files were read");
    assert!(wide.is_empty(), "wrap at {WIDTH} columns:\n{}", wide.join("\n"));
}

#[test]
fn tables_links_and_code_in_comments_may_be_wider() {
    let long = "word ".repeat(30);
    assert_eq!(wide_comments(&format!("//! {long}\n\n    /// - {long}\n")), [1, 3]);
    assert!(wide_comments(&format!("// {long}\n//// {long}\n/// | {long}\n/// [a]: {long}\n")).is_empty());
    assert!(wide_comments(&format!("/// ```\n/// {long}\n/// ```\n/// {}\n", "x".repeat(200))).is_empty());
    assert_eq!(wide_comments(&format!("/// ```\n/// {long}\n/// ```\n/// {long}\n")), [4]);
}
