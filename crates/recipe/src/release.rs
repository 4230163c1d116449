//! Releases in a registry: a recipe's names for them, and the inputs of a build.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use versions::{Op, Requirement, Versioning};

use crate::version::{bare, compare, is_early, same_release};

/// A registry of packages that lists its releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Registry {
    /// Cargo's.
    Crate,
    /// The module proxy of Go.
    Go,
    /// npm's.
    Npm,
}

impl fmt::Display for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Crate => "crate",
            Self::Go => "go",
            Self::Npm => "npm",
        })
    }
}

/// A package of a registry whose releases a recipe builds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Package {
    /// The registry.
    pub registry: Registry,
    /// The package's name.
    pub name: String,
}

/// A release of a package, as the registry lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its version, with the suffix after `+`.
    pub version: String,
    /// SHA-256 of the package, hex, if the registry has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// When it was published, RFC 3339, if the registry has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Whether it was withdrawn.
    #[serde(default)]
    pub is_withdrawn: bool,
}

impl Listed {
    /// Whether it precedes a release: `0.24.0-dev.2`, `1.27rc1`.
    pub fn is_prerelease(&self) -> bool {
        is_early(&self.version)
    }
}

/// Lists the releases of packages.
pub trait Registries: Send + Sync {
    /// Every release of a package. A cached list suffices if `is_enough` accepts it.
    ///
    /// # Errors
    /// Returns why there is no list, or none that suffices.
    fn list(&self, package: &Package, is_enough: &dyn Fn(&[Listed]) -> bool) -> Result<Vec<Listed>, String>;
}

/// A release under the name that a user types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The library's version, such as 3.2.0.
    pub name: String,
    /// The registry's entry.
    pub listed: Listed,
}

/// How a recipe names the releases of a package, and the tables of a release.
#[derive(Clone, Debug, PartialEq)]
pub struct Releases {
    /// The package.
    pub package: Package,
    /// How the library's version is derived from the package's.
    pub named: Naming,
    /// Which of them this recipe can build; all if `None`.
    pub only: Option<Range>,
    /// Tables with `{version}` and `{sha256}` of the package in them; empty for a package that cargo builds.
    pub lay: Table,
}

/// How a library's version is derived from that of the package with its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Naming {
    /// Both are the same.
    #[default]
    Same,
    /// It is the suffix after `+`.
    Metadata,
    /// It is `PACKAGE-VERSION`: the package's version does not determine the library's.
    Package,
}

impl Releases {
    /// The releases in a registry's list, oldest first: of two with one name the one that was not withdrawn,
    /// then the newer package.
    pub fn named(&self, listed: Vec<Listed>) -> Vec<Release> {
        let mut releases: BTreeMap<String, Release> = BTreeMap::new();
        for listed in listed {
            let Some(name) = self.name(&listed.version) else { continue };
            if self.only.as_ref().is_some_and(|range| !range.contains(&name)) {
                continue;
            }
            let is_better = |known: &Release| match (known.listed.is_withdrawn, listed.is_withdrawn) {
                (true, false) => true,
                (false, true) => false,
                _ => compare(&listed.version, &known.listed.version).is_gt(),
            };
            if releases.get(&name).is_none_or(is_better) {
                releases.insert(name.clone(), Release { name, listed });
            }
        }
        let mut releases: Vec<Release> = releases.into_values().collect();
        releases.sort_by(|a, b| compare(&a.name, &b.name));
        releases
    }

    fn name(&self, version: &str) -> Option<String> {
        match self.named {
            Naming::Same => Some(bare(version).to_owned()),
            Naming::Metadata => version.split_once('+').map(|(_, name)| name.to_owned()),
            Naming::Package => Some(format!("{}-{}", self.package.name, bare(version))),
        }
    }

    /// The tables for one release.
    pub(crate) fn tables(&self, release: &Release) -> Table {
        let fill = |text: &str| {
            let sha256 = release.listed.sha256.as_deref().unwrap_or_default();
            text.replace("{version}", bare(&release.listed.version)).replace("{sha256}", sha256)
        };
        filled(&self.lay, &fill)
    }
}

fn filled(table: &Table, fill: &dyn Fn(&str) -> String) -> Table {
    fn value(of: &Value, fill: &dyn Fn(&str) -> String) -> Value {
        match of {
            Value::String(text) => Value::String(fill(text)),
            Value::Array(values) => Value::Array(values.iter().map(|one| value(one, fill)).collect()),
            Value::Table(table) => Value::Table(filled(table, fill)),
            other => other.clone(),
        }
    }
    table.iter().map(|(key, one)| (key.clone(), value(one, fill))).collect()
}

/// Versions between bounds: `>=3.2`, `>=1.1, <3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    bounds: Vec<Requirement>,
}

impl Range {
    /// Reads bounds with commas between them. `None` if one of them is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let bounds: Option<Vec<Requirement>> =
            text.split(',').map(|bound| Requirement::new(bound.trim())).collect();
        Some(Self { bounds: bounds? })
    }

    /// Whether a text has the form of a range, not of a version.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(['<', '>', '=', '~', '^', '*'])
    }

    /// Whether a version is within all bounds.
    pub fn contains(&self, version: &str) -> bool {
        let Some(read) = Versioning::new(bare(version)) else { return false };
        self.bounds.iter().all(|bound| early_bound(bound, version).unwrap_or_else(|| bound.matches(&read)))
    }
}

/// Whether a version is within a bound that is a pre-release; `None` if it is not one. [`Requirement`] has
/// the order of letters there: `alpha10` before `alpha9`.
fn early_bound(bound: &Requirement, version: &str) -> Option<bool> {
    let early = bound.version.as_ref().map(ToString::to_string).filter(|text| is_early(text))?;
    let order = same_release(bare(version), &early);
    match bound.op {
        Op::Greater => Some(order.is_gt()),
        Op::GreaterEq => Some(order.is_ge()),
        Op::Less => Some(order.is_lt()),
        Op::LessEq => Some(order.is_le()),
        Op::Exact | Op::Tilde | Op::Caret | Op::Wildcard => None,
    }
}

/// The existing releases nearest to an unknown name: at most two below it and two above.
pub(crate) fn near<'r>(releases: &'r [Release], wanted: &str) -> Vec<&'r str> {
    let there = releases.iter().filter(|release| !release.listed.is_withdrawn);
    let names: Vec<&str> = there.map(|release| &*release.name).collect();
    let at = names.partition_point(|name| compare(name, wanted).is_lt());
    names[at.saturating_sub(2)..(at + 2).min(names.len())].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(versions: &[&str]) -> Vec<Listed> {
        let one = |version: &&str| Listed {
            version: (*version).to_owned(),
            sha256: Some("ab".to_owned()),
            published: None,
            is_withdrawn: false,
        };
        versions.iter().map(one).collect()
    }

    fn releases(named: Naming, only: Option<&str>) -> Releases {
        Releases {
            package: Package { registry: Registry::Crate, name: "source".to_owned() },
            named,
            only: only.map(|text| Range::parse(text).unwrap()),
            lay: toml::from_str("source = { crate = 'source', version = '{version}', sha256 = '{sha256}' }")
                .unwrap(),
        }
    }

    fn names(releases: &[Release]) -> Vec<&str> {
        releases.iter().map(|release| &*release.name).collect()
    }

    #[test]
    fn a_library_is_named_by_what_carries_it() {
        let versions = ["300.2.0+3.2.0", "111.28.2+1.1.1w", "300.2.1+3.2.0", "110.0.0", "111.6.0+1.1.1d"];
        let found = releases(Naming::Metadata, None).named(listed(&versions));
        assert_eq!(names(&found), ["1.1.1d", "1.1.1w", "3.2.0"]);
        assert_eq!(found[2].listed.version, "300.2.1+3.2.0", "the newer package of one release");
        let found = releases(Naming::Package, None).named(listed(&["5.4.0", "5.10.0"]));
        assert_eq!(names(&found), ["source-5.4.0", "source-5.10.0"]);
        let found = releases(Naming::Same, Some(">=0.20, <0.24"))
            .named(listed(&["0.19.1", "0.23.9", "0.23.10", "0.24.0"]));
        assert_eq!(names(&found), ["0.23.9", "0.23.10"]);
    }

    #[test]
    fn what_was_withdrawn_is_known_and_proposed_to_nobody() {
        let mut all = listed(&["1.0.0", "1.0.1", "1.0.2"]);
        all[1].is_withdrawn = true;
        let found = releases(Naming::Same, None).named(all);
        assert_eq!(names(&found), ["1.0.0", "1.0.1", "1.0.2"]);
        assert!(found[1].listed.is_withdrawn);
        assert_eq!(near(&found, "1.0.1"), ["1.0.0", "1.0.2"]);
        // Another package of the same release takes its place.
        let mut both = listed(&["300.2.0+3.2.0", "300.2.1+3.2.0"]);
        both[1].is_withdrawn = true;
        let found = releases(Naming::Metadata, None).named(both);
        assert_eq!(found[0].listed.version, "300.2.0+3.2.0");
    }

    #[test]
    fn what_came_before_a_release_is_known_by_its_name() {
        let is_prerelease = |version| listed(&[version])[0].is_prerelease();
        assert!(["0.24.0-dev.2", "1.27rc1", "1.25beta2"].into_iter().all(is_prerelease));
        assert!(!["111.28.2+1.1.1w", "1.26.8", "5.9.4-stable"].into_iter().any(is_prerelease));
    }

    #[test]
    fn tables_are_filled_with_the_packages_version() {
        let rule = releases(Naming::Metadata, None);
        let found = rule.named(listed(&["300.2.0+3.2.0"]));
        let table = rule.tables(&found[0]);
        let expected: Table =
            toml::from_str("source = { crate = 'source', version = '300.2.0', sha256 = 'ab' }").unwrap();
        assert_eq!(table, expected);
    }

    #[test]
    fn ranges_have_bounds() {
        let contains = |range: &str, version: &str| Range::parse(range).unwrap().contains(version);
        assert!(contains("<3", "1.1.1w") && !contains("<3", "3.0.0") && contains(">=3.2", "3.2.0"));
        assert!(contains(">=1.1.0, <3", "1.1.1k") && !contains(">=1.1.0, <3", "3.0.1"));
        assert!(contains(">=0.24.0-dev.1", "0.24.0-dev.2") && !contains("<0.22", "0.22.0"));
        let numbered = ">=3.0.0-alpha9, <3.0.0-rc10";
        assert!(contains(numbered, "3.0.0-alpha10") && contains(numbered, "3.0.0-rc9"));
        assert!(!contains(numbered, "3.0.0-alpha8") && !contains(numbered, "3.0.0-rc10"));
        assert!(Range::parse("3.0").is_none() && Range::parse(">=x y").is_none());
    }

    #[test]
    fn what_is_near_is_named() {
        let found =
            releases(Naming::Same, None).named(listed(&["1.0.0", "1.1.0", "1.2.0", "2.0.0", "3.0.0"]));
        assert_eq!(near(&found, "1.3.0"), ["1.1.0", "1.2.0", "2.0.0", "3.0.0"]);
        assert_eq!(near(&found, "9.0.0"), ["2.0.0", "3.0.0"]);
    }
}
