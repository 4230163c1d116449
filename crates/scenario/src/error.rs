//! What can be wrong with scenario and suite files. Each text names the file, the cause and what to do.

use tlslab_text::did_you_mean;

/// Something is wrong with a file, or with what was asked of the catalogue.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file is not what it should be.
    #[error("{file}: {cause}")]
    File {
        /// The file's name.
        file: String,
        /// What is wrong, with its place where the parser knows it.
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
    /// No suite has the name that was asked for.
    #[error("no suite is called \"{name}\"; {}`tlslab scenarios` lists them", did_you_mean(near))]
    NoSuchSuite {
        /// What was asked for.
        name: String,
        /// The suites that may have been meant.
        near: Vec<String>,
    },
    /// A pattern matches no scenario.
    #[error("no scenario matches \"{pattern}\"; {}`tlslab scenarios` lists them all", did_you_mean(near))]
    NoMatch {
        /// The pattern.
        pattern: String,
        /// Patterns and names that may have been meant and match.
        near: Vec<String>,
    },
    /// No scenario has the name that was asked for.
    #[error("no scenario is called \"{name}\"{}; {}`tlslab scenarios` lists them", matching(*matches), did_you_mean(near))]
    NoSuchScenario {
        /// What was asked for.
        name: String,
        /// How many scenarios match it as a pattern.
        matches: usize,
        /// The scenarios that may have been meant.
        near: Vec<String>,
    },
    /// A suite has no rows of a stack.
    #[error(
        "the suite has no rows of the stack {stack}; omit it, or choose its scenarios with --scenario"
    )]
    NoRows {
        /// The stack's recipe.
        stack: String,
    },
    /// Two rows have one name.
    #[error("two rows are called \"{name}\": {one}, and {other}; measure them in two runs")]
    SameRow {
        /// The name.
        name: String,
        /// What the one is of.
        one: String,
        /// What the other is of.
        other: String,
    },
    /// A pattern is not one.
    #[error("\"{pattern}\" is not a pattern: {cause}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        cause: String,
    },
}

fn matching(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(", a pattern of {count} scenarios where one is named"),
    }
}
