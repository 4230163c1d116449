//! The parts of a document: runs, published figures, tables and claims.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_protocol::Measure;

use crate::names::{Metrics, Named, Sides, UnitOf};
use crate::said::Said;
use crate::terms::{Group, Quantifier};

/// One run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// Its name in tables and claims.
    pub name: String,
    /// A few words.
    pub title: String,
    /// Under which conditions.
    #[serde(default)]
    pub basis: Basis,
    /// The suite, which defines all of the following.
    #[serde(default)]
    pub suite: Option<String>,
    /// The stacks; those of the suite where none is named.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// Patterns over names of scenarios.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// Patterns over those scenarios: all that one selects are measured in one visit, for ratios of
    /// scenarios.
    #[serde(default)]
    pub together: Vec<String>,
    /// The metrics; time by default.
    #[serde(default)]
    pub metrics: Vec<Measure>,
    /// The time of measuring, s; by default the suite's.
    #[serde(default)]
    pub budget_s: Option<f64>,
    /// Rounds of fresh processes; by default the suite's.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// How often it is repeated, each time as a separate run; once by default. Tables and claims use the
    /// last.
    #[serde(default)]
    pub times: Option<u32>,
}

/// Under which conditions something is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The document's work, including any unequal work.
    AsPublished,
    /// The same work for all.
    #[default]
    Fair,
}

/// A processor's architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) enum Architecture {
    #[serde(rename = "aarch64")]
    Aarch64,
    #[serde(rename = "x86-64")]
    X8664,
}

impl Architecture {
    /// As hosts are called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64",
            Self::X8664 => "x86-64",
        }
    }
}

/// Figures as they were published.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    /// The names of the columns: words that identify the row, and figures.
    pub columns: Vec<String>,
    /// The rows.
    #[schemars(with = "Vec<Vec<serde_json::Value>>")]
    pub rows: Vec<Vec<toml::Value>>,
    /// Whether they were not published: the lab chose them, or derived them from the document's sentences.
    #[serde(default)]
    pub own: bool,
    /// Columns that were not published, likewise.
    #[serde(default)]
    pub own_columns: Vec<String>,
}

/// A table: the rows of a set of published figures, its columns measured again.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableOf {
    pub title: String,
    /// The run.
    pub measurement: String,
    /// The set of published figures that defines its rows.
    pub published: String,
    /// The columns of the set that identify the row.
    pub labels: Vec<String>,
    #[serde(default)]
    pub columns: Vec<ColumnOf>,
    /// A column for every stack of the run, after the others.
    #[serde(default)]
    pub each: Option<EachOf>,
    /// Ratios of two columns, published and measured.
    #[serde(default)]
    pub ratios: Vec<RatioOf>,
    /// Limits of the figures, or differences from the published conditions.
    #[serde(default)]
    pub note: Option<String>,
    /// Why figures are far from those that were published, all of them, as a change of the cause has
    /// confirmed.
    #[serde(default)]
    pub cause: Option<String>,
    /// The architecture of the published processor, if the table is useless on another one: `aarch64` or
    /// `x86-64`.
    #[serde(default)]
    pub only_on: Option<Architecture>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnOf {
    pub title: String,
    /// The unit of both.
    pub unit: UnitOf,
    /// The column of published figures.
    #[serde(default)]
    pub published: Option<String>,
    /// Other names for a row's words in this column's scenarios.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    #[serde(flatten)]
    pub quantity: Quantity,
}

/// A column for every stack of a run, whichever there are.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EachOf {
    /// The unit of all.
    pub unit: UnitOf,
    pub scenario: String,
    pub side: Named<Sides>,
    #[serde(default = "time_name")]
    pub metric: Named<Metrics>,
    /// The columns of published figures, by stack.
    #[serde(default)]
    pub published: BTreeMap<String, String>,
    /// The stack that the others' figures are divided by, each in a column of ratios.
    #[serde(default)]
    pub over: Option<String>,
}

/// A quantity of a run. Words in braces are a row's.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quantity {
    /// The stack; each of the run's in turn where none is named.
    #[serde(default)]
    pub stack: Option<String>,
    pub scenario: String,
    pub side: Named<Sides>,
    #[serde(default = "time_name")]
    pub metric: Named<Metrics>,
    /// The column of the set that says how many of it a row has; one where none is named.
    #[serde(default)]
    pub times: Option<String>,
}

fn time_name() -> Named<Metrics> {
    Named::new("time")
}

/// A ratio of two columns, which are counted from 0.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatioOf {
    pub title: String,
    pub of: usize,
    pub over: usize,
}

/// A claim: of a ratio, for every stack of a run or between two of them.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimOf {
    #[serde(flatten)]
    pub said: Said,
    /// The stacks of the document's claim, if it is about every stack of a run: the others are extensions.
    #[serde(default)]
    pub about: Vec<String>,
    /// The run.
    pub measurement: String,
    /// The ratio in words.
    pub ratio: String,
    /// The rows of published figures that it is about, each a separate case, if it is about rows.
    #[serde(default)]
    pub rows: Option<RowsOf>,
    /// The quantifier over its rows; all by default.
    #[serde(default)]
    pub quantifier: Option<Quantifier>,
    pub of: Quantity,
    pub over: Quantity,
}

impl Measurement {
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_long = |budget_s: f64| !(budget_s > 0.0 && budget_s <= 100_000.0);
        if self.budget_s.is_some_and(is_long)
            || self.rounds.is_some_and(|rounds| !(1..=1_000).contains(&rounds))
        {
            return Err("budget_s is from 0 to 100000, rounds are from 1 to 1000".to_owned());
        }
        if self.times.is_some_and(|times| !(1..=100).contains(&times)) {
            return Err("times are from 1 to 100".to_owned());
        }
        let is_whole = !self.stacks.is_empty() && self.budget_s.is_some() && self.rounds.is_some();
        match &self.suite {
            None if self.scenarios.is_empty() || !is_whole => {
                Err("it needs stacks, scenarios, budget_s and rounds, or a suite that has them".to_owned())
            }
            Some(_) if !self.together.is_empty() => {
                Err("a suite says itself which scenarios are measured together; leave together out"
                    .to_owned())
            }
            Some(_) if !self.scenarios.is_empty() || !self.metrics.is_empty() => {
                Err("a suite has its own scenarios and metrics; leave them out".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// The rows that a claim is about.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowsOf {
    /// The set of published figures.
    pub published: String,
    /// The columns that identify the row.
    pub labels: Vec<String>,
    /// The columns of the published ratio: the first over the second.
    #[serde(default)]
    pub figures: Option<[String; 2]>,
    /// Rows with this entry in this column are excluded.
    #[serde(default)]
    pub without: BTreeMap<String, String>,
}

impl RowsOf {
    pub(crate) fn check(&self, published: &BTreeMap<String, Published>) -> Result<(), String> {
        let Some(set) = published.get(&self.published) else {
            return Err(format!("there is no set published.{}", self.published));
        };
        let named = self.labels.iter().chain(self.figures.iter().flatten()).chain(self.without.keys());
        match named.into_iter().find(|name| set.column(name).is_none()) {
            Some(missing) => Err(format!("published.{} has no column \"{missing}\"", self.published)),
            None if self.in_set(set).next().is_none() => Err("it is about no row".to_owned()),
            None => {
                self.check_without(set)?;
                self.figures.iter().flatten().try_for_each(|column| set.check_numbers(column))
            }
        }
    }

    /// Refuses an entry to leave out that no row has.
    fn check_without(&self, set: &Published) -> Result<(), String> {
        for (column, entry) in &self.without {
            let at = set.column(column);
            let is_there = set.rows.iter().any(|row| at.is_some_and(|at| text(&row[at]) == *entry));
            if !is_there {
                return Err(format!("without: no row has {column} \"{entry}\""));
            }
        }
        Ok(())
    }

    /// The rows.
    pub(crate) fn in_set<'s>(&'s self, set: &'s Published) -> impl Iterator<Item = &'s Vec<toml::Value>> {
        let is_left_out = |row: &Vec<toml::Value>| {
            let is = |(column, entry): (&String, &String)| {
                set.column(column).is_some_and(|at| text(&row[at]) == *entry)
            };
            self.without.iter().any(is)
        };
        set.rows.iter().filter(move |row| !is_left_out(row))
    }

    /// A row's name, and the ratio that was published of it.
    pub(crate) fn describe(&self, set: &Published, row: &[toml::Value]) -> (String, Option<f64>) {
        let entry = |name: &String| Some(&row[set.column(name)?]);
        let labels: Vec<String> = self.labels.iter().filter_map(entry).map(text).collect();
        let figure = self
            .figures
            .as_ref()
            .and_then(|[of, over]| Some(entry(of).and_then(number)? / entry(over).and_then(number)?));
        (labels.join(", "), figure)
    }
}

impl ClaimOf {
    /// Whether the document claims it of this stack.
    pub(crate) fn group_of(&self, stack: &str) -> Group {
        match self.said.group {
            Group::Document if !self.about.is_empty() && !self.about.iter().any(|about| about == stack) => {
                Group::Extension
            }
            group => group,
        }
    }
}

impl Published {
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(missing) = self.own_columns.iter().find(|name| self.column(name).is_none()) {
            return Err(format!("own_columns names \"{missing}\", and there is no such column"));
        }
        for (at, row) in self.rows.iter().enumerate() {
            let (found, wanted) = (row.len(), self.columns.len());
            if found != wanted {
                return Err(format!("row {} has {found} entries for {wanted} columns", at + 1));
            }
        }
        Ok(())
    }

    /// Refuses a column of figures with an entry that is neither a number nor empty.
    pub(crate) fn check_numbers(&self, column: &str) -> Result<(), String> {
        let Some(at) = self.column(column) else { return Ok(()) };
        let is_figure = |entry: &toml::Value| {
            number(entry).is_some_and(f64::is_finite) || entry.as_str().is_some_and(str::is_empty)
        };
        match self.rows.iter().position(|row| row.get(at).is_some_and(|entry| !is_figure(entry))) {
            Some(row) => Err(format!(
                "column \"{column}\", row {}: {} is not a number; write 2581.16, or \"\" if nothing was published",
                row + 1,
                self.rows[row][at]
            )),
            None => Ok(()),
        }
    }

    /// Where a column is.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

impl TableOf {
    /// The same with the columns that these stacks have in it.
    pub(crate) fn of_stacks(&self, stacks: &[&str]) -> Self {
        let mut whole = self.clone();
        let Some(each) = &self.each else { return whole };
        let first = whole.columns.len();
        whole.columns.extend(stacks.iter().map(|stack| each.column(stack)));
        let over = stacks.iter().position(|stack| Some(*stack) == each.over.as_deref());
        for (at, stack) in stacks.iter().enumerate() {
            if let Some(over) = over.filter(|over| *over != at) {
                let title = format!("{stack} over {}", stacks[over]);
                whole.ratios.push(RatioOf { title, of: first + at, over: first + over });
            }
        }
        whole
    }

    pub(crate) fn check(&self, published: &BTreeMap<String, Published>) -> Result<(), String> {
        let Some(set) = published.get(&self.published) else {
            return Err(format!("there is no set published.{}", self.published));
        };
        if self.columns.is_empty() && self.each.is_none() {
            return Err("it has no columns; give it columns, or each".to_owned());
        }
        let of_each = self.each.iter().flat_map(|each| each.published.values());
        let named = self.columns.iter().flat_map(|column| [&column.published, &column.quantity.times]);
        let named = named.flatten().chain(of_each);
        if let Some(missing) = self.labels.iter().chain(named).find(|name| set.column(name).is_none()) {
            return Err(format!("published.{} has no column \"{missing}\"", self.published));
        }
        let of_each = self.each.iter().flat_map(|each| each.published.values());
        let figures = self.columns.iter().flat_map(|column| [&column.published, &column.quantity.times]);
        figures.flatten().chain(of_each).try_for_each(|column| {
            set.check_numbers(column).map_err(|cause| format!("published.{}: {cause}", self.published))
        })?;
        let places = self.ratios.iter().flat_map(|ratio| [ratio.of, ratio.over]);
        if let Some(place) = places.into_iter().find(|place| *place >= self.columns.len()) {
            return Err(format!(
                "a ratio refers to column {place}; there are {} columns, numbered from 0",
                self.columns.len()
            ));
        }
        if let Some(column) = self.columns.iter().find(|column| column.quantity.stack.is_none()) {
            return Err(format!("column \"{}\" names no stack", column.title));
        }
        Ok(())
    }
}

impl EachOf {
    fn column(&self, stack: &str) -> ColumnOf {
        ColumnOf {
            title: stack.to_owned(),
            unit: self.unit,
            published: self.published.get(stack).cloned(),
            words: BTreeMap::new(),
            quantity: Quantity {
                stack: Some(stack.to_owned()),
                scenario: self.scenario.clone(),
                side: self.side.clone(),
                metric: self.metric.clone(),
                times: None,
            },
        }
    }
}

/// An entry of published figures as text.
pub(crate) fn text(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An entry of published figures as a number.
pub(crate) fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// Sentences without those that were there before.
pub(crate) fn each_once<'s>(sentences: impl IntoIterator<Item = &'s String>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for sentence in sentences {
        if !once.contains(sentence) {
            once.push(sentence.clone());
        }
    }
    once
}
