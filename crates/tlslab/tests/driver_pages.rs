//! The pages of drivers link to each other, and their statements about a driver are found in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages of all drivers by name, as the command writes them.
fn pages() -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    let program = program.args(["stacks", "--drivers"]).arg(folder.path()).arg("--root").arg(root());
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
    files
        .map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap()))
        .collect()
}

#[test]
fn every_driver_of_a_stack_has_a_page_that_the_contents_lead_to() {
    let pages = pages();
    assert!(pages.len() > 12, "{:?}", pages.keys());
    for (from, page) in &pages {
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(".md)")).map(|(name, _)| name);
        let missing: Vec<&str> = links.filter(|name| !pages.contains_key(&format!("{name}.md"))).collect();
        assert!(missing.is_empty(), "{from} leads to {missing:?}");
    }
    let contents = &pages["README.md"];
    let unreached = |name: &&String| *name != "README.md" && !contents.contains(&format!("]({name})"));
    assert_eq!(pages.keys().find(unreached), None);
}

/// The text between backticks, with line breaks as spaces.
fn words(text: &str) -> Vec<String> {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Every file that can contain a driver's choices: its folder, those that it shares, the recipes that name
/// it, the kit's headers.
fn sources(driver: &str, page: &str) -> String {
    let shared = page.lines().find(|line| line.starts_with("`drivers/")).unwrap_or_default();
    let shared = shared.split("](").skip(1).filter_map(|rest| rest.split_once(".md)")).map(|(name, _)| name);
    let mut folders: Vec<PathBuf> =
        shared.chain([driver]).map(|name| root().join("drivers").join(name)).collect();
    folders.extend(["stacks", "crates/driver-kit"].map(|name| root().join(name)));
    folders.sort();
    folders.dedup();
    let mut text = String::new();
    for folder in folders {
        read_all(&folder, &mut text);
    }
    text
}

fn read_all(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, text);
        } else if !path.ends_with("README.md") {
            *text += &format!("\n{}\n", path.display());
            *text += &fs::read_to_string(&path).unwrap_or_default();
        }
    }
}

#[test]
fn what_a_page_says_of_its_driver_is_found_there() {
    let mut missing = Vec::new();
    for (name, page) in pages().into_iter().filter(|(name, _)| name != "README.md") {
        let (_, after) = page.split_once("\n## Choices that affect results\n").unwrap();
        let (choices, _) = after.split_once("\n`tlslab stacks --capabilities").unwrap();
        let bullets = choices.lines().filter(|line| line.starts_with("- ")).count();
        assert!(bullets >= 3, "drivers/{name} says too little of its choices: {choices:?}");
        let sources = sources(name.trim_end_matches(".md"), &page);
        for word in words(choices) {
            // For a call its name, for a flag with a value all of it.
            if !sources.contains(word.trim_end_matches("()")) {
                missing.push(format!("{name}: `{word}`"));
            }
        }
    }
    assert!(missing.is_empty(), "named in a README's choices, and found nowhere in the driver: {missing:#?}");
}
