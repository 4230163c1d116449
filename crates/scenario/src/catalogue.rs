//! All scenarios and suites of a set of files.

use std::collections::HashSet;

use tlslab_protocol::Scenario;
use tlslab_text::nearest;

use crate::near::near_pattern;
use crate::pattern::{by_alternative, matcher};
use crate::{Family, ScenarioError, Suite};

/// The name and text of a file. Files below a folder `suites` are suites, all others are families.
pub struct SourceFile {
    /// The path, with `/` between its parts.
    pub path: String,
    /// The text.
    pub text: String,
    /// Whether it is the user's own: then a mistake affects only this file, and it replaces a suite of the
    /// same name.
    pub is_own: bool,
}

/// All scenarios and all suites.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The families, in the order of the files.
    pub families: Vec<Family>,
    /// The suites, in the order of the files.
    pub suites: Vec<Suite>,
    /// The user's own invalid files, which are skipped, each by its stem with its error.
    pub broken: Vec<(String, ScenarioError)>,
}

impl Catalogue {
    /// Resolves a set of files.
    ///
    /// # Errors
    /// Fails if a file is invalid, unless it is the user's own: that is skipped.
    pub fn parse(files: &[SourceFile]) -> Result<Self, ScenarioError> {
        let mut catalogue = Self::default();
        let mut names = HashSet::new();
        // The lab's own files first: if a user's file takes a name of theirs, the user's is in error.
        let (own, of_lab): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.is_own);
        for file in of_lab.into_iter().chain(own) {
            let mut parts = file.path.rsplit('/');
            let stem = parts.next().unwrap_or_default().trim_end_matches(".toml");
            let added = match parts.next() == Some("suites") {
                true => catalogue.add_suite(file, stem),
                false => catalogue.add_family(file, &mut names),
            };
            match added {
                Err(cause) if file.is_own => catalogue.broken.push((stem.to_owned(), cause)),
                added => added?,
            }
        }
        Ok(catalogue)
    }

    fn add_suite(&mut self, file: &SourceFile, stem: &str) -> Result<(), ScenarioError> {
        let suite = Suite::parse(&file.path, stem, &file.text)?;
        if file.is_own {
            suite.check_rounds(&file.path)?;
            self.suites.retain(|known| known.name != suite.name);
        }
        self.suites.push(suite);
        Ok(())
    }

    fn add_family(&mut self, file: &SourceFile, names: &mut HashSet<String>) -> Result<(), ScenarioError> {
        let families = Family::parse(&file.path, &file.text)?;
        let mut own = HashSet::new();
        for scenario in families.iter().flat_map(|family| &family.scenarios) {
            if names.contains(&scenario.name) || !own.insert(scenario.name.clone()) {
                let (file, name) = (file.path.clone(), scenario.name.clone());
                return Err(ScenarioError::SameName { file, name });
            }
        }
        names.extend(own);
        self.families.extend(families);
        Ok(())
    }

    /// The error of the user's own file of this name, if that is why it is missing.
    fn why_missing(&self, name: &str) -> Option<ScenarioError> {
        self.broken.iter().find(|(stem, _)| stem == name).map(|(_, cause)| cause.clone())
    }

    /// Every scenario, in the order of the files.
    pub fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.families.iter().flat_map(|family| &family.scenarios)
    }

    /// Finds a suite by name.
    ///
    /// # Errors
    /// Fails with [`ScenarioError::NoSuchSuite`] if no suite has that name, or with the error of the user's
    /// own file of that name.
    pub fn suite(&self, name: &str) -> Result<&Suite, ScenarioError> {
        let missing = || {
            self.why_missing(name).unwrap_or_else(|| ScenarioError::NoSuchSuite {
                name: name.to_owned(),
                near: owned(nearest(name, self.suites.iter().map(|suite| suite.name.as_str()))),
            })
        };
        // An invalid file of the user's own is not silently replaced by the lab's suite of the same name.
        if let Some(cause) = self.why_missing(name) {
            return Err(cause);
        }
        self.suites.iter().find(|suite| suite.name == name).ok_or_else(missing)
    }

    /// Finds a scenario by name.
    ///
    /// # Errors
    /// Fails if no scenario has this name.
    pub fn named(&self, name: &str) -> Result<Scenario, ScenarioError> {
        if let Some(scenario) = self.scenarios().find(|scenario| scenario.name == name) {
            return Ok(scenario.clone());
        }
        if let Some((work, rate, arrivals)) = Scenario::rate_of_name(name) {
            return Ok(self.named(work)?.at_rate(rate, arrivals));
        }
        if let Some(cause) = name.split('/').find_map(|part| self.why_missing(part)) {
            return Err(cause);
        }
        let matching: Vec<Scenario> = self.select(&[name]).unwrap_or_default();
        let near = match &matching[..] {
            [] => owned(nearest(name, self.scenarios().map(|scenario| scenario.name.as_str()))),
            several => several.iter().take(1).map(|scenario| scenario.name.clone()).collect(),
        };
        Err(ScenarioError::NoSuchScenario { name: name.to_owned(), matches: matching.len(), near })
    }

    /// The scenarios that match any of the patterns, in the catalogue's order. A pattern that ends in a rate,
    /// `WORK/open-loop-RATE`, means the matches of the rest at that rate; those come after all others. A
    /// pattern without a match is an error, and so is one whose braces have an alternative without a match: a
    /// misspelt one does not silently reduce a run.
    pub fn select<P: AsRef<str>>(&self, patterns: &[P]) -> Result<Vec<Scenario>, ScenarioError> {
        let mut chosen = HashSet::new();
        let mut at_rates: Vec<Scenario> = Vec::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let glob = matcher(pattern)?;
            if let Some((work, rate, arrivals)) = Scenario::rate_of_name(pattern)
                && !self.scenarios().any(|scenario| glob.is_match(&scenario.name))
            {
                let selected = self.select(&[work])?;
                let at_rate = selected.iter().map(|scenario| scenario.at_rate(rate, arrivals));
                at_rates.extend(at_rate);
                continue;
            }
            let before = chosen.len();
            let mut matched = false;
            for scenario in self.scenarios().filter(|scenario| glob.is_match(&scenario.name)) {
                matched = true;
                chosen.insert(&scenario.name);
            }
            if chosen.len() == before && !matched {
                if let Some(cause) = pattern.split('/').find_map(|part| self.why_missing(part)) {
                    return Err(cause);
                }
                return Err(self.no_match(pattern));
            }
            // Otherwise half of what was asked for would silently not be measured.
            for alternative in by_alternative(pattern) {
                let glob = matcher(&alternative)?;
                if !self.scenarios().any(|scenario| glob.is_match(&scenario.name)) {
                    return Err(self.no_match(&alternative));
                }
            }
        }
        let own = self.scenarios().filter(|scenario| chosen.contains(&scenario.name)).cloned();
        let mut names = HashSet::new();
        at_rates.retain(|scenario| names.insert(scenario.name.clone()));
        Ok(own.chain(at_rates).collect())
    }

    fn no_match(&self, pattern: &str) -> ScenarioError {
        let near = near_pattern(pattern, self.scenarios().map(|scenario| scenario.name.as_str()));
        ScenarioError::NoMatch { pattern: pattern.to_owned(), near }
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
