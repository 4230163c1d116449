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

/// The pattern with each alternative of its braces alone: for `a/{b,c}/{d,e}` these are `a/b/{d,e}`,
/// `a/c/{d,e}`, `a/{b,c}/d` and `a/{b,c}/e`. None of braces within braces.
pub(crate) fn by_alternative(pattern: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(open) = pattern[from..].find('{').map(|at| from + at) {
        let Some(close) = pattern[open..].find('}').map(|at| open + at) else { break };
        let (before, after) = (&pattern[..open], &pattern[close + 1..]);
        let inner = &pattern[open + 1..close];
        if !inner.contains('{') && inner.contains(',') {
            all.extend(inner.split(',').map(|one| format!("{before}{one}{after}")));
        }
        from = close + 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::by_alternative;

    #[test]
    fn alternatives_are_taken_one_at_a_time() {
        assert_eq!(by_alternative("a/{b,c}/{d,e}"), ["a/b/{d,e}", "a/c/{d,e}", "a/{b,c}/d", "a/{b,c}/e"]);
        for whole in ["a/*", "{a}", "{a,{b,c}}", "{a,b"] {
            assert!(by_alternative(whole).is_empty(), "{whole}");
        }
    }
}
