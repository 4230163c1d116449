//! Manifests reduced to what a driver's build sees, so that other changes of the lab rebuild no driver. Pure.

use std::collections::BTreeSet;
use std::path::Path;

use toml::{Table, Value};

/// A crate's manifest without parts for tests. Comments go too.
pub(crate) fn without_tests(manifest: &str) -> Result<Table, toml::de::Error> {
    let mut table: Table = toml::from_str(manifest)?;
    for key in ["dev-dependencies", "test", "workspace", "example"] {
        table.remove(key);
    }
    if let Some(Value::Table(targets)) = table.get_mut("target") {
        for (_, target) in targets.iter_mut() {
            if let Value::Table(target) = target {
                target.remove("dev-dependencies");
            }
        }
    }
    Ok(table)
}

/// The names under which a manifest lists its dependencies, paired with the packages that they mean, as far
/// as the manifest itself has them.
pub(crate) fn dependencies(manifest: &Table) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let targets = manifest.get("target").and_then(Value::as_table);
    let of_targets = targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    for holder in [manifest].into_iter().chain(of_targets) {
        for key in ["dependencies", "build-dependencies"] {
            for (name, value) in holder.get(key).and_then(Value::as_table).into_iter().flatten() {
                let package = value.get("package").and_then(Value::as_str).unwrap_or(name);
                found.insert((name.clone(), package.to_owned()));
            }
        }
    }
    found
}

/// The workspace's manifest, reduced to what these members (folder and manifest) refer to.
pub(crate) fn smallest_workspace(root: &str, members: &[(&str, &Table)]) -> Result<Table, toml::de::Error> {
    let root: Table = toml::from_str(root)?;
    let whole = root.get("workspace").and_then(Value::as_table).cloned().unwrap_or_default();
    let used: BTreeSet<String> =
        members.iter().flat_map(|(_, manifest)| dependencies(manifest)).map(|(name, _)| name).collect();
    let mut workspace = Table::new();
    for (key, mut value) in whole {
        match key.as_str() {
            "members" => {
                value = Value::Array(members.iter().map(|(folder, _)| Value::from(*folder)).collect());
            }
            "dependencies" => {
                if let Value::Table(listed) = &mut value {
                    listed.retain(|name, _| used.contains(name));
                }
            }
            "exclude" | "default-members" | "metadata" => continue,
            _ => {}
        }
        workspace.insert(key, value);
    }
    workspace.insert("exclude".into(), Value::Array(["drivers", "source"].map(Value::from).to_vec()));
    let mut smallest = Table::from_iter([("workspace".to_owned(), Value::Table(workspace))]);
    smallest.insert("profile".into(), toml::from_str(PROFILE)?);
    Ok(smallest)
}

/// How the kit is built: profiles show its functions, files and lines, independent of the lab's own build.
const PROFILE: &str = "release.debug = \"line-tables-only\"";

/// A driver's manifest in which packages come from folders instead of the registry.
pub(crate) fn with_patches(manifest: &str, patches: &[(String, String)]) -> Result<Table, toml::de::Error> {
    let mut table: Table = toml::from_str(manifest)?;
    let registry = child(child(&mut table, "patch"), "crates-io");
    for (package, folder) in patches {
        let path = Table::from_iter([("path".to_owned(), Value::from(folder.as_str()))]);
        registry.insert(package.clone(), Value::Table(path));
    }
    Ok(table)
}

/// A driver's manifest that also requires exact versions of packages (`NAME` or `NAME@VERSION`), each under a
/// name of its own.
pub(crate) fn with_pins(manifest: &str, pins: &[(&str, &str)]) -> Result<Table, toml::de::Error> {
    let mut table: Table = toml::from_str(manifest)?;
    let dependencies = child(&mut table, "dependencies");
    for (number, (pin, version)) in pins.iter().enumerate() {
        let package = pin.split('@').next().unwrap_or(pin);
        let exact = Table::from_iter([
            ("package".to_owned(), Value::from(package)),
            ("version".to_owned(), Value::from(format!("={version}"))),
            ("default-features".to_owned(), Value::from(false)),
        ]);
        dependencies.insert(format!("tlslab-pin-{number}"), Value::Table(exact));
    }
    Ok(table)
}

/// A driver's manifest with the kit in the lab's `folder`, wherever its author has it. `None` if that is so
/// already.
pub(crate) fn with_kit(manifest: &str, folder: &str) -> Result<Option<Table>, toml::de::Error> {
    let mut table: Table = toml::from_str(manifest)?;
    let mut is_moved = false;
    if let Some(Value::Table(dependencies)) = table.get_mut("dependencies") {
        for package in ["driver-kit", "protocol"] {
            let path = Path::new(folder).join(package).to_string_lossy().into_owned();
            let Some(Value::Table(kit)) = dependencies.get_mut(&format!("tlslab-{package}")) else {
                continue;
            };
            if kit.get("path").and_then(Value::as_str).is_some_and(|known| known != path) {
                kit.insert("path".to_owned(), Value::from(path));
                is_moved = true;
            }
        }
    }
    Ok(is_moved.then_some(table))
}

fn child<'t>(table: &'t mut Table, key: &str) -> &'t mut Table {
    let entry = table.entry(key).or_insert_with(|| Value::Table(Table::new()));
    if !entry.is_table() {
        *entry = Value::Table(Table::new());
    }
    match entry {
        Value::Table(table) => table,
        _ => unreachable!("it was made a table just now"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = r#"
        [workspace]
        resolver = "3"
        members = ["crates/*"]
        exclude = ["fuzz"]
        [workspace.package]
        edition = "2024"
        [workspace.dependencies]
        protocol = { path = "crates/protocol" }
        serde = "1"
        plotly = "0.14"
        [profile.release]
        debug = 1
        [profile.dev]
        opt-level = 1
    "#;
    const KIT: &str = r#"
        [package]
        name = "kit" # a comment
        [dependencies]
        protocol.workspace = true
        [target.'cfg(unix)'.dependencies]
        c-lib = { package = "libc", version = "0.2" }
        [target.'cfg(unix)'.dev-dependencies]
        nix = "1"
        [dev-dependencies]
        plotly.workspace = true
        [[workspace]]
        name = "speed"
    "#;

    #[test]
    fn a_crate_is_cut_down() {
        let kit = without_tests(KIT).unwrap();
        let listed: Vec<_> = dependencies(&kit).into_iter().collect();
        let pair = |name: &str, package: &str| (name.to_owned(), package.to_owned());
        assert_eq!(listed, [pair("c-lib", "libc"), pair("protocol", "protocol")]);
        assert!(!toml::to_string(&kit).unwrap().contains("speed"));
    }

    #[test]
    fn the_workspace_is_cut_down() {
        let kit = without_tests(KIT).unwrap();
        let smallest = smallest_workspace(ROOT, &[("crates/kit", &kit)]).unwrap();
        insta::assert_snapshot!(toml::to_string(&smallest).unwrap());
    }

    #[test]
    fn a_dependency_of_the_lab_alone_changes_nothing() {
        let kit = without_tests(KIT).unwrap();
        let before = smallest_workspace(ROOT, &[("crates/kit", &kit)]).unwrap();
        let after = smallest_workspace(&ROOT.replace("0.14", "0.15"), &[("crates/kit", &kit)]).unwrap();
        assert_eq!(before, after);
    }

    #[test]
    fn the_kit_is_found_where_the_lab_lays_it() {
        let mine =
            "[dependencies]\ntlslab-driver-kit = { path = \"../../x/crates/driver-kit\", features = [] }\n";
        let moved = with_kit(mine, "../../crates").unwrap().unwrap();
        let kit = &moved["dependencies"]["tlslab-driver-kit"];
        assert_eq!(kit["path"].as_str(), Some("../../crates/driver-kit"));
        assert!(kit.get("features").is_some());
        assert!(with_kit(&toml::to_string(&moved).unwrap(), "../../crates").unwrap().is_none());
    }

    #[test]
    fn exact_versions_are_added_under_names_of_their_own() {
        let pins = [("tls", "0.23.4"), ("crypto@0.16", "0.16.20")];
        let pinned = with_pins("[dependencies]\ntls = \"0.23\"\n", &pins).unwrap();
        let dependencies = pinned["dependencies"].as_table().unwrap();
        assert_eq!(dependencies["tls"].as_str(), Some("0.23"));
        let of = |name: &str, key: &str| dependencies[name][key].as_str().map(str::to_owned);
        assert_eq!(of("tlslab-pin-0", "package").as_deref(), Some("tls"));
        assert_eq!(of("tlslab-pin-0", "version").as_deref(), Some("=0.23.4"));
        assert_eq!(of("tlslab-pin-1", "package").as_deref(), Some("crypto"));
        assert_eq!(of("tlslab-pin-1", "version").as_deref(), Some("=0.16.20"));
    }

    #[test]
    fn a_patch_is_added() {
        let patches = [("rustls".to_owned(), "../lib".to_owned())];
        let patched = with_patches("[patch.crates-io]\nx = { path = \"x\" }", &patches).unwrap();
        let registry = &patched["patch"]["crates-io"];
        assert_eq!(registry["rustls"]["path"].as_str(), Some("../lib"));
        assert_eq!(registry["x"]["path"].as_str(), Some("x"));
    }
}
