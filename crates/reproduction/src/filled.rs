//! What tables and claims ask a run for: their quantities with the words of rows filled in.

use std::collections::BTreeMap;

use crate::document::Document;
use crate::figure::Wanted;
use crate::names::is_speed;
use crate::parts::{ClaimOf, ColumnOf, Published, TableOf, number, text};

impl TableOf {
    /// A row's labels.
    pub(crate) fn labels_of(&self, set: &Published, row: &[toml::Value]) -> Vec<String> {
        self.labels.iter().filter_map(|label| Some(text(&row[set.column(label)?]))).collect()
    }

    /// What each column asks for in a row. Words in braces are the row's entries, as the document's or the
    /// column's words have them.
    pub(crate) fn wanted(&self, document: &Document, set: &Published, row: &[toml::Value]) -> Vec<Wanted> {
        let of = |column: &ColumnOf| {
            let words = document.words_of(set, row, &column.words);
            let times = column.quantity.times.as_ref().and_then(|name| number(&row[set.column(name)?]));
            Wanted::of(&column.quantity, &words, "").times(times.unwrap_or(1.0))
        };
        self.columns.iter().map(of).collect()
    }
}

impl Document {
    /// The entries of a row by column, as `own` or the document calls them in scenarios.
    pub(crate) fn words_of(
        &self,
        set: &Published,
        row: &[toml::Value],
        own: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let called = |(name, entry): (&String, &toml::Value)| {
            let word = text(entry);
            let other = own.get(&word).or_else(|| self.words.get(&word)).cloned();
            (name.clone(), other.unwrap_or(word))
        };
        set.columns.iter().zip(row).map(called).collect()
    }

    /// Refuses sides, metrics and units that no run has, with the words of every row filled in.
    pub(crate) fn check_filled(&self) -> Result<(), String> {
        for table in &self.tables {
            let set = &self.published[&table.published];
            let whole = table.of_stacks(&[""]);
            for row in &set.rows {
                for (column, wanted) in whole.columns.iter().zip(whole.wanted(self, set, row)) {
                    let named =
                        |cause| format!("table \"{}\", column \"{}\": {cause}", table.title, column.title);
                    wanted.check(Some(column.unit.symbol())).map_err(named)?;
                }
            }
        }
        for claim in &self.claims {
            let named = |cause| format!("claim \"{}\": {cause}", claim.said.says);
            for (_, _, words) in claim.rows(self) {
                for quantity in [&claim.of, &claim.over] {
                    let wanted = Wanted::of(quantity, &words, "");
                    wanted.check(None).map_err(named)?;
                    if claim.said.throughput.is_some() && is_speed(wanted.metric()) {
                        return Err(named(format!(
                            "throughput is of a claim about times, and {} is no time; name the time, or give the band as size",
                            wanted.metric()
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

/// What a row is called, the ratio published of it, and the words that it puts into a scenario's name.
pub(crate) type RowOfClaim = (String, Option<f64>, BTreeMap<String, String>);

impl ClaimOf {
    /// The rows that it is about; one without a name where it is about none.
    pub(crate) fn rows(&self, document: &Document) -> Vec<RowOfClaim> {
        let Some(rows) = &self.rows else { return vec![(String::new(), None, BTreeMap::new())] };
        let set = &document.published[&rows.published];
        let described = rows.in_set(set).map(|row| {
            let (name, figure) = rows.describe(set, row);
            (name, figure, document.words_of(set, row, &BTreeMap::new()))
        });
        described.collect()
    }
}
