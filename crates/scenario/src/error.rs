//! Errors of scenario and suite files. Each text names the file, the cause and the next step.

use tlslab_text::did_you_mean;

/// An error in a file, or in a query of the catalogue.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file is invalid.
    #[error("{file}: {cause}")]
    File {
        /// The file's name.
        file: String,
        /// The cause, with its place if the parser knows it.
        cause: String,
    },
    /// Two scenarios have one name.
    #[error(
        "{file}: two scenarios are called \"{name}\"; let the name contain every axis that has more than one value"
    )]
    SameName {
        /// The file of the second one.
        file: String,
        /// The name.
        name: String,
    },
    /// No suite has the requested name.
    #[error("no suite is called \"{name}\"; {}`tlslab scenarios` lists them", did_you_mean(near))]
    NoSuchSuite {
        /// The requested name.
        name: String,
        /// Similar suites.
        near: Vec<String>,
    },
    /// A pattern matches no scenario.
    #[error("no scenario matches \"{pattern}\"; {}`tlslab scenarios` lists them all", did_you_mean(near))]
    NoMatch {
        /// The pattern.
        pattern: String,
        /// Similar patterns and names that match.
        near: Vec<String>,
    },
    /// No scenario has the requested name.
    #[error("no scenario is called \"{name}\"{}; {}`tlslab scenarios` lists them", matching(*matches), did_you_mean(near))]
    NoSuchScenario {
        /// The requested name.
        name: String,
        /// The number of scenarios that match it as a pattern.
        matches: usize,
        /// Similar scenarios.
        near: Vec<String>,
    },
    /// A suite has no rows of a stack.
    #[error("the suite has no rows of the stack {stack}; omit it, or choose its scenarios with --scenario")]
    NoRows {
        /// The stack's recipe.
        stack: String,
    },
    /// Two rows have one name.
    #[error("two rows are called \"{name}\": {one}, and {other}; measure them in two runs")]
    SameRow {
        /// The name.
        name: String,
        /// The first one's cell.
        one: String,
        /// The second one's cell.
        other: String,
    },
    /// A pattern is invalid.
    #[error("\"{pattern}\" is not a pattern: {cause}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The cause.
        cause: String,
    },
}

fn matching(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(", a pattern of {count} scenarios where one is named"),
    }
}
