//! Checks of a record from a database: names that can be joined to a path, numbers in the ranges of requests,
//! and valid indices.

use std::ops::RangeInclusive;

use tlslab_protocol::WarmUpRule;

use crate::{ComparisonPlan, CountPlan, Plan, RowPlan, RowRecord, RunRecord};

/// The longest identifier of a run, and the longest name of a file, bytes.
const LONGEST_NAME: usize = 128;

/// The most rounds of a run, with confirmation.
pub(crate) const ROUNDS: RangeInclusive<u32> = 1..=20_000;
/// Slices of a turn.
pub(crate) const SLICES: RangeInclusive<u32> = 1..=1_000;
/// The length of a slice or a warm-up, ns.
pub(crate) const SLICE_NS: RangeInclusive<u64> = 0..=1_000_000_000;
/// Iterations of a count.
pub(crate) const COUNT_ITERATIONS: RangeInclusive<u64> = 1..=1_000_000;
/// Seeds of the counts of a cell.
const MOST_SEEDS: usize = 1_000;
/// Scenarios, stacks, and pairs of a comparison.
const MOST_ENTRIES: usize = 100_000;

/// Whether a text can be a run's identifier: lowercase letters, digits and hyphens, so that it is only the
/// name of a folder.
pub fn is_run_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(is_plain)
}

/// Whether a text can be the name of a file in a folder, without leading elsewhere.
pub fn is_file_name(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.+@".contains(letter);
    (1..=LONGEST_NAME).contains(&text.len()) && !text.starts_with('.') && text.chars().all(is_plain)
}

impl Plan {
    /// Checks that this lab could have made it: a database is untrusted data.
    ///
    /// # Errors
    /// Returns the first invalid field, with its value.
    pub fn check(&self) -> Result<(), String> {
        if !is_run_id(&self.id) {
            return Err(format!(
                "its identifier is \"{}\"; lowercase letters, digits and hyphens are one",
                shorten(&self.id)
            ));
        }
        within("rounds", self.rounds, &ROUNDS)?;
        within("slices", self.slices, &SLICES)?;
        within("slice_ns", self.slice_ns, &SLICE_NS)?;
        if let Some(WarmUpRule { least_ns, most_ns, .. }) = self.warm_up {
            within("warm_up.least_ns", least_ns, &SLICE_NS)?;
            within("warm_up.most_ns", most_ns, &SLICE_NS)?;
        }
        at_most("scenarios", self.scenarios.len(), MOST_ENTRIES)?;
        at_most("stacks", self.stacks.len(), MOST_ENTRIES)?;
        if let Some(CountPlan { iterations, seeds, .. }) = &self.counting {
            within("counting.iterations", *iterations, &COUNT_ITERATIONS)?;
            at_most("counting.seeds", seeds.len(), MOST_SEEDS)?;
        }
        for stack in self.canaries.iter().flat_map(|canaries| &canaries.stacks) {
            exists("canaries", *stack, self.stacks.len())?;
        }
        self.comparison.iter().try_for_each(|comparison| comparison.check(self.stacks.len()))?;
        self.rows.iter().try_for_each(|rows| rows.check(self.scenarios.len(), self.stacks.len()))
    }
}

impl ComparisonPlan {
    fn check(&self, stacks: usize) -> Result<(), String> {
        at_most("comparison.pairs", self.pairs.len(), MOST_ENTRIES)?;
        for pair in &self.pairs {
            exists("comparison.pairs", pair.baseline, stacks)?;
            exists("comparison.pairs", pair.candidate, stacks)?;
        }
        if !self.looks.is_sorted_by(|one, next| one < next) || self.looks.is_empty() {
            return Err("comparison.looks is not an ascending list".to_owned());
        }
        self.looks.iter().try_for_each(|look| within("comparison.looks", *look, &ROUNDS))?;
        within("comparison.confirmation", self.confirmation, &(0..=*ROUNDS.end()))?;
        at_most("comparison.confirmation_seeds", self.confirmation_seeds.len(), MOST_SEEDS)?;
        at_most(
            "comparison.further_seeds",
            self.further_seeds.iter().map(|seeds| 1 + seeds.len()).sum(),
            MOST_SEEDS,
        )?;
        let levels = [("alpha", self.alpha), ("false_discovery_rate", self.false_discovery_rate)];
        let floors = [
            ("time_floor", self.time_floor),
            ("exact_floor", self.exact_floor),
            ("negligible", self.negligible),
        ];
        match levels.into_iter().chain(floors).find(|(_, value)| !(0.0..=1.0).contains(value)) {
            Some((name, value)) => Err(format!("comparison.{name} is {value}; it must be from 0 to 1")),
            None => Ok(()),
        }
    }
}

impl RowPlan {
    fn check(&self, scenarios: usize, stacks: usize) -> Result<(), String> {
        let of_files = self.files.iter().flat_map(|file| &file.rows);
        for RowRecord { name, scenario, stack, .. } in self.rows.iter().chain(of_files) {
            if !is_file_name(name) {
                return Err(format!("a row is called \"{}\", which is not a plain name", shorten(name)));
            }
            exists("a row's scenario", *scenario, scenarios)?;
            exists("a row's stack", *stack, stacks)?;
        }
        for file in &self.files {
            if !is_file_name(&file.name) || !file.name.ends_with(".csv") {
                return Err(format!(
                    "a file of rows is called \"{}\", which is not a plain name that ends with .csv",
                    shorten(&file.name)
                ));
            }
            for scenario in file.columns.iter().flat_map(|column| &column.once).flatten() {
                exists("a row's scenario", *scenario, scenarios)?;
            }
            let rows = self.rows_of(file).len();
            if let Some(column) = file.columns.iter().find(|column| column.times.len() != rows) {
                return Err(format!(
                    "{} has {rows} rows, and column {} has {}",
                    file.name,
                    shorten(&column.metric),
                    column.times.len()
                ));
            }
        }
        Ok(())
    }
}

impl RunRecord {
    /// Checks its plan, and that every record belongs to a scenario and a stack of it.
    ///
    /// # Errors
    /// Returns the first invalid field, with its value.
    pub fn check(&self) -> Result<(), String> {
        self.plan.check()?;
        let (scenarios, stacks) = (self.plan.scenarios.len(), self.plan.stacks.len());
        let of_scenarios = (self.cells.iter().map(|of| of.scenario))
            .chain(self.visits.iter().map(|of| of.scenario))
            .chain(self.samples.iter().map(|of| of.scenario))
            .chain(self.weights.iter().map(|of| of.scenario))
            .chain(self.counts.iter().map(|of| of.scenario))
            .chain(self.pairs.iter().map(|of| of.scenario))
            .chain(self.pair_samples.iter().map(|of| of.scenario));
        let of_stacks = (self.cells.iter().map(|of| of.stack))
            .chain(self.overheads.iter().map(|of| of.stack))
            .chain(self.samples.iter().map(|of| of.stack))
            .chain(self.weights.iter().map(|of| of.stack))
            .chain(self.counts.iter().map(|of| of.stack))
            .chain(self.pairs.iter().flat_map(|of| [of.client, of.server]))
            .chain(self.pair_samples.iter().flat_map(|of| [of.client, of.server]));
        of_scenarios.into_iter().try_for_each(|at| exists("a record's scenario", at, scenarios))?;
        of_stacks.into_iter().try_for_each(|at| exists("a record's stack", at, stacks))?;
        if !self.measuring_s.is_finite() || self.measuring_s < 0.0 {
            return Err(format!("measuring_s is {}, which is not a duration", self.measuring_s));
        }
        Ok(())
    }
}

fn within<N: PartialOrd + std::fmt::Display>(
    name: &str,
    value: N,
    range: &RangeInclusive<N>,
) -> Result<(), String> {
    match range.contains(&value) {
        true => Ok(()),
        false => Err(format!("{name} is {value}; it must be from {} to {}", range.start(), range.end())),
    }
}

fn at_most(name: &str, length: usize, most: usize) -> Result<(), String> {
    match length <= most {
        true => Ok(()),
        false => Err(format!("{name} has {length} entries; at most {most} are read")),
    }
}

fn exists(name: &str, at: usize, length: usize) -> Result<(), String> {
    match at < length {
        true => Ok(()),
        false => Err(format!("{name} is number {at} of {length}")),
    }
}

/// An untrusted text in an error: short, and on one line.
fn shorten(text: &str) -> String {
    text.chars().take(80).collect::<String>().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_the_name_of_a_folder_and_nothing_else() {
        assert!(is_run_id("20261125-004512-ab12") && is_run_id("one"));
        for wrong in ["", "..", "../../escaped", "/tmp/x", "a/b", "A", "a b", "a\0", "a.b", &"x".repeat(200)]
        {
            assert!(!is_run_id(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_file_name_leads_nowhere() {
        assert!(is_file_name("icounts.csv") && is_file_name("handshake_1.3_client"));
        for wrong in ["", ".", "..", ".hidden", "a/b", "/a", "../c.csv", "a\nb", "a b"] {
            assert!(!is_file_name(wrong), "{wrong}");
        }
    }

    #[test]
    fn rows_name_files_and_cells_that_there_are() {
        let text = r#"{"rows":[{"name":"a_client","scenario":0,"stack":0}],
            "files":[{"name":"c.csv","columns":[{"metric":"count.instructions","times":[1]}]}]}"#;
        let rows =
            |from: &str, to: &str| -> RowPlan { serde_json::from_str(&text.replace(from, to)).unwrap() };
        assert_eq!(rows("", "").check(1, 1), Ok(()));
        let wrong = [
            ("c.csv", "../c.csv", "a file of rows is called \"../c.csv\""),
            ("c.csv", "report.html", "not a plain name that ends with .csv"),
            ("a_client", "../../a", "a row is called \"../../a\""),
            ("\"scenario\":0", "\"scenario\":1", "a row's scenario is number 1 of 1"),
            ("\"stack\":0", "\"stack\":7", "a row's stack is number 7 of 1"),
            ("[1]", "[1,2]", "c.csv has 1 rows, and column count.instructions has 2"),
            ("[1]", "[1],\"once\":[3]", "a row's scenario is number 3 of 1"),
        ];
        for (from, to, says) in wrong {
            let cause = rows(from, to).check(1, 1).unwrap_err();
            assert!(cause.contains(says), "{cause}");
        }
    }

    #[test]
    fn a_comparison_is_of_stacks_and_rounds_that_there_are() {
        let text = r#"{"pairs":[{"base":0,"new":1,"identical":false}],"looks":[8,16],"confirmation":8,"alpha":0.005,
            "false_discovery_rate":0.02,"time_floor":0.001,"exact_floor":0.0001,"negligible":0.005,"moves":false,
            "arrangement":"interleaved","visit_s":0.1}"#;
        let plan = |from: &str, to: &str| -> ComparisonPlan {
            serde_json::from_str(&text.replace(from, to)).unwrap()
        };
        assert_eq!(plan("", "").check(2), Ok(()));
        let wrong = [
            ("\"new\":1", "\"new\":2", "comparison.pairs is number 2 of 2"),
            ("[8,16]", "[]", "comparison.looks is not an ascending list"),
            ("[8,16]", "[16,8]", "comparison.looks is not an ascending list"),
            ("[8,16]", "[8,4294967295]", "comparison.looks is 4294967295"),
            ("\"confirmation\":8", "\"confirmation\":4294967295", "comparison.confirmation is 4294967295"),
            ("0.005,\n", "-1.0,\n", "comparison.alpha is -1"),
        ];
        for (from, to, says) in wrong {
            let cause = plan(from, to).check(2).unwrap_err();
            assert!(cause.contains(says), "{cause}");
        }
    }
}
