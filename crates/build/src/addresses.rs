//! The addresses from which cargo would fetch for a checkout's manifests.

use std::path::{Path, PathBuf};

use tlslab_artifact::{Halt, Hosts, addresses, read_plain_text};
use toml::{Table, Value};

/// The longest manifest, bytes.
const LONGEST: u64 = 1 << 20;

/// Checks every manifest of a source before cargo reads one: other repositories and indexes must be on
/// allowed hosts.
pub(crate) fn check(hosts: &Hosts, package: &str, tree: &Path, paths: &[PathBuf]) -> Result<(), Halt> {
    for path in paths.iter().filter(|path| path.file_name().is_some_and(|name| name == "Cargo.toml")) {
        let asker = format!("{} of {package}", path.display());
        let text = read_plain_text(&tree.join(path), LONGEST).map_err(|cause| {
            let next_step = "remove it: cargo might read files that the lab has not checked";
            Halt::wrong(asker.as_str(), cause.to_string(), next_step)
        })?;
        check_text(hosts, &asker, &text)?;
    }
    Ok(())
}

/// Checks a manifest.
pub(crate) fn check_text(hosts: &Hosts, asker: &str, manifest: &str) -> Result<(), Halt> {
    asked_for(manifest).iter().try_for_each(|address| hosts.check_named(asker, address))
}

/// What a manifest fetches besides packages of the registry. If it is not valid TOML, every address in it:
/// cargo might read it differently.
fn asked_for(manifest: &str) -> Vec<String> {
    match toml::from_str::<Table>(manifest) {
        Ok(table) => {
            let mut found = Vec::new();
            of_table(&table, &mut found);
            found
        }
        Err(_) => addresses(manifest).map(str::to_owned).collect(),
    }
}

/// For a table and its subtables: `dependencies` of every kind, `replace`, and `patch`, which has a table for
/// each registry.
fn of_table(table: &Table, found: &mut Vec<String>) {
    for (key, value) in table {
        let Value::Table(below) = value else { continue };
        match key.as_str() {
            "features" | "metadata" => {}
            "replace" => of_packages(below, found),
            "patch" => below.values().filter_map(Value::as_table).for_each(|of| of_packages(of, found)),
            key if key.ends_with("dependencies") => of_packages(below, found),
            _ => of_table(below, found),
        }
    }
}

fn of_packages(packages: &Table, found: &mut Vec<String>) {
    let asked = packages.values().filter_map(Value::as_table).flat_map(|package| {
        ["git", "registry-index"].into_iter().filter_map(|key| package.get(key)?.as_str())
    });
    found.extend(asked.map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_cargo_would_fetch_is_found() {
        let manifest = r#"
            [package]
            name = "x"
            repository = "https://not-fetched.example/x"
            [dependencies]
            a = "1"
            b = { git = "https://b.example/b", branch = "main" }
            [dependencies.c]
            git = "ssh://git@c.example/c"
            [target.'cfg(unix)'.build-dependencies]
            d = { version = "1", registry-index = "https://d.example/index" }
            [workspace.dependencies.e]
            git = "https://e.example/e"
            [features]
            git = ["dep:git"]
            [package.metadata.docs]
            git = "https://not-fetched.example/docs"
            [dev_dependencies]
            git = "1"
            [patch.crates-io]
            f = { git = "file:///f" }
        "#;
        let mut found = asked_for(manifest);
        found.sort();
        let expected = [
            "file:///f",
            "https://b.example/b",
            "https://d.example/index",
            "https://e.example/e",
            "ssh://git@c.example/c",
        ];
        assert_eq!(found, expected);
        assert_eq!(asked_for("a = https://x.example/y\n[["), ["https://x.example/y"]);
    }

    #[test]
    fn the_manifest_and_the_address_are_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(
            folder.path().join("sub/Cargo.toml"),
            "[dependencies]\nb = { git = \"https://evil.example/b\" }\n",
        )
        .unwrap();
        let paths = [PathBuf::from("sub/Cargo.toml")];
        let said = check(&Hosts::default(), "rustls", folder.path(), &paths).unwrap_err().to_string();
        assert!(
            said.starts_with("sub/Cargo.toml of rustls fetches from \"https://evil.example/b\": evil.example is not an allowed"),
            "{said}"
        );
        assert!(check(&Hosts::new(["evil.example"]), "rustls", folder.path(), &paths).is_ok());
    }
}
