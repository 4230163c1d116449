//! From a suite's rules to the rows of a run.

use tlslab_protocol::Scenario;

use super::template::{captured, filled};
use super::{Row, RowColumn, RowFile, Rows, RowsOf, SIDE};
use crate::ScenarioError;
use crate::pattern::matcher;

impl Rows {
    /// The rows of some scenarios on some stacks, given by their recipes' bare names, sorted by name.
    ///
    /// # Errors
    /// Fails if a stack has no row, a rule fits no scenario, or two rows have one name.
    pub fn resolve(&self, scenarios: &[Scenario], recipes: &[&str]) -> Result<Vec<Row>, ScenarioError> {
        let rows = self.of_rules(&self.of, scenarios, recipes)?;
        match (0..recipes.len()).find(|stack| rows.iter().all(|row| row.stack != *stack)) {
            Some(stack) => Err(ScenarioError::NoRows { stack: recipes[stack].to_owned() }),
            None => Ok(rows),
        }
    }

    /// A file's own rows, sorted by name; none if it has no rules of its own, or if no row is of these
    /// stacks.
    ///
    /// # Errors
    /// Fails if a rule fits no scenario, or if two rows have one name.
    pub fn resolve_own(
        &self,
        file: &RowFile,
        scenarios: &[Scenario],
        recipes: &[&str],
    ) -> Result<Vec<Row>, ScenarioError> {
        self.of_rules(&file.of, scenarios, recipes)
    }

    fn of_rules(
        &self,
        rules: &[RowsOf],
        scenarios: &[Scenario],
        recipes: &[&str],
    ) -> Result<Vec<Row>, ScenarioError> {
        let mut rows = Vec::new();
        for (stack, recipe) in recipes.iter().enumerate() {
            for of in rules {
                if matcher(&of.stack)?.is_match(recipe) {
                    self.add(&mut rows, of, scenarios, stack)?;
                }
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
        for (scenario, resolved) in scenarios.iter().enumerate() {
            let Some(parts) = captured(&of.scenario, &resolved.name) else { continue };
            let mut add = |template: &str, side| {
                rows.push(Row { name: filled(template, &parts, &self.words), scenario, stack, side });
            };
            if !of.has_side() {
                add(&of.name, None);
                continue;
            }
            for &side in resolved.work.sides() {
                add(&of.name.replace(&format!("{{{SIDE}}}"), side.name()), Some(side));
            }
        }
        match rows.len() > before {
            true => Ok(()),
            false => Err(ScenarioError::NoMatch { pattern: of.scenario.clone(), near: Vec::new() }),
        }
    }
}

impl RowColumn {
    /// The number of a scenario's iterations in a row.
    ///
    /// # Errors
    /// Fails if a pattern is invalid.
    pub fn times(&self, scenario: &Scenario) -> Result<u32, ScenarioError> {
        for (pattern, times) in &self.times {
            if matcher(pattern)?.is_match(&scenario.name) {
                return Ok(*times);
            }
        }
        Ok(1)
    }

    /// The scenario with a further iteration in a row, as an index into the scenarios.
    ///
    /// # Errors
    /// Fails if the scenarios lack it.
    pub fn once(&self, scenario: &Scenario, scenarios: &[Scenario]) -> Result<Option<usize>, ScenarioError> {
        let besides = self.once.iter().find_map(|(template, other)| {
            Some(filled(other, &captured(template, &scenario.name)?, &Default::default()))
        });
        let Some(besides) = besides else { return Ok(None) };
        match scenarios.iter().position(|scenario| scenario.name == besides) {
            Some(at) => Ok(Some(at)),
            None => Err(ScenarioError::NoMatch { pattern: besides, near: Vec::new() }),
        }
    }
}
