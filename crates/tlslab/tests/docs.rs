//! The documents of `docs/`: decisions have an index and one form, every page is in the map, and no link is
//! broken.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files of a folder, by name, with their texts.
fn pages(folder: &str) -> Vec<(String, String)> {
    let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap());
    let named = files.map(|file| (file.file_name().into_string().unwrap(), file.path()));
    let pages = named.filter(|(name, _)| name.ends_with(".md"));
    pages.map(|(name, path)| (name, fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_decision_is_in_the_index_and_has_the_form() {
    let pages = pages("docs/decisions");
    let (_, index) = pages.iter().find(|(name, _)| name == "README.md").unwrap();
    for (name, text) in pages.iter().filter(|(name, _)| name != "README.md") {
        let number = &name[..4];
        let title = text.strip_prefix(&format!("# {number}: ")).and_then(|rest| rest.lines().next());
        let title = title.unwrap_or_else(|| panic!("{name} begins with \"# {number}: Title\""));
        assert!(
            index.contains(&format!("| [{number}]({name}) | {title} | ")),
            "the index has no row of {name}"
        );
        for part in ["State: ", "## Context\n", "## Decision\n", "## Consequences\n"] {
            assert!(text.contains(&format!("\n{part}")), "{name} has no line \"{}\"", part.trim());
        }
        assert!(text.lines().count() <= 80, "{name} has more than 80 lines");
    }
}

#[test]
fn every_page_is_in_the_map_and_no_link_leads_nowhere() {
    let tracked = Command::new("git").args(["ls-files", "*.md"]).current_dir(root()).output().unwrap();
    let files: Vec<String> = String::from_utf8(tracked.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(files.len() > 100, "{files:?}");
    let map = fs::read_to_string(root().join("docs/README.md")).unwrap();
    let mut wrong = Vec::new();
    for file in &files {
        let of_docs = file.strip_prefix("docs/").filter(|name| *name != "README.md");
        if of_docs
            .is_some_and(|name| !name.starts_with("decisions/0") && !map.contains(&format!("]({name})")))
        {
            wrong.push(format!("docs/README.md has no link to {file}"));
        }
        let path = root().join(file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        // Text between fences is not a link.
        let prose: String = text.split("\n```").step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()) {
            if !link.is_empty() && !link.contains(':') && !path.parent().unwrap().join(link).exists() {
                wrong.push(format!("{file} leads to {link}, which is missing"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_path_of_the_rules_for_contributors_exists() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let quoted =
        text.split('`').skip(1).step_by(2).filter(|word| word.contains('/') && !word.contains([' ', '<']));
    let in_root = |path: &&str| path.split('/').next().is_some_and(|first| root().join(first).is_dir());
    let missing: Vec<&str> =
        quoted.filter(in_root).filter(|path| !path.contains("NAME") && !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
