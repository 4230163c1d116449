//! The causes of a document: those of each table and claim, and their errors.

use std::collections::BTreeMap;

use crate::cause::CauseOf;
use crate::document::Document;
use crate::model::{Cause, Claim};
use crate::parts::TableOf;

impl CauseOf {
    fn check(&self, document: &Document) -> Result<(), String> {
        if self.rows.is_empty() && self.claims.is_empty() {
            return Err("it names neither rows nor claims".to_owned());
        }
        if self.claims.is_empty() && !self.of.is_empty() {
            return Err("of names stacks of claims, and it names no claims".to_owned());
        }
        let tables = || document.tables.iter().map(|table| (table, &document.published[&table.published]));
        for wanted in &self.rows {
            let alone = Self { rows: vec![wanted.clone()], ..self.clone() };
            if !tables().any(|(table, set)| alone.is_of_table(table, set)) {
                return Err(format!("no table has rows with {}", described(wanted)));
            }
            for (column, entry) in
                wanted.iter().flat_map(|(column, all)| all.iter().map(move |one| (column, one)))
            {
                let one = Self { rows: vec![[(column.clone(), vec![entry.clone()])].into()], ..self.clone() };
                if !tables().any(|(table, set)| one.is_of_table(table, set)) {
                    return Err(format!("no table has rows with {column} {entry}"));
                }
            }
        }
        if let Some(title) =
            self.tables.iter().find(|title| !tables().any(|(table, _)| table.title == **title))
        {
            return Err(format!("there is no table \"{title}\""));
        }
        let cases = document.names_of_cases();
        if let Some(of) = self.of.iter().find(|of| !cases.contains(of)) {
            return Err(format!("there is no stack and no row \"{of}\" among the claims"));
        }
        let said: Vec<&str> = document.said().map(|said| said.says.as_str()).collect();
        match self.claims.iter().find(|claim| !said.contains(&claim.as_str())) {
            Some(claim) => Err(format!("there is no claim \"{claim}\"")),
            None => Ok(()),
        }
    }
}

fn described(wanted: &BTreeMap<String, Vec<String>>) -> String {
    let of = |(column, entries): (&String, &Vec<String>)| format!("{column} {}", entries.join(" or "));
    wanted.iter().map(of).collect::<Vec<_>>().join(" and ")
}

impl Document {
    /// The names of cases of claims: stacks, and rows.
    fn names_of_cases(&self) -> Vec<String> {
        let stacks = self.measurements.iter().flat_map(|run| &run.stacks);
        let stacks =
            stacks.map(|stack| stack.split_once('=').map_or(stack.as_str(), |(alias, _)| alias).to_owned());
        let rows = self.claims.iter().filter_map(|claim| claim.rows.as_ref());
        let rows = rows.flat_map(|rows| {
            let set = &self.published[&rows.published];
            rows.in_set(set).map(|row| rows.describe(set, row).0)
        });
        stacks.chain(rows).collect()
    }

    /// Fails if a cause is invalid.
    pub(crate) fn check_causes(&self) -> Result<(), String> {
        for cause in &self.causes {
            cause.check(self).map_err(|error| format!("cause \"{}\": {error}", cause.says))?;
        }
        Ok(())
    }

    /// The causes for rows of a table.
    pub(crate) fn causes_of(&self, table: &TableOf) -> Vec<CauseOf> {
        let set = &self.published[&table.published];
        let named = self.causes.iter().filter(|cause| cause.is_of_table(table, set)).cloned();
        table.cause.iter().map(|cause| CauseOf::of_all(cause)).chain(named).collect()
    }

    /// The same for the page.
    pub(crate) fn shown_causes(&self, table: &TableOf) -> Vec<Cause> {
        let set = &self.published[&table.published];
        let causes = self.causes_of(table).into_iter();
        causes.map(|cause| Cause { of: cause.rows_in_words(set), says: cause.says }).collect()
    }

    /// The causes for cases of a claim.
    pub(crate) fn causes_of_claim(&self, claim: &Claim) -> Vec<Cause> {
        let causes = self.causes.iter();
        causes.filter_map(|cause| Some(Cause { of: cause.cases(claim)?, says: cause.says.clone() })).collect()
    }
}
