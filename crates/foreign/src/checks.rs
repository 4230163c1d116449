//! Checks of the rows of every format.

use std::collections::BTreeSet;

use crate::{BadRow, ForeignValue, Parsed, Text};

/// The longest accepted name, bytes: database indexes have limits.
const LONGEST_NAME: usize = 1_000;

/// The longest accepted metric, bytes.
const LONGEST_METRIC: usize = 200;

/// Why a value cannot be kept, if so: the cause and the next step.
pub(crate) fn wrong(value: &ForeignValue) -> Option<(String, String)> {
    let described = |cause: String, next: &str| Some((cause, next.to_owned()));
    for (what, text, longest) in
        [("name", &value.benchmark, LONGEST_NAME), ("metric", &value.metric, LONGEST_METRIC)]
    {
        if text.trim().is_empty() {
            return described(format!("the {what} is empty"), "name it");
        }
        if text.len() > longest {
            return described(
                format!("the {what} has {} bytes, more than {longest}", text.len()),
                "shorten it",
            );
        }
        if text.chars().any(char::is_control) {
            return described(format!("the {what} {text:?} has control characters"), "remove them");
        }
    }
    let numbers = [Some(value.value), value.lower, value.upper];
    if let Some(number) = numbers.into_iter().flatten().find(|number| !number.is_finite()) {
        return described(format!("{number} is not a finite number"), "measure it again, or remove the row");
    }
    let mut all = numbers.into_iter().flatten().chain(value.raw.iter().copied());
    if let Some(number) = all.find(|number| *number < 0.0) {
        let next = "see what wrote it; times, counts, sizes and rates are not negative";
        return described(format!("{number} is below zero"), next);
    }
    match (value.lower, value.upper) {
        (Some(lower), Some(upper)) if lower > upper => {
            described(format!("the lower bound {lower} is above the upper bound {upper}"), "swap them")
        }
        _ => None,
    }
}

/// Collects values and wrong rows.
pub(crate) struct Rows<'t> {
    text: Text<'t>,
    good: Vec<ForeignValue>,
    bad: Vec<BadRow>,
}

impl<'t> Rows<'t> {
    pub(crate) fn new(text: Text<'t>) -> Self {
        Self { text, good: Vec::new(), bad: Vec::new() }
    }

    /// Adds a value that was read from a row.
    pub(crate) fn add(&mut self, row: impl Into<String>, value: ForeignValue) {
        match wrong(&value) {
            None => self.good.push(value),
            Some((cause, next)) => self.bad(row, cause, next),
        }
    }

    /// Adds a row that could not be read.
    pub(crate) fn bad(&mut self, row: impl Into<String>, cause: impl Into<String>, next: impl Into<String>) {
        self.bad.push(self.text.bad(row, cause, next));
    }

    /// All values, or all errors. A file without any row is an error, too.
    pub(crate) fn parsed(mut self, what: &str) -> Parsed {
        if self.good.is_empty() && self.bad.is_empty() {
            self.bad("the whole file", "it has no values", format!("give a file of {what}"));
        }
        if self.bad.is_empty() { Ok(self.good) } else { Err(self.bad) }
    }
}

/// A run has one value of each benchmark, side, metric and unit. A duplicate is an error; `file` names its
/// file.
pub fn unique(values: &[(String, ForeignValue)]) -> Result<(), Vec<BadRow>> {
    let mut seen = BTreeSet::new();
    let mut bad = Vec::new();
    for (file, value) in values {
        let ForeignValue { benchmark, side, metric, unit, .. } = value;
        if !seen.insert((benchmark, side, metric, unit)) {
            bad.push(BadRow {
                file: file.clone(),
                row: format!("benchmark {benchmark:?}, {metric}"),
                cause: "it occurs twice".to_owned(),
                next: "import each run separately".to_owned(),
            });
        }
    }
    if bad.is_empty() { Ok(()) } else { Err(bad) }
}
