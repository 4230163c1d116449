//! All scenarios and suites that a set of files resolves to.

use std::collections::HashSet;

use tlslab_protocol::Scenario;
use tlslab_text::nearest;

use crate::near::near_pattern;
use crate::suite::matcher;
use crate::{Family, ScenarioError, Suite};

/// A file's name and its text. Files below a folder `suites` are suites, all others are families.
pub struct SourceFile {
    /// The path, with `/` between its parts.
    pub path: String,
    /// The text.
    pub text: String,
}

/// Every scenario by name, and every suite.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The families, in the order of the files.
    pub families: Vec<Family>,
    /// The suites, in the order of the files.
    pub suites: Vec<Suite>,
}

impl Catalogue {
    /// Resolves a set of files.
    pub fn parse(files: &[SourceFile]) -> Result<Self, ScenarioError> {
        let mut catalogue = Self::default();
        let mut names = HashSet::new();
        for file in files {
            let mut parts = file.path.rsplit('/');
            let stem = parts.next().unwrap_or_default().trim_end_matches(".toml");
            if parts.next() == Some("suites") {
                catalogue.suites.push(Suite::parse(&file.path, stem, &file.text)?);
                continue;
            }
            let family = Family::parse(&file.path, &file.text)?;
            for scenario in &family.scenarios {
                if !names.insert(scenario.name.clone()) {
                    let (file, name) = (file.path.clone(), scenario.name.clone());
                    return Err(ScenarioError::SameName { file, name });
                }
            }
            catalogue.families.push(family);
        }
        Ok(catalogue)
    }

    /// Every scenario, in the files' order.
    pub fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.families.iter().flat_map(|family| &family.scenarios)
    }

    /// The suite of a name.
    pub fn suite(&self, name: &str) -> Result<&Suite, ScenarioError> {
        self.suites.iter().find(|suite| suite.name == name).ok_or_else(|| ScenarioError::NoSuchSuite {
            name: name.to_owned(),
            near: owned(nearest(name, self.suites.iter().map(|suite| suite.name.as_str()))),
        })
    }

    /// The scenarios that any of the patterns matches, in the catalogue's order. A pattern that matches nothing is
    /// an error, so that a misspelt one does not shrink a run unseen.
    pub fn select<P: AsRef<str>>(&self, patterns: &[P]) -> Result<Vec<Scenario>, ScenarioError> {
        let mut chosen = HashSet::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let glob = matcher(pattern)?;
            let before = chosen.len();
            let mut matched = false;
            for scenario in self.scenarios().filter(|scenario| glob.is_match(&scenario.name)) {
                matched = true;
                chosen.insert(&scenario.name);
            }
            if chosen.len() == before && !matched {
                let near = near_pattern(pattern, self.scenarios().map(|scenario| scenario.name.as_str()));
                return Err(ScenarioError::NoMatch { pattern: pattern.to_owned(), near });
            }
        }
        Ok(self.scenarios().filter(|scenario| chosen.contains(&scenario.name)).cloned().collect())
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
