//! The instructions of a scenario by function, and the published figures.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_estimate::Whose;

pub use crate::function_cost::FunctionCost;
use crate::function_cost::is_meant;
use crate::model::{Claim, Column, Entry, Figure, Here, Row, Table};
use crate::parts::{Basis, Published, number, text};
use crate::profiled_claim::ProfiledClaimOf;

/// A table of functions.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileOf {
    pub(crate) title: String,
    /// Under which conditions.
    #[serde(default)]
    pub basis: Basis,
    /// The stack, perhaps as `NAME=STACK`. `{folder}` is the folder that the document lies in.
    stack: String,
    /// The stack of another table of the same scenario, by its name or specification, with which this one is
    /// compared: its figures have a separate column.
    #[serde(default)]
    before: Option<String>,
    /// The scenario's name.
    pub scenario: String,
    /// `client`, `server`, or `both` for the sum of both.
    pub(crate) side: Whose,
    /// The set of published rows.
    pub(crate) published: String,
    /// The columns of the set that are shown unchanged.
    pub(crate) labels: Vec<String>,
    /// The column with the function's name, the end of its path, or the part of the work that it belongs to.
    pub(crate) function: String,
    /// The column with the share that was published, %.
    #[serde(default)]
    pub(crate) weight: Option<String>,
    /// `share`: the self cost as a share of all instructions, %; or `calls`: the inclusive cost, instructions
    /// of one iteration.
    #[serde(default)]
    pub(crate) shows: Shows,
    /// How many functions with the largest shares follow that were not published.
    #[serde(default)]
    pub(crate) others: usize,
    #[serde(default)]
    pub(crate) note: Option<String>,
    /// The document's claims on shares.
    #[serde(default)]
    pub(crate) claims: Vec<ProfiledClaimOf>,
}

/// The shown cost of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shows {
    #[default]
    Share,
    Calls,
}

/// The costs of functions, by side.
pub type Functions = BTreeMap<String, Vec<FunctionCost>>;

/// The counts for a table. `Err` is the reason for their absence.
#[derive(Clone, Copy)]
pub(crate) struct Counted<'m> {
    here: &'m Result<Functions, String>,
    before: Option<&'m Result<Functions, String>>,
}

impl ProfileOf {
    pub(crate) fn check(&self, published: &BTreeMap<String, Published>) -> Result<(), String> {
        let Some(set) = published.get(&self.published) else {
            return Err(format!("there is no set published.{}", self.published));
        };
        let named = self.labels.iter().chain([&self.function]).chain(&self.weight);
        if let Some(missing) = named.into_iter().find(|name| set.column(name).is_none()) {
            return Err(format!("published.{} has no column \"{missing}\"", self.published));
        }
        if self.before.is_some() && self.others > 0 {
            return Err("before and others exclude each other".to_owned());
        }
        for claim in &self.claims {
            claim.check(self.before.is_some())?;
        }
        self.weight.iter().try_for_each(|column| set.check_numbers(column))
    }

    /// The stack, with the folder that the document lies in.
    pub fn stack(&self, folder: &str) -> String {
        let (_, stack) = self.named();
        stack.replace("{folder}", folder)
    }

    /// The counted cell, so that two tables of one cell count once.
    pub fn cell(&self) -> String {
        let (name, stack) = self.named();
        format!("{} in {}", name.unwrap_or(stack), self.scenario)
    }

    /// The counted cell of the column before, if there is one.
    pub(crate) fn cell_before(&self) -> Option<String> {
        Some(format!("{} in {}", self.before.as_ref()?, self.scenario))
    }

    /// The counts for it, if it was measured.
    pub(crate) fn counted<'m>(
        &self,
        profiles: &'m BTreeMap<String, Result<Functions, String>>,
    ) -> Option<Counted<'m>> {
        let before = self.cell_before().and_then(|cell| profiles.get(&cell));
        Some(Counted { here: profiles.get(&self.cell())?, before })
    }

    /// Its own name, if it has one, and the stack. A name has neither a version nor a package.
    fn named(&self) -> (Option<&str>, &str) {
        match self.stack.split_once('=') {
            Some((name, stack)) if !name.contains(['@', ',', '+', '/']) => (Some(name), stack),
            _ => (None, &self.stack),
        }
    }

    /// The rows that were published, then the largest others.
    pub(crate) fn table(&self, published: &BTreeMap<String, Published>, counted: Counted<'_>) -> Table {
        let set = &published[&self.published];
        let costs = counted.here.as_ref().map(|functions| self.costs(functions));
        let rows: Vec<Row> = set.rows.iter().map(|row| self.row(set, row, costs.as_ref())).collect();
        let function = set.column(&self.function);
        let names = set.rows.iter().filter_map(|row| Some(text(&row[function?])));
        let names: Vec<String> = names.collect();
        let others = costs.as_ref().map(|costs| self.largest(costs, &names)).unwrap_or_default();
        let (title, unit) = match self.shows {
            Shows::Share => ("share of all instructions", "%"),
            Shows::Calls => ("one iteration, callees included", "instructions"),
        };
        let mut table = Table {
            title: self.title.clone(),
            basis: self.basis.words().to_owned(),
            labels: self.labels.clone(),
            columns: vec![Column { title: title.to_owned(), unit: unit.to_owned() }],
            words: vec!["functions here".to_owned()],
            rows: rows.into_iter().chain(others).collect(),
            note: self.note.clone(),
            ..Table::default()
        };
        if let Some((stack, before)) = self.before.as_ref().zip(counted.before) {
            let costs = before.as_ref().map(|functions| self.costs(functions));
            for (row, published) in table.rows.iter_mut().zip(&set.rows) {
                let earlier = self.row(set, published, costs.as_ref()).entries.remove(0);
                row.entries.insert(0, Entry::new(None, earlier.here));
            }
            table.columns[0].title = self.shown();
            table.columns.insert(0, Column { title: stack.clone(), unit: unit.to_owned() });
        }
        table
    }

    /// The stack as a page names it.
    pub fn shown(&self) -> String {
        let (name, _) = self.named();
        name.map_or_else(|| self.stack("documents"), str::to_owned)
    }

    /// Its claims.
    pub(crate) fn claims(&self, counted: Counted<'_>) -> Vec<Claim> {
        let costs = |found: &Result<Functions, String>| match found {
            Ok(functions) => Ok(self.costs(functions)),
            Err(reason) => Err(reason.clone()),
        };
        let (here, before) = (costs(counted.here), counted.before.map(costs));
        let claim = |claim: &ProfiledClaimOf| {
            let over = self.before.as_deref().zip(before.as_ref());
            claim.claim(&self.shown(), self.side.name(), self.basis.words(), &here, over)
        };
        self.claims.iter().map(claim).collect()
    }

    /// The functions of the requested side; of both, the sums.
    fn costs(&self, functions: &Functions) -> Vec<FunctionCost> {
        let mut all: BTreeMap<&str, FunctionCost> = BTreeMap::new();
        let wanted = functions
            .iter()
            .filter(|(side, _)| self.side == Whose::Both || self.side.name() == side.as_str());
        for cost in wanted.flat_map(|(_, costs)| costs) {
            let nothing = || FunctionCost { own: 0.0, total: 0.0, ..cost.clone() };
            let sum = all.entry(&cost.name).or_insert_with(nothing);
            sum.own += cost.own;
            sum.total += cost.total;
        }
        all.into_values().collect()
    }

    fn row(&self, set: &Published, row: &[toml::Value], costs: Result<&Vec<FunctionCost>, &&String>) -> Row {
        let entry = |name: &String| Some(&row[set.column(name)?]);
        let wanted = entry(&self.function).map(text).unwrap_or_default();
        let (here, names) = match costs {
            Err(reason) => (Here::Hole { hole: (*reason).clone() }, vec![]),
            Ok(costs) => {
                let found: Vec<&FunctionCost> = costs.iter().filter(|cost| is_meant(cost, &wanted)).collect();
                let names = found.iter().map(|cost| cost.name.clone()).collect();
                match found.is_empty() {
                    true => (
                        Here::Hole { hole: format!("unsupported: no function is called {wanted} here") },
                        names,
                    ),
                    false => (self.figure(&found, costs), names),
                }
            }
        };
        Row {
            labels: self.labels.iter().filter_map(entry).map(text).collect(),
            entries: vec![Entry::new(self.weight.as_ref().and_then(entry).and_then(number), here)],
            words: vec![names.join(", ")],
        }
    }

    fn figure(&self, found: &[&FunctionCost], all: &[FunctionCost]) -> Here {
        let whole: f64 = all.iter().map(|cost| cost.own).sum();
        let value = match self.shows {
            Shows::Share => 100.0 * found.iter().map(|cost| cost.own).sum::<f64>() / whole,
            Shows::Calls => found.iter().map(|cost| cost.total).sum(),
        };
        Here::Figure(Figure::plain(value))
    }

    fn largest(&self, costs: &[FunctionCost], published: &[String]) -> Vec<Row> {
        let is_new = |cost: &&FunctionCost| !published.iter().any(|name| is_meant(cost, name));
        let mut others: Vec<&FunctionCost> = costs.iter().filter(is_new).collect();
        others.sort_by(|one, other| other.own.total_cmp(&one.own));
        let row = |cost: &&FunctionCost| Row {
            labels: (0..self.labels.len()).map(|_| String::new()).collect(),
            entries: vec![Entry::new(None, self.figure(&[cost], costs))],
            words: vec![cost.name.clone()],
        };
        others.iter().take(self.others).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn cost(name: &str, own: f64, total: f64) -> FunctionCost {
        FunctionCost { name: name.to_owned(), part: String::new(), own, total }
    }

    #[test]
    fn a_function_is_known_by_the_end_of_its_path_or_by_its_part() {
        let is_called = |name: &str, wanted: &str| is_meant(&cost(name, 0.0, 0.0), wanted);
        assert!(is_called("bertie::tls13formats::client_hello", "tls13formats::client_hello"));
        assert!(is_called("bn_mul4", "bn_mul4"));
        assert!(!is_called("old_bn_mul4", "bn_mul4"));
        assert!(!is_called("bn_mul4x", "bn_mul4"));
        let free = FunctionCost { part: "memory".to_owned(), ..cost("free", 0.0, 0.0) };
        assert!(is_meant(&free, "memory") && !is_meant(&free, "cryptography"));
    }

    fn profile(shows: Shows, side: Whose) -> ProfileOf {
        ProfileOf {
            title: "Profile".to_owned(),
            basis: Basis::Fair,
            stack: "one".to_owned(),
            before: None,
            scenario: "x".to_owned(),
            side,
            published: "set".to_owned(),
            labels: vec!["symbol".to_owned()],
            function: "symbol".to_owned(),
            weight: Some("weight".to_owned()),
            shows,
            others: 1,
            note: None,
            claims: vec![],
        }
    }

    const DOCUMENT: &str = r#"
title = "A document"
by = "somebody"
on = "a machine"

[published.set]
columns = ["symbol", "weight"]
rows = [["f", 25.0], ["gone", 5], ["memory", 1]]
"#;

    #[test]
    fn what_was_published_comes_first_and_what_is_missing_keeps_its_row() {
        let document = Document::parse("it.toml", "it", DOCUMENT).unwrap();
        let memory = |own| FunctionCost { part: "memory".to_owned(), ..cost("n", own, own) };
        let functions: Functions = [
            ("client".to_owned(), vec![cost("a::f", 30.0, 50.0), cost("g", 15.0, 15.0), memory(5.0)]),
            ("server".to_owned(), vec![cost("a::f", 10.0, 10.0), cost("h", 40.0, 90.0)]),
        ]
        .into();
        let heads = |shows| {
            let table = profile(shows, Whose::Both).table(&document.published, only(&Ok(functions.clone())));
            table.columns.into_iter().map(|column| column.title).collect::<Vec<_>>()
        };
        assert_eq!(heads(Shows::Share), ["share of all instructions"]);
        assert_eq!(heads(Shows::Calls), ["one iteration, callees included"]);
        let described = |table: &Table| -> Vec<(Option<f64>, Here)> {
            table.rows.iter().map(|row| (row.entries[0].published, row.entries[0].here.clone())).collect()
        };
        let figure = |value: f64| Here::Figure(Figure::plain(value));
        let both =
            profile(Shows::Share, Whose::Both).table(&document.published, only(&Ok(functions.clone())));
        let hole = Here::Hole { hole: "unsupported: no function is called gone here".to_owned() };
        let expected =
            [(Some(25.0), figure(40.0)), (Some(5.0), hole), (Some(1.0), figure(5.0)), (None, figure(40.0))];
        assert_eq!(described(&both), expected);
        assert_eq!(both.rows[3].words, ["h"]);
        let calls =
            profile(Shows::Calls, Whose::Client).table(&document.published, only(&Ok(functions.clone())));
        assert_eq!(described(&calls)[0], (Some(25.0), figure(50.0)));
        let none = profile(Shows::Share, Whose::Both)
            .table(&document.published, only(&Err("failed: no counter".to_owned())));
        assert_eq!(described(&none)[0].1, Here::Hole { hole: "failed: no counter".to_owned() });
    }

    fn only(here: &Result<Functions, String>) -> Counted<'_> {
        Counted { here, before: None }
    }

    #[test]
    fn what_another_stack_takes_stands_before_it() {
        let document = Document::parse("it.toml", "it", DOCUMENT).unwrap();
        let of = |total: f64| Ok([("client".to_owned(), vec![cost("a::f", 1.0, total)])].into());
        let profiles = BTreeMap::from([("one in x".to_owned(), of(20.0)), ("two in x".to_owned(), of(50.0))]);
        let claim = r#"
says = "f takes half"
published = "half"
size = { from = 0.39, to = 0.41 }
of = ["f"]
over_before = true
"#;
        let claims = vec![toml::from_str(claim).unwrap()];
        let before = Some("two".to_owned());
        let profile = ProfileOf { before, claims, ..profile(Shows::Calls, Whose::Client) };
        let counted = profile.counted(&profiles).unwrap();
        let table = profile.table(&document.published, counted);
        let titles: Vec<&str> = table.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["two", "one"]);
        let figure = |value: f64| Here::Figure(Figure::plain(value));
        let entries = table.rows[0].entries.iter().map(|entry| entry.here.clone()).collect::<Vec<_>>();
        assert_eq!(entries, [figure(50.0), figure(20.0)]);
        let claim = &profile.claims(counted)[0];
        assert_eq!(claim.here[0].judged.verdict, crate::judged::Verdict::Holds, "{claim:?}");
        assert!(!claim.terms.share && claim.ratio.ends_with("one over two; client"), "{}", claim.ratio);
    }
}
