//! Patterns over names of scenarios.

use globset::{GlobBuilder, GlobSet};

use crate::ScenarioError;

/// Compiles a pattern over scenario names.
pub(crate) fn matcher(pattern: &str) -> Result<GlobSet, ScenarioError> {
    let wrong =
        |cause: String| ScenarioError::Pattern { pattern: pattern.chars().take(100).collect(), cause };
    if pattern.len() > LONGEST_PATTERN {
        return Err(wrong(format!("it is longer than {LONGEST_PATTERN} bytes")));
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let glob = glob.map_err(|cause| wrong(cause.kind().to_string()))?;
    // A set of one, because only a set reports a pattern that is too deeply nested to compile.
    GlobSet::builder().add(glob).build().map_err(|cause| wrong(cause.kind().to_string()))
}

const LONGEST_PATTERN: usize = 1_000;
