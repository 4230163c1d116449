//! Rows: what a suite calls the figures of its cells, in files for programs that know them by those names.

use std::collections::{BTreeMap, HashMap};

use globset::GlobSet;
use serde::Deserialize;
use tlslab_protocol::{Scenario, Side};

use crate::ScenarioError;
use crate::suite::matcher;

/// The table `[rows]` of a suite. Cells that no row is of are left out of a run of the suite.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// What parts of names are called in rows, where they are called otherwise.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    /// Which cells have rows.
    pub of: Vec<RowsOf>,
    /// The files that have the rows.
    pub files: Vec<RowFile>,
}

/// Cells of some stacks, and what their rows are called.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsOf {
    /// A pattern over recipes, whichever version or variant takes part.
    pub stack: String,
    /// A scenario's name, in which `{word}` stands for any one part and remembers it.
    pub scenario: String,
    /// The rows' names, in which `{word}` is the part that was remembered, as `words` has it, and `{side}` the side.
    pub name: String,
}

/// A file with a line for each row: its name, and its columns after commas.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowFile {
    /// The file's name.
    pub name: String,
    /// What stands in the columns.
    pub columns: Vec<RowColumn>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowColumn {
    /// A figure by its name in results, such as `count.instructions`.
    pub metric: String,
    /// How many iterations a row has, by pattern over scenarios; 1 where none matches.
    #[serde(default)]
    pub times: BTreeMap<String, u32>,
}

/// One side of a cell by a name of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The scenario, as an index.
    pub scenario: usize,
    /// The stack, as an index.
    pub stack: usize,
    /// The side.
    pub side: Side,
}

impl Rows {
    /// Refuses what no run could make rows of. `error` tells a cause with its file.
    pub(crate) fn check(&self, error: &dyn Fn(String) -> ScenarioError) -> Result<(), ScenarioError> {
        for of in &self.of {
            matcher(&of.stack).map_err(|cause| error(cause.to_string()))?;
            let known = words(&of.scenario).map_err(|cause| error(format!("rows: {cause}")))?;
            let used = words(&of.name).map_err(|cause| error(format!("rows: {cause}")))?;
            if !used.contains(&SIDE) {
                return Err(error(format!("rows: name \"{}\" has no {{side}}", of.name)));
            }
            if let Some(other) = used.iter().find(|word| **word != SIDE && !known.contains(word)) {
                return Err(error(format!(
                    "rows: name \"{}\" has {{{other}}}, and scenario \"{}\" has not",
                    of.name, of.scenario
                )));
            }
        }
        for file in &self.files {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            if !file.name.ends_with(".csv") || !file.name.chars().all(is_plain) {
                return Err(error(format!(
                    "rows: file \"{}\" must be a plain name that ends with .csv",
                    file.name
                )));
            }
            for (pattern, times) in file.columns.iter().flat_map(|column| &column.times) {
                matcher(pattern).map_err(|cause| error(cause.to_string()))?;
                if *times == 0 {
                    return Err(error(format!("rows: \"{pattern}\" = 0 times; leave it out for one")));
                }
            }
        }
        Ok(())
    }

    /// The rows of some scenarios on some stacks, whose recipes' bare names are given, in the order of their names.
    ///
    /// # Errors
    /// A stack that no row is of, a rule that fits no scenario, or two rows of one name.
    pub fn resolve(&self, scenarios: &[Scenario], recipes: &[&str]) -> Result<Vec<Row>, ScenarioError> {
        let mut rows = Vec::new();
        for (stack, recipe) in recipes.iter().enumerate() {
            let before = rows.len();
            for of in &self.of {
                if matcher(&of.stack)?.is_match(recipe) {
                    self.add(&mut rows, of, scenarios, stack)?;
                }
            }
            if rows.len() == before {
                return Err(ScenarioError::NoRows { stack: (*recipe).to_owned() });
            }
        }
        rows.sort_by(|one: &Row, other| one.name.cmp(&other.name));
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].name == pair[1].name) {
            let of = |row: &Row| format!("{} on {}", scenarios[row.scenario].name, recipes[row.stack]);
            return Err(ScenarioError::SameRow {
                name: pair[0].name.clone(),
                one: of(&pair[0]),
                other: of(&pair[1]),
            });
        }
        Ok(rows)
    }

    fn add(
        &self,
        rows: &mut Vec<Row>,
        of: &RowsOf,
        scenarios: &[Scenario],
        stack: usize,
    ) -> Result<(), ScenarioError> {
        let before = rows.len();
        for (index, scenario) in scenarios.iter().enumerate() {
            let Some(parts) = captured(&of.scenario, &scenario.name) else { continue };
            for &side in scenario.work.sides() {
                let name = self.name(&of.name, &parts, side);
                rows.push(Row { name, scenario: index, stack, side });
            }
        }
        match rows.len() > before {
            true => Ok(()),
            false => Err(ScenarioError::NoMatch { pattern: of.scenario.clone() }),
        }
    }

    fn name(&self, template: &str, parts: &HashMap<&str, &str>, side: Side) -> String {
        let mut name = template.replace("{side}", side.name());
        for (word, part) in parts {
            let called = self.words.get(*part).map_or(*part, String::as_str);
            name = name.replace(&format!("{{{word}}}"), called);
        }
        name
    }
}

impl RowColumn {
    /// How many iterations of a scenario a row has.
    pub fn times(&self, scenario: &Scenario) -> Result<u32, ScenarioError> {
        for (pattern, times) in &self.times {
            let pattern: GlobSet = matcher(pattern)?;
            if pattern.is_match(&scenario.name) {
                return Ok(*times);
            }
        }
        Ok(1)
    }
}

/// The word that stands for the side.
const SIDE: &str = "side";

/// The words in braces.
fn words(template: &str) -> Result<Vec<&str>, String> {
    let mut words = Vec::new();
    let mut rest = template;
    while let Some((_, after)) = rest.split_once('{') {
        let (word, after) =
            after.split_once('}').ok_or_else(|| format!("\"{template}\" has a {{ without a }}"))?;
        words.push(word);
        rest = after;
    }
    Ok(words)
}

/// What the words of a template stand for in a name that fits it.
fn captured<'t, 'n>(template: &'t str, name: &'n str) -> Option<HashMap<&'t str, &'n str>> {
    let (mut templates, mut names) = (template.split('/'), name.split('/'));
    let mut parts = HashMap::new();
    loop {
        match (templates.next(), names.next()) {
            (None, None) => return Some(parts),
            (Some(template), Some(name)) => {
                match template.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                    // A word that comes twice stands for the same part.
                    Some(word) if *parts.entry(word).or_insert(name) != name => return None,
                    Some(_) => {}
                    None if template != name => return None,
                    None => {}
                }
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Suite};

    const FAMILY: &str = r#"
title = "t"
name = "s/{version}/{signature}/{suite}"
work = "handshake"
[axes]
version = "1.3"
signature = ["ecdsa-p256", "rsa-2048"]
group = "x25519"
suite = "aes-128-gcm"
verification = "none"
"#;
    const SUITE: &str = r#"
title = "t"
budget_s = 1
rounds = 1
metrics = ["count"]
scenarios = ["s/**"]
[rows]
words = { rsa-2048 = "rsa", aes-128-gcm = "aes" }
of = [{ stack = "a/*", scenario = "s/{version}/{key}/{suite}", name = "no_{version}_{key}_{suite}_{side}" }]
files = [{ name = "c.csv", columns = [{ metric = "count.instructions", times = { "s/*/rsa*/**" = 30 } }] }]
"#;

    fn suite(from: &str, to: &str) -> Result<Rows, String> {
        let text = SUITE.replace(from, to);
        assert!(from == to || text != SUITE);
        Suite::parse("s.toml", "s", &text).map(|suite| suite.rows.unwrap()).map_err(|error| error.to_string())
    }

    fn scenarios() -> Vec<Scenario> {
        Family::parse("f.toml", FAMILY).unwrap().scenarios
    }

    #[test]
    fn rows_have_the_suites_words() {
        let (rows, scenarios) = (suite("", "").unwrap(), scenarios());
        let resolved = rows.resolve(&scenarios, &["a/b"]).unwrap();
        let names: Vec<&str> = resolved.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "no_1.3_ecdsa-p256_aes_client",
                "no_1.3_ecdsa-p256_aes_server",
                "no_1.3_rsa_aes_client",
                "no_1.3_rsa_aes_server"
            ]
        );
        assert_eq!(scenarios[resolved[2].scenario].name, "s/1.3/rsa-2048/aes-128-gcm");
        let times: Vec<u32> =
            scenarios.iter().map(|scenario| rows.files[0].columns[0].times(scenario).unwrap()).collect();
        assert_eq!(times, [1, 30]);
    }

    #[test]
    fn what_makes_no_rows_is_told() {
        let resolve = |rows: Result<Rows, String>, stacks: &[&str]| {
            rows.unwrap().resolve(&scenarios(), stacks).unwrap_err().to_string()
        };
        insta::assert_snapshot!(resolve(suite("", ""), &["a/b", "c"]), @"the suite has no rows of the stack c; leave it out, or choose its scenarios with --scenario");
        insta::assert_snapshot!(resolve(suite("", ""), &["a/b", "a/c"]), @r#"two rows are called "no_1.3_ecdsa-p256_aes_client": s/1.3/ecdsa-p256/aes-128-gcm on a/b, and s/1.3/ecdsa-p256/aes-128-gcm on a/c; measure them in two runs"#);
        insta::assert_snapshot!(resolve(suite("s/{version}", "t/{version}"), &["a/b"]), @r#"no scenario matches "t/{version}/{key}/{suite}"; `tlslab scenarios` lists them all"#);
        insta::assert_snapshot!(resolve(suite("{key}_{suite}_{side}", "{side}"), &["a/b"]), @r#"two rows are called "no_1.3_client": s/1.3/ecdsa-p256/aes-128-gcm on a/b, and s/1.3/rsa-2048/aes-128-gcm on a/b; measure them in two runs"#);
    }

    #[test]
    fn rows_that_cannot_be_are_told() {
        let refused = |from: &str, to: &str| suite(from, to).unwrap_err();
        insta::assert_snapshot!(refused("_{side}", ""), @r#"s.toml: rows: name "no_{version}_{key}_{suite}" has no {side}"#);
        insta::assert_snapshot!(refused("no_{version}", "no_{group}"), @r#"s.toml: rows: name "no_{group}_{key}_{suite}_{side}" has {group}, and scenario "s/{version}/{key}/{suite}" has not"#);
        insta::assert_snapshot!(refused("no_{version}", "no_{version"), @r#"s.toml: rows: name "no_{version_{key}_{suite}_{side}" has {version_{key}, and scenario "s/{version}/{key}/{suite}" has not"#);
        insta::assert_snapshot!(refused("c.csv", "../c.csv"), @r#"s.toml: rows: file "../c.csv" must be a plain name that ends with .csv"#);
        insta::assert_snapshot!(refused("= 30", "= 0"), @r#"s.toml: rows: "s/*/rsa*/**" = 0 times; leave it out for one"#);
        insta::assert_snapshot!(refused("a/*", "a/{"), @r#"s.toml: "a/{" is not a pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"#);
    }
}
