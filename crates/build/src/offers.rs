//! The offers of a library's source, and a driver's manifest that follows them. Along a branch packages
//! become features or the reverse, and features come and go: one manifest names all of them. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use toml::{Table, Value};

/// The packages of a source by name.
pub(crate) type Offers = BTreeMap<String, Offer>;

/// A package of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Its folder within the source.
    pub folder: PathBuf,
    /// Its version, if the manifests have it.
    pub version: Option<String>,
    features: BTreeSet<String>,
}

impl Offer {
    /// A package of which only the place is known.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder, version: None, features: BTreeSet::new() }
    }

    /// The package of a manifest, with its name; `None` if it has no package. `root` is the manifest of its
    /// workspace, from which it may inherit its version.
    pub(crate) fn read(manifest: &str, root: Option<&str>, folder: PathBuf) -> Option<(String, Self)> {
        let table: Table = toml::from_str(manifest).ok()?;
        let package = table.get("package")?;
        let name = package.get("name")?.as_str()?.to_owned();
        let inherited = || {
            let root: Table = toml::from_str(root?).ok()?;
            Some(root.get("workspace")?.get("package")?.get("version")?.as_str()?.to_owned())
        };
        let version = match package.get("version") {
            Some(Value::String(version)) => Some(version.clone()),
            Some(_) => inherited(),
            None => None,
        };
        let keys = |key: &str| table.get(key).and_then(Value::as_table).into_iter().flatten();
        let is_optional = |value: &Value| value.get("optional").and_then(Value::as_bool) == Some(true);
        // An optional dependency is a feature of its name, unless a feature names it as a dependency.
        let needed: BTreeSet<String> = keys("features").flat_map(|(_, needs)| words(Some(needs))).collect();
        let is_feature = |name: &str| !needed.contains(&format!("dep:{name}"));
        let optional = keys("dependencies").filter(|(name, value)| is_optional(value) && is_feature(name));
        let features = keys("features").chain(optional).map(|(name, _)| name.clone()).collect();
        Some((name, Self { folder, version, features }))
    }
}

/// Adapts a driver's manifest to a source, if it asks for that in `[package.metadata.tlslab.source]`. There
/// `features` lists features of packages that only some sources have, and `instead` features that replace
/// packages which some sources lack. Of both, and of the usual list of features, the driver gets what the
/// source offers, and its packages in the source's versions. `chosen` are the driver's own features.
///
/// # Errors
/// Returns why the source does not support the chosen features.
pub(crate) fn follow(manifest: &mut Table, offers: &Offers, chosen: &[String]) -> Result<(), String> {
    let Some(rules) = rules(manifest) else { return Ok(()) };
    let has = |package: &str, feature: &str| {
        offers.get(package).is_some_and(|offer| offer.features.contains(feature))
    };
    if let Some(dependencies) = table_in(manifest, "dependencies") {
        for (package, offer) in offers {
            let Some(Value::Table(dependency)) = dependencies.get_mut(package) else { continue };
            if let Some(version) = &offer.version {
                dependency.insert("version".to_owned(), Value::from(format!("={version}")));
            }
            let listed = words(dependency.get("features"));
            let further = words(rules.get("features").and_then(|features| features.get(package)));
            let offered = listed.into_iter().chain(further).filter(|feature| has(package, feature));
            dependency.insert("features".to_owned(), Value::Array(offered.map(Value::from).collect()));
        }
    }
    let instead = rules.get("instead").and_then(Value::as_table).into_iter().flatten();
    for (package, features) in instead.filter(|(package, _)| !offers.contains_key(*package)) {
        let features = words(Some(features));
        let is_offered = |word: &&String| word.split_once('/').is_some_and(|(of, feature)| has(of, feature));
        let stand_in = features.iter().find(is_offered).map(String::as_str);
        let replaced = replace(manifest, package, stand_in);
        if stand_in.is_none() && replaced.iter().any(|feature| chosen.contains(feature)) {
            return Err(format!(
                "it has neither the package {package} nor a feature {}",
                features.join(" or ")
            ));
        }
    }
    Ok(())
}

/// Removes a package from a manifest; a feature replaces it if there is one. Returns the manifest's own
/// features that needed it.
fn replace(manifest: &mut Table, package: &str, stand_in: Option<&str>) -> Vec<String> {
    if let Some(dependencies) = table_in(manifest, "dependencies") {
        dependencies.remove(package);
    }
    let needed = format!("dep:{package}");
    let mut replaced = Vec::new();
    for (name, needs) in table_in(manifest, "features").into_iter().flatten() {
        let Value::Array(needs) = needs else { continue };
        let before = needs.len();
        needs.retain(|need| need.as_str() != Some(&needed));
        if needs.len() < before {
            needs.extend(stand_in.map(Value::from));
            replaced.push(name.clone());
        }
    }
    replaced
}

fn table_in<'t>(manifest: &'t mut Table, key: &str) -> Option<&'t mut Table> {
    manifest.get_mut(key)?.as_table_mut()
}

fn rules(manifest: &Table) -> Option<Table> {
    let metadata = manifest.get("package")?.get("metadata")?;
    metadata.get("tlslab")?.get("source")?.as_table().cloned()
}

fn words(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVER: &str = r#"
        [package]
        name = "driver"
        [package.metadata.tlslab.source]
        features = { lib = ["std"] }
        instead = { lib-fast = ["lib/fast", "lib/quick"], lib-slow = ["lib/slow"] }
        [features]
        fast = ["dep:lib-fast", "extra"]
        slow = ["dep:lib-slow"]
        [dependencies]
        lib = { version = "=2.0.0-dev.2", features = ["roots"] }
        lib-fast = { version = "=2.0.0-dev.2", optional = true }
        lib-slow = { version = "=2.0.0-dev.2", optional = true }
        other = "1"
    "#;

    fn offers(manifests: &[&str]) -> Offers {
        let root = "[workspace.package]\nversion = \"1.9.0\"";
        manifests.iter().filter_map(|text| Offer::read(text, Some(root), PathBuf::new())).collect()
    }

    fn followed(manifests: &[&str], chosen: &str) -> Result<Table, String> {
        let mut driver: Table = toml::from_str(DRIVER).unwrap();
        follow(&mut driver, &offers(manifests), &[chosen.to_owned()])?;
        Ok(driver)
    }

    fn is(table: &Table, key: &str, expected: &str) {
        let expected: Table = toml::from_str(expected).unwrap();
        assert_eq!(table[key], Value::Table(expected));
    }

    #[test]
    fn packages_of_the_source_stay_in_their_versions() {
        let lib = "[package]\nname = \"lib\"\nversion = \"2.0.0-dev.5\"\n[features]\nroots = []";
        let fast = "[package]\nname = \"lib-fast\"\nversion.workspace = true";
        let driver = followed(&[lib, fast, "[workspace]"], "fast").unwrap();
        is(
            &driver,
            "dependencies",
            r#"
            lib = { version = "=2.0.0-dev.5", features = ["roots"] }
            lib-fast = { version = "=1.9.0", optional = true, features = [] }
            other = "1"
            "#,
        );
        is(&driver, "features", "fast = [\"dep:lib-fast\", \"extra\"]\nslow = []");
    }

    #[test]
    fn features_stand_in_for_packages_that_are_missing() {
        let lib = "[package]\nname = \"lib\"\nversion = \"1.0.0\"\n[features]\nstd = []\nslow = [\"dep:fast\"]\n\
                   [dependencies]\nquick = { version = \"1\", optional = true }\n\
                   fast = { version = \"1\", optional = true }";
        let driver = followed(&[lib], "slow").unwrap();
        is(&driver, "features", "fast = [\"extra\", \"lib/quick\"]\nslow = [\"lib/slow\"]");
        is(&driver, "dependencies", "lib = { version = \"=1.0.0\", features = [\"std\"] }\nother = \"1\"");
        let bare = "[package]\nname = \"lib\"";
        let refused = followed(&[bare], "fast").unwrap_err();
        assert_eq!(refused, "it has neither the package lib-fast nor a feature lib/fast or lib/quick");
    }

    #[test]
    fn a_manifest_that_follows_nothing_stays() {
        let mut driver: Table = toml::from_str("[dependencies]\nlib = { version = \"1\" }").unwrap();
        let before = driver.clone();
        follow(&mut driver, &offers(&["[package]\nname = \"lib\"\nversion = \"2.0.0\""]), &[]).unwrap();
        assert_eq!(driver, before);
    }
}
