//! A document's file.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;

use crate::DocumentError;
use crate::cause::CauseOf;
use crate::compared::ComparisonOf;
use crate::explained::explained;
use crate::parts::{ClaimOf, Measurement, Published, TableOf};
use crate::profiled::ProfileOf;
use crate::row_table::RowTableOf;
use crate::said::Said;
use crate::scatter::ThresholdsOf;
use crate::text::TextOf;
use crate::trial::TrialOf;

/// A published document, and the means to measure it again.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// The document's title.
    pub title: String,
    /// Author and date.
    pub by: String,
    /// The host that it was measured on, as far as it is stated.
    pub on: String,
    /// Flaws and limits of the published figures, one sentence each.
    #[serde(default)]
    pub flaws: Vec<String>,
    /// The runs that it needs.
    #[serde(default)]
    pub measurements: Vec<Measurement>,
    /// The comparisons that it needs.
    #[serde(default)]
    pub comparisons: Vec<ComparisonOf>,
    /// The scatter of runs.
    #[serde(default)]
    pub(crate) thresholds: Vec<ThresholdsOf>,
    /// All rows of files that a suite makes.
    #[serde(default)]
    pub(crate) row_tables: Vec<RowTableOf>,
    /// Which functions take the time.
    #[serde(default)]
    pub profiles: Vec<ProfileOf>,
    /// The names of the document's words in scenarios.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    /// The version of each stack that was published, as the document states it.
    #[serde(default)]
    pub published_versions: BTreeMap<String, String>,
    /// The published figures.
    #[serde(default)]
    pub(crate) published: BTreeMap<String, Published>,
    /// Its tables.
    #[serde(default)]
    pub(crate) tables: Vec<TableOf>,
    /// Why figures and claims are not as they were published.
    #[serde(default)]
    pub(crate) causes: Vec<CauseOf>,
    /// Its claims.
    #[serde(default)]
    pub(crate) claims: Vec<ClaimOf>,
    /// Its figures in its own form.
    #[serde(default)]
    pub(crate) texts: Vec<TextOf>,
    /// Programs that test features.
    #[serde(default)]
    pub trials: Vec<TrialOf>,
}

impl Document {
    /// Reads a file. `file` is its name for errors, `name` the document's.
    ///
    /// # Errors
    /// Fails if the text cannot be parsed, or refers to a name that is not in the file.
    pub fn parse(file: &str, name: &str, text: &str) -> Result<Self, DocumentError> {
        let error = |cause: String| DocumentError { file: file.to_owned(), cause };
        let schema = || schema_for!(Self).to_value();
        let explained = |cause: toml::de::Error| error(explained(text, &cause, schema));
        let mut document: Document = toml::from_str(text).map_err(explained)?;
        document.name = name.to_owned();
        document.check().map_err(error)?;
        Ok(document)
    }

    fn check(&self) -> Result<(), String> {
        let mut runs = BTreeSet::new();
        for run in &self.measurements {
            if !runs.insert(run.name.as_str()) {
                return Err(format!("two measurements are called \"{}\"; give one another name", run.name));
            }
            run.check().map_err(|cause| format!("measurement \"{}\": {cause}", run.name))?;
        }
        let known = |run: &str| match runs.contains(run) {
            true => Ok(()),
            false => Err(format!("there is no measurement \"{run}\"; there are: {}", listed(&runs))),
        };
        for comparison in &self.comparisons {
            if runs.contains(comparison.name.as_str()) {
                return Err(format!("two things are called \"{}\"; give one another name", comparison.name));
            }
            comparison.check().map_err(|cause| format!("comparison \"{}\": {cause}", comparison.name))?;
        }
        for rows in &self.row_tables {
            known(&rows.measurement)?;
        }
        for thresholds in &self.thresholds {
            known(&thresholds.measurement)?;
        }
        for profile in &self.profiles {
            let named = |cause| format!("profile \"{}\": {cause}", profile.title);
            profile.check(&self.published).map_err(named)?;
            let cells = || self.profiles.iter().map(ProfileOf::cell);
            if let Some(before) = profile.cell_before().filter(|before| !cells().any(|cell| cell == *before))
            {
                return Err(named(format!("before: there is no profile of {before}")));
            }
        }
        for (name, set) in &self.published {
            set.check().map_err(|cause| format!("published.{name}: {cause}"))?;
        }
        for table in &self.tables {
            known(&table.measurement)?;
            table.check(&self.published).map_err(|cause| format!("table \"{}\": {cause}", table.title))?;
        }
        for claim in &self.claims {
            known(&claim.measurement)?;
            claim.said.check()?;
            self.check_about(claim)?;
            if let Some(rows) = &claim.rows {
                rows.check(&self.published)
                    .map_err(|cause| format!("claim \"{}\": {cause}", claim.said.says))?;
            }
            if claim.quantifier.is_some() && claim.rows.is_none() {
                return Err(format!(
                    "claim \"{}\": quantifier is for claims of rows; give it rows",
                    claim.said.says
                ));
            }
            if claim.of.stack.is_some() != claim.over.stack.is_some() {
                return Err(format!(
                    "claim \"{}\": name a stack in both of its figures, or in none",
                    claim.said.says
                ));
            }
        }
        self.check_references()?;
        for text in &self.texts {
            known(&text.measurement)?;
            text.check(&self.published).map_err(|cause| format!("text \"{}\": {cause}", text.name))?;
        }
        for trial in &self.trials {
            known(&trial.measurement)?;
            trial.check().map_err(|cause| format!("trial \"{}\": {cause}", trial.title))?;
        }
        Ok(())
    }

    fn check_references(&self) -> Result<(), String> {
        self.check_said_once()?;
        self.check_filled()?;
        self.check_causes()
    }

    /// A claim that is listed twice would be counted twice.
    fn check_said_once(&self) -> Result<(), String> {
        let mut known = BTreeSet::new();
        match self.said().find(|said| !known.insert((said.says.as_str(), said.group))) {
            Some(said) => Err(format!("two claims say \"{}\"; remove one, or name what differs", said.says)),
            None => Ok(()),
        }
    }

    /// Stacks that a claim is about are stacks of its run.
    fn check_about(&self, claim: &ClaimOf) -> Result<(), String> {
        let stacks = self.measurement(&claim.measurement).map_or(&[][..], |run| &run.stacks);
        let called =
            |stack: &String| stack.split_once('=').map_or(stack.clone(), |(alias, _)| alias.to_owned());
        let unknown = claim.about.iter().find(|about| !stacks.iter().any(|stack| called(stack) == **about));
        match unknown {
            _ if claim.about.is_empty() => Ok(()),
            _ if claim.of.stack.is_some() => Err(format!(
                "claim \"{}\": about is for claims of every stack of a run; its figures name stacks",
                claim.said.says
            )),
            Some(about) => {
                Err(format!("claim \"{}\": its measurement has no stack {about}", claim.said.says))
            }
            None => Ok(()),
        }
    }

    /// The same with further stacks, in the runs of tables that have a column for each stack.
    ///
    /// # Errors
    /// Fails if it has no such table.
    pub fn with_stacks(mut self, stacks: &[String]) -> Result<Self, String> {
        let tables = self.tables.iter().filter(|table| table.each.is_some());
        let open: BTreeSet<&str> = tables.map(|table| table.measurement.as_str()).collect();
        if open.is_empty() && !stacks.is_empty() {
            return Err(format!("the columns of the tables of {} are fixed; omit --stack", self.name));
        }
        for run in self.measurements.iter_mut().filter(|run| open.contains(run.name.as_str())) {
            let further = stacks.iter().filter(|stack| !run.stacks.contains(stack)).cloned();
            run.stacks.extend(further.collect::<Vec<_>>());
        }
        Ok(self)
    }

    /// Each of its claims, of any kind.
    pub(crate) fn said(&self) -> impl Iterator<Item = &Said> {
        let of_comparisons = self.comparisons.iter().flat_map(|of| &of.claims).map(|claim| &claim.said);
        let of_profiles = self.profiles.iter().flat_map(|of| &of.claims).map(|claim| &claim.said);
        self.claims.iter().map(|claim| &claim.said).chain(of_comparisons).chain(of_profiles)
    }

    /// A run by its name; [`Document::parse`] has rejected unknown names.
    pub(crate) fn measurement(&self, name: &str) -> Option<&Measurement> {
        self.measurements.iter().find(|run| run.name == name)
    }
}

fn listed(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}
