//! `Cargo.lock` files: their contents, and the part that some members need. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The packages of a `Cargo.lock`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Lockfile {
    version: u32,
    #[serde(rename = "package", default)]
    packages: Vec<Package>,
}

/// One package of a `Cargo.lock`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its exact version.
    pub version: String,
    source: Option<String>,
    /// SHA-256 of the package, if it comes from a registry.
    pub checksum: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Lockfile {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let lock: Self = toml::from_str(text)?;
        // Cargo writes these values without escapes.
        let is_plain = |text: &String| !text.contains(['"', '\\']) && !text.contains(char::is_control);
        let texts = |package: &Package| {
            let Package { name, version, source, checksum, dependencies } = package;
            [name, version].into_iter().chain(source).chain(checksum).chain(dependencies).all(is_plain)
        };
        match lock.packages.iter().find(|package| !texts(package)) {
            Some(_) => Err(serde::de::Error::custom("a package has an invalid name")),
            None => Ok(lock),
        }
    }

    /// The names of all packages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.iter().map(|package| package.name.as_str())
    }

    /// The packages of this name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(move |package| package.name == name)
    }

    /// The direct and indirect dependencies of one of this name, the nearest first.
    pub fn needed_by(&self, name: &str) -> Vec<&Package> {
        let mut found: Vec<usize> =
            self.packages.iter().position(|package| package.name == name).into_iter().collect();
        let mut next = 0;
        while let Some(&index) = found.get(next) {
            for needed in self.packages[index].dependencies.iter().filter_map(|text| self.resolve(text)) {
                if !found.contains(&needed) {
                    found.push(needed);
                }
            }
            next += 1;
        }
        found.into_iter().skip(1).map(|index| &self.packages[index]).collect()
    }

    /// The packages that need this one directly.
    pub fn dependents(&self, package: &Package) -> Vec<&Package> {
        let is_it =
            |text: &String| self.resolve(text).is_some_and(|needed| self.packages[needed] == *package);
        self.packages.iter().filter(|other| other.dependencies.iter().any(is_it)).collect()
    }

    /// Whether a package has this version, and no other one that `pin` names. A pin is `name`, or if there
    /// are several of that name, `name@version`, with the start of a version. A suffix after `+` counts only
    /// if `version` has one.
    pub fn satisfies(&self, pin: &str, version: &str) -> bool {
        let (name, old) = pin.split_once('@').unwrap_or((pin, ""));
        let is_it = |package: &Package| same_version(&package.version, version);
        let is_meant = |package: &Package| package.version.starts_with(old);
        self.named(name).any(is_it) && !self.named(name).any(|package| is_meant(package) && !is_it(package))
    }

    /// The part that remains if the workspace has only these members, each with only these dependencies.
    pub fn only_for(&self, members: &BTreeMap<String, BTreeSet<String>>) -> Self {
        let by_name = |name: &String| self.packages.iter().position(|package| package.name == *name);
        let mut waiting: Vec<usize> = members.keys().filter_map(by_name).collect();
        let mut kept: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        while let Some(index) = waiting.pop() {
            if kept.contains_key(&index) {
                continue;
            }
            let package = &self.packages[index];
            let needed: Vec<usize> = package
                .dependencies
                .iter()
                .filter_map(|text| self.resolve(text))
                .filter(|&needed| {
                    members.get(&package.name).is_none_or(|only| only.contains(&self.packages[needed].name))
                })
                .collect();
            waiting.extend(&needed);
            kept.insert(index, needed);
        }
        let packages: Vec<&Package> = kept.keys().map(|&index| &self.packages[index]).collect();
        let shortened = |needed: &Vec<usize>| {
            needed.iter().map(|&index| shortest(&self.packages[index], &packages)).collect()
        };
        let packages = kept
            .iter()
            .map(|(&index, needed)| Package {
                dependencies: shortened(needed),
                ..self.packages[index].clone()
            })
            .collect();
        Self { version: self.version, packages }
    }

    /// The file exactly as cargo writes it: `--locked` compares.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\n\
             version = {}\n",
            self.version
        );
        for package in &self.packages {
            text +=
                &format!("\n[[package]]\nname = \"{}\"\nversion = \"{}\"\n", package.name, package.version);
            if let Some(source) = &package.source {
                text += &format!("source = \"{source}\"\n");
            }
            if let Some(checksum) = &package.checksum {
                text += &format!("checksum = \"{checksum}\"\n");
            }
            if !package.dependencies.is_empty() {
                text += "dependencies = [\n";
                for dependency in &package.dependencies {
                    text += &format!(" \"{dependency}\",\n");
                }
                text += "]\n";
            }
        }
        text
    }

    /// A dependency is written as `name`, `name version` or `name version (source)`, as short as it can be.
    fn resolve(&self, text: &str) -> Option<usize> {
        let mut words = text.splitn(3, ' ');
        let (name, version, source) = (words.next()?, words.next(), words.next());
        self.packages.iter().position(|package| {
            package.name == name
                && version.is_none_or(|version| package.version == version)
                && source.is_none_or(|source| {
                    let bare = source.trim_start_matches('(').trim_end_matches(')');
                    package.source.as_deref().is_some_and(|known| known.starts_with(bare))
                })
        })
    }
}

fn shortest(package: &Package, among: &[&Package]) -> String {
    let same_name: Vec<_> = among.iter().filter(|other| other.name == package.name).collect();
    let same_version = same_name.iter().filter(|other| other.version == package.version).count();
    match (same_name.len(), same_version, &package.source) {
        (1, ..) => package.name.clone(),
        (_, 1, _) | (.., None) => format!("{} {}", package.name, package.version),
        (.., Some(source)) => format!("{} {} ({source})", package.name, package.version),
    }
}

/// Whether a locked version is the wanted one.
pub(crate) fn same_version(locked: &str, wanted: &str) -> bool {
    locked == wanted || locked.split('+').next() == Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"# This file is automatically @generated by Cargo.
# It is not intended for manual editing.
version = 4

[[package]]
name = "insta"
version = "1.0.0"
source = "registry+https://registry.example/index"
checksum = "aa"
dependencies = [
 "rand 0.9.0",
]

[[package]]
name = "kit"
version = "0.1.0"
dependencies = [
 "insta",
 "rand 0.8.5",
]

[[package]]
name = "rand"
version = "0.8.5"
source = "registry+https://registry.example/index"
checksum = "bb"

[[package]]
name = "rand"
version = "0.9.0"
source = "registry+https://registry.example/index"
checksum = "cc"
"#;

    #[test]
    fn writes_what_it_read() {
        assert_eq!(Lockfile::parse(LOCK).unwrap().to_text(), LOCK);
    }

    #[test]
    fn keeps_what_a_member_needs_under_the_shortest_names() {
        let members = BTreeMap::from([("kit".to_owned(), BTreeSet::from(["rand".to_owned()]))]);
        let only = Lockfile::parse(LOCK).unwrap().only_for(&members);
        insta::assert_snapshot!(only.to_text());
    }

    #[test]
    fn knows_whether_a_pin_holds() {
        let lock = Lockfile::parse(LOCK).unwrap();
        assert!(lock.satisfies("insta", "1.0.0"));
        assert!(!lock.satisfies("insta", "1.0.1"));
        assert!(!lock.satisfies("rand", "0.8.5"), "there is another");
        assert!(!lock.satisfies("absent", "1.0.0"));
        assert!(lock.satisfies("rand@0.8", "0.8.5"));
        assert!(!lock.satisfies("rand@0.8", "0.8.6"));
        assert!(same_version("300.5.5+3.5.5", "300.5.5"));
        assert!(!same_version("300.5.5", "300.5.5+3.5.5"));
    }
}
