//! Which packages of a lock file a library's users did not have yet on a day, and what they had instead.
//! Pure.
//!
//! Only the library's dependencies are downgraded. A package waits until its dependents are downgraded,
//! because an older release may need another version of it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use jiff::civil::Date;
use semver::{Version, VersionReq};
use tlslab_artifact::Halt;
use tlslab_record::Dependencies;

use crate::lockfile::{Lockfile, Package};

/// The most versions that are tried in place of one.
pub(crate) const TRIES: usize = 3;

/// A version of a package in its registry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The version.
    pub version: Version,
    /// The day on which it was published, in UTC, if the registry has it.
    pub published: Option<Date>,
    /// Whether it was withdrawn.
    pub is_withdrawn: bool,
    /// Names and versions of its dependencies, without those of tests.
    pub needs: Vec<(String, VersionReq)>,
}

/// A registry's entries of a package.
pub(crate) type Entries<'a> = dyn Fn(&str) -> Result<Rc<Vec<Entry>>, Halt> + 'a;

/// A package to downgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// Its name.
    pub name: String,
    /// Its version.
    pub from: String,
    /// What to try in its place, the best first; at least one.
    pub to: Vec<String>,
}

/// The downgrades of a lock file to a day.
pub(crate) struct WayBack<'a> {
    library: &'a str,
    day: Date,
    /// Packages that stay unchanged: they were pinned.
    chosen: BTreeSet<&'a str>,
    /// Packages by name and version that cannot be downgraded, and why.
    stays: BTreeMap<(String, String), String>,
}

impl<'a> WayBack<'a> {
    /// From today to a day.
    pub(crate) fn new(library: &'a str, day: Date, chosen: BTreeSet<&'a str>) -> Self {
        Self { library, day, chosen, stays: BTreeMap::new() }
    }

    /// The next package to downgrade; `None` when all are of the day or stay.
    ///
    /// # Errors
    /// Fails if a package's registry has no day of publication.
    pub(crate) fn next(&mut self, lock: &Lockfile, entries: &Entries<'_>) -> Result<Option<Move>, Halt> {
        loop {
            let needed = lock.needed_by(self.library);
            let mut newer = Vec::new();
            for package in needed.iter().filter(|package| !self.is_settled(package)) {
                if published(package, &entries(&package.name)?)? > self.day {
                    newer.push(*package);
                }
            }
            let waits = |package: &&&Package| {
                let dependents = lock.dependents(package);
                newer.iter().any(|other| other != *package && dependents.contains(other))
            };
            // Packages that need each other do not wait forever.
            let Some(package) = newer.iter().find(|package| !waits(package)).or(newer.first()) else {
                return Ok(None);
            };
            let to = self.candidates(package, lock, &needed, entries)?;
            if !to.is_empty() {
                return Ok(Some(Move { name: package.name.clone(), from: package.version.clone(), to }));
            }
            let cause = format!("its dependents accept no version that was published by {}", self.day);
            self.stays(&package.name, &package.version, cause);
        }
    }

    fn is_settled(&self, package: &Package) -> bool {
        let key = (package.name.clone(), package.version.clone());
        package.checksum.is_none()
            || self.chosen.contains(package.name.as_str())
            || self.stays.contains_key(&key)
    }

    /// Records that a package cannot be downgraded.
    pub(crate) fn stays(&mut self, name: &str, version: &str, cause: String) {
        self.stays.insert((name.to_owned(), version.to_owned()), cause);
    }

    /// The versions that existed on the day and that all dependents accept: those that were not withdrawn
    /// first, then the newest.
    fn candidates(
        &self,
        package: &Package,
        lock: &Lockfile,
        needed: &[&Package],
        entries: &Entries<'_>,
    ) -> Result<Vec<String>, Halt> {
        let now = version(package)?;
        let mut wanted = Vec::new();
        for dependent in lock.dependents(package) {
            let is_of_library = needed.contains(&dependent) || dependent.name == self.library;
            // Cargo knows the requirements of others.
            if !is_of_library || dependent.checksum.is_none() {
                continue;
            }
            let all = entries(&dependent.name)?;
            let own = version(dependent)?;
            let needs = all.iter().filter(|entry| same(&entry.version, &own)).flat_map(|entry| &entry.needs);
            let of_it = needs.filter(|(name, req)| *name == package.name && req.matches(&now));
            wanted.extend(of_it.map(|(_, req)| req.clone()));
        }
        if wanted.is_empty() {
            // Compatible versions.
            let compatible =
                if now.major > 0 { format!("^{}", now.major) } else { format!("^0.{}", now.minor) };
            wanted.extend(VersionReq::parse(&compatible).ok());
        }
        let all = entries(&package.name)?;
        let mut found = Vec::new();
        for entry in all.iter().filter(|entry| wanted.iter().all(|req| req.matches(&entry.version))) {
            let day =
                entry.published.ok_or_else(|| unknown_day(&package.name, &entry.version.to_string()))?;
            if day <= self.day && entry.version < now {
                found.push(entry);
            }
        }
        found.sort_by(|a, b| a.is_withdrawn.cmp(&b.is_withdrawn).then_with(|| b.version.cmp(&a.version)));
        Ok(found.into_iter().take(TRIES).map(|entry| entry.version.to_string()).collect())
    }

    /// The library's resulting dependencies.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub(crate) fn found(&self, lock: &Lockfile, entries: &Entries<'_>) -> Result<Dependencies, Halt> {
        let (mut packages, mut newer) = (Vec::new(), Vec::new());
        for package in lock.needed_by(self.library) {
            let Package { name, version, checksum, .. } = package;
            if checksum.is_none() || self.chosen.contains(name.as_str()) {
                continue;
            }
            let all = entries(name)?;
            let day = published(package, &all)?;
            let is_withdrawn = entry(package, &all).is_some_and(|entry| entry.is_withdrawn);
            let yanked = if is_withdrawn { ", yanked since" } else { "" };
            packages.push(format!("{name} {version} ({day}{yanked})"));
            if day > self.day {
                let why = self.stays.get(&(name.clone(), version.clone()));
                newer.push(format!(
                    "{name} {version}: {}",
                    why.map_or("it was not downgraded", String::as_str)
                ));
            }
        }
        packages.sort();
        Ok(Dependencies { as_of: self.day.to_string(), packages, newer })
    }
}

/// The day on which a locked package was published.
pub(crate) fn published(package: &Package, all: &[Entry]) -> Result<Date, Halt> {
    let found = entry(package, all).and_then(|entry| entry.published);
    found.ok_or_else(|| unknown_day(&package.name, &package.version))
}

fn entry<'e>(package: &Package, all: &'e [Entry]) -> Option<&'e Entry> {
    let locked = Version::parse(&package.version).ok()?;
    all.iter().find(|entry| same(&entry.version, &locked))
}

/// What follows a `+` may be missing.
fn same(a: &Version, b: &Version) -> bool {
    a.cmp_precedence(b).is_eq()
}

fn version(package: &Package) -> Result<Version, Halt> {
    Version::parse(&package.version).map_err(|error| {
        let what = format!("crate {} {}", package.name, package.version);
        Halt::wrong(what, error.to_string(), "correct the driver's lock file")
    })
}

/// The registry does not have a version's day of publication.
pub(crate) fn unknown_day(name: &str, version: &str) -> Halt {
    Halt::wrong(
        format!("crate {name} {version}"),
        "the registry's index does not say when it was published (`pubtime`)",
        "use a registry or mirror whose index does, or omit +as-of",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `NAME VERSION DAY [yanked]`, and its dependencies.
    fn entry(version: &str, day: &str, needs: &[(&str, &str)]) -> Entry {
        let (day, is_withdrawn) = match day.strip_suffix(" yanked") {
            Some(day) => (day, true),
            None => (day, false),
        };
        Entry {
            version: version.parse().unwrap(),
            published: day.parse().ok(),
            is_withdrawn,
            needs: needs.iter().map(|(name, req)| ((*name).to_owned(), req.parse().unwrap())).collect(),
        }
    }

    fn registry(name: &str) -> Result<Rc<Vec<Entry>>, Halt> {
        Ok(Rc::new(match name {
            "tls" => vec![entry(
                "0.21.7",
                "2023-08-28",
                &[("crypto", "^0.16.20"), ("pki", "^0.101.4"), ("log", "^0.4.4")],
            )],
            "pki" => vec![
                entry("0.101.4", "2023-08-22", &[("crypto", "^0.16.20")]),
                entry("0.101.5", "2023-08-24 yanked", &[("crypto", "^0.16.20")]),
                entry("0.101.7", "2023-10-24", &[("crypto", "^0.17.0")]),
            ],
            "crypto" => vec![
                entry("0.16.19", "2021-01-01", &[]),
                entry("0.16.20", "2021-02-01", &[]),
                entry("0.17.0", "2023-10-02", &[]),
                entry("0.17.14", "2025-03-11", &[]),
            ],
            "log" => vec![entry("0.4.20", "2023-07-11", &[]), entry("0.4.29", "2025-12-01", &[])],
            "clock" => vec![Entry { published: None, ..entry("1.0.0", "", &[]) }],
            other => panic!("{other} is not one of these packages"),
        }))
    }

    /// A lock file of packages with their dependencies; those without a checksum begin with `!`.
    fn lock(packages: &[(&str, &str, &[&str])]) -> Lockfile {
        let mut text = "version = 4\n".to_owned();
        for (name, version, needs) in packages {
            let (name, checksum) = match name.strip_prefix('!') {
                Some(name) => (name, ""),
                None => (*name, "checksum = \"aa\"\n"),
            };
            text += &format!(
                "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{checksum}dependencies = {needs:?}\n"
            );
        }
        Lockfile::parse(&text).unwrap()
    }

    const DRIVER: (&str, &str, &[&str]) = ("!driver", "0.1.0", &["tls", "kit"]);
    const KIT: (&str, &str, &[&str]) = ("!kit", "0.1.0", &["log"]);

    fn today() -> Lockfile {
        lock(&[
            DRIVER,
            KIT,
            ("tls", "0.21.7", &["crypto 0.16.20", "log", "pki"]),
            ("pki", "0.101.7", &["crypto 0.17.14"]),
            ("crypto", "0.16.20", &[]),
            ("crypto", "0.17.14", &[]),
            ("log", "0.4.29", &[]),
        ])
    }

    fn back(day: &str) -> WayBack<'static> {
        WayBack::new("tls", day.parse().unwrap(), BTreeSet::from(["tls"]))
    }

    fn to(name: &str, from: &str, to: &[&str]) -> Option<Move> {
        let to = to.iter().map(|version| (*version).to_owned()).collect();
        Some(Move { name: name.to_owned(), from: from.to_owned(), to })
    }

    #[test]
    fn what_a_library_needs_goes_back_after_what_asks_for_it() {
        let mut back = back("2023-08-28");
        let next = back.next(&today(), &registry).unwrap();
        assert_eq!(next, to("log", "0.4.29", &["0.4.20"]));
        back.stays("log", "0.4.29", "0.4.20 is too old for kit".to_owned());
        // The crypto of today is asked for by the pki of today alone, which goes first: to what was not withdrawn.
        assert_eq!(back.next(&today(), &registry).unwrap(), to("pki", "0.101.7", &["0.101.4", "0.101.5"]));
        let then = lock(&[
            DRIVER,
            KIT,
            ("tls", "0.21.7", &["crypto", "log", "pki"]),
            ("pki", "0.101.4", &["crypto"]),
            ("crypto", "0.16.20", &[]),
            ("log", "0.4.29", &[]),
        ]);
        assert_eq!(back.next(&then, &registry).unwrap(), None);
        let found = back.found(&then, &registry).unwrap();
        assert_eq!(found.as_of, "2023-08-28");
        assert_eq!(
            found.packages,
            ["crypto 0.16.20 (2021-02-01)", "log 0.4.29 (2025-12-01)", "pki 0.101.4 (2023-08-22)"]
        );
        assert_eq!(found.newer, ["log 0.4.29: 0.4.20 is too old for kit"]);
    }

    #[test]
    fn what_was_there_stays() {
        let mut back = back("2025-12-31");
        assert_eq!(back.next(&today(), &registry).unwrap(), None);
        assert!(back.found(&today(), &registry).unwrap().newer.is_empty());
    }

    #[test]
    fn what_nothing_of_the_day_satisfies_stays_and_says_so() {
        // The library of a folder asks for what it asks for.
        let mut back = WayBack::new("tls", "2020-01-01".parse().unwrap(), BTreeSet::from(["log"]));
        let lock = lock(&[("!tls", "0.21.7", &["crypto"]), ("crypto", "0.16.20", &[])]);
        assert_eq!(back.next(&lock, &registry).unwrap(), None);
        let newer = back.found(&lock, &registry).unwrap().newer;
        assert_eq!(
            newer,
            ["crypto 0.16.20: its dependents accept no version that was published by 2020-01-01"]
        );
    }

    #[test]
    fn a_package_without_a_day_is_named() {
        let lock = lock(&[("!tls", "0.21.7", &["clock"]), ("clock", "1.0.0", &[])]);
        let error = back("2023-08-28").next(&lock, &registry).unwrap_err().to_string();
        assert!(error.contains("crate clock 1.0.0") && error.contains("omit +as-of"), "{error}");
    }
}
