//! The drawing of dependencies in ARCHITECTURE.md is that of the workspace. `UPDATE=1` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const BEGINS: &str =
    "<!-- dependencies: written by `UPDATE=1 cargo test -p tlslab --test architecture` -->\n```\n";
const ENDS: &str = "```\n";

/// Each crate's dependencies within the workspace, those of its tests excepted.
fn dependencies(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&text).unwrap();
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
