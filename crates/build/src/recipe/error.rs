//! What can be wrong with a recipe.

/// A recipe that cannot be used. The text names the file, the key, the cause and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {key}: {cause}; {next_step}")]
pub struct RecipeError {
    /// The recipe's file.
    pub file: String,
    /// The key, dotted, or the place in the file.
    pub key: String,
    /// What is wrong.
    pub cause: String,
    /// What to do about it.
    pub next_step: String,
}
