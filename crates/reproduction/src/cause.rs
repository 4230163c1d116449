//! Why figures differ from the published ones: of some rows of tables, or of claims.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::Claim;
use crate::parts::{Published, TableOf, text};

/// A cause and its scope: rows of tables by their entries, or claims.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CauseOf {
    /// The cause, a sentence or more.
    pub says: String,
    /// The rows: any of these, each by columns of the published figures and the entries that it has in them.
    #[serde(default)]
    pub rows: Vec<BTreeMap<String, Vec<String>>>,
    /// The tables by their titles; all that have such rows where none is named.
    #[serde(default)]
    pub tables: Vec<String>,
    /// The measurement of these tables; any by default.
    #[serde(default)]
    pub measurement: Option<String>,
    /// The claims, by their text.
    #[serde(default)]
    pub claims: Vec<String>,
    /// The stacks or rows of those claims; all where none is named.
    #[serde(default)]
    pub of: Vec<String>,
}

impl CauseOf {
    /// A cause of a whole table.
    pub(crate) fn of_all(says: &str) -> Self {
        Self { says: says.to_owned(), rows: vec![BTreeMap::new()], ..Self::default() }
    }

    /// Whether it explains this row.
    pub(crate) fn is_of_row(&self, set: &Published, row: &[toml::Value]) -> bool {
        self.rows.iter().any(|wanted| {
            wanted.iter().all(|(column, entries)| {
                set.column(column).is_some_and(|at| entries.contains(&text(&row[at])))
            })
        })
    }

    /// Whether it explains any row of this table, which has published figures.
    pub(crate) fn is_of_table(&self, table: &TableOf, set: &Published) -> bool {
        let of_each = table.each.iter().any(|each| !each.published.is_empty());
        let is_published = of_each || table.columns.iter().any(|column| column.published.is_some());
        is_published
            && self.measurement.as_ref().is_none_or(|wanted| *wanted == table.measurement)
            && (self.tables.is_empty() || self.tables.contains(&table.title))
            && set.rows.iter().any(|row| self.is_of_row(set, row))
    }

    /// Which rows it explains, in words: those that the table has.
    pub(crate) fn rows_in_words(&self, set: &Published) -> Vec<String> {
        let is_there = |wanted: &&BTreeMap<String, Vec<String>>| {
            let alone = Self { rows: vec![(*wanted).clone()], ..Self::default() };
            !wanted.is_empty() && set.rows.iter().any(|row| alone.is_of_row(set, row))
        };
        let words = |wanted: &BTreeMap<String, Vec<String>>| {
            let of = |(column, entries): (&String, &Vec<String>)| {
                let at = set.column(column);
                let has = |entry: &&String| {
                    at.is_some_and(|at| set.rows.iter().any(|row| text(&row[at]) == **entry))
                };
                let there: Vec<&str> = entries.iter().filter(has).map(String::as_str).collect();
                format!("{column} {}", there.join(" or "))
            };
            wanted.iter().map(of).collect::<Vec<_>>().join(" and ")
        };
        self.rows.iter().filter(is_there).map(words).collect()
    }

    /// The cases of a claim that it explains, by their names; `None` if it is of another claim.
    pub(crate) fn cases(&self, claim: &Claim) -> Option<Vec<String>> {
        if !self.claims.contains(&claim.says) {
            return None;
        }
        let is_it = |case: &str| self.of.is_empty() || self.of.iter().any(|of| is_named(case, of));
        let cases: Vec<String> =
            claim.here.iter().map(|case| case.of.clone()).filter(|of| is_it(of)).collect();
        (!cases.is_empty()).then_some(cases)
    }
}

/// Whether a case of a claim is of this stack or row.
fn is_named(case: &str, of: &str) -> bool {
    case == of
        || case.strip_prefix(of).is_some_and(|rest| rest.starts_with(": "))
        || case.strip_suffix(of).is_some_and(|rest| rest.ends_with(": "))
}
