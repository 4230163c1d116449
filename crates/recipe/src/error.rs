//! Errors in a recipe.

use crate::spec::{FORM, SpecError};

/// An invalid recipe, or a request that no recipe fulfils. The text names the file, the key if there is one,
/// the cause and the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{cause}; {next_step}", place(file, key))]
pub struct RecipeError {
    /// The recipe's file; empty if the request is wrong.
    pub file: String,
    /// The key, dotted, or the place in the file; empty if the request is wrong.
    pub key: String,
    /// The cause.
    pub cause: String,
    /// The next step.
    pub next_step: String,
}

impl From<SpecError> for RecipeError {
    fn from(error: SpecError) -> Self {
        Self::asked(&error.describe(), FORM)
    }
}

impl RecipeError {
    /// An error in a stack's name at the command line.
    pub(crate) fn asked(cause: &str, next_step: &str) -> Self {
        Self::new("", "", cause, next_step)
    }

    /// An error in a file.
    pub fn new(file: &str, key: &str, cause: &str, next_step: &str) -> Self {
        Self { file: file.into(), key: key.into(), cause: cause.into(), next_step: next_step.into() }
    }

    /// An error of the TOML parser, with its line if known.
    pub fn not_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let next_step = "correct it after one of the recipes in stacks/";
        Self::new(file, &format!("line {line}"), error.message().trim(), next_step)
    }
}

fn place(file: &str, key: &str) -> String {
    if file.is_empty() { String::new() } else { format!("{file}: {key}: ") }
}
