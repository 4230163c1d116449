//! The pages of drivers are what recipes and folders say, and what they say of a driver is found in it. `UPDATE=1` writes them anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn made(folder: &Path) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    let program = program.args(["stacks", "--drivers"]).arg(folder).arg("--root").arg(root());
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn texts(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    files
        .map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap()))
        .collect()
}

#[test]
fn the_pages_are_what_recipes_and_folders_say() {
    let folder = tempfile::tempdir().unwrap();
    let committed = root().join("docs/drivers");
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(&committed);
        made(&committed);
    }
    made(folder.path());
    let (now, then) = (texts(folder.path()), texts(&committed));
    assert!(now.len() > 12, "{:?}", now.keys());
    let next = "run `UPDATE=1 cargo test -p tlslab --test driver_pages` and look at the change";
    assert_eq!(now.keys().collect::<Vec<_>>(), then.keys().collect::<Vec<_>>(), "{next}");
    for (name, text) in &now {
        assert!(then[name] == *text, "docs/drivers/{name}: {next}");
    }
}

/// What is between backticks, line ends within it as spaces.
fn words(text: &str) -> Vec<String> {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Everything in which a driver's choices can be: its folder, those that it shares, the recipes that name it, the kit's headers.
fn sources(page: &str) -> String {
    let drivers = page.split("](../../drivers/").skip(1).filter_map(|rest| rest.split([')', '/']).next());
    let shared = page.lines().find(|line| line.starts_with("[drivers/")).unwrap_or_default();
    let shared = shared.split("](").skip(1).filter_map(|rest| rest.split_once(".md)")).map(|(name, _)| name);
    let mut folders: Vec<PathBuf> =
        drivers.chain(shared).map(|name| root().join("drivers").join(name)).collect();
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
    for (name, page) in texts(&root().join("docs/drivers")) {
        if name == "README.md" {
            continue;
        }
        let (_, after) = page.split_once("\n## Choices that bear on the figures\n").unwrap();
        let (choices, _) = after.split_once("\nWhat the driver says of itself").unwrap();
        let bullets = choices.lines().filter(|line| line.starts_with("- ")).count();
        assert!(bullets >= 3, "drivers/{name} says too little of its choices: {choices:?}");
        let sources = sources(&page);
        for word in words(choices) {
            // Of a call, its name; of a flag with a value, all of it.
            if !sources.contains(word.trim_end_matches("()")) {
                missing.push(format!("{name}: `{word}`"));
            }
        }
    }
    assert!(missing.is_empty(), "named in a README's choices, and found nowhere in the driver: {missing:#?}");
}
