//! Patterns over names of files and branches.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Whether one of the patterns is of this name. They were checked with the configuration.
pub(crate) fn matches(patterns: &[String], name: &str) -> bool {
    compiled(patterns).is_ok_and(|patterns| patterns.is_match(name))
}

fn compiled(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        if let Some(why) = misread(pattern) {
            return Err(format!("the pattern \"{pattern}\": {why}"));
        }
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|cause| format!("the pattern \"{pattern}\": {}", cause.kind()))?);
    }
    set.build().map_err(|cause| cause.kind().to_string())
}

/// Checks these patterns.
///
/// # Errors
/// Fails on an invalid pattern.
pub(crate) fn check<'p>(all: impl IntoIterator<Item = &'p Vec<String>>) -> Result<(), String> {
    all.into_iter().try_for_each(|patterns| compiled(patterns).map(drop))
}

/// Why a pattern would match nothing, although it looks valid.
fn misread(pattern: &str) -> Option<&'static str> {
    const OF_ROOT: &str = "names begin at the root of the repository; write it without the start";
    match pattern {
        "" => Some("it is empty"),
        _ if pattern.starts_with('!') => {
            Some("`!` does not exclude here; write what is excluded into `ignore`")
        }
        _ if pattern.starts_with('/') || pattern.starts_with("./") => Some(OF_ROOT),
        _ if pattern.starts_with("refs/") => Some("write the branch's name without refs/heads/"),
        _ if pattern.ends_with('/') => Some("for all files of a folder write FOLDER/**"),
        _ if pattern.contains('\\') => Some("write / between folders"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_match_nothing_are_refused() {
        let wrong = ["", "src/", "!docs/**", "/src/**", "./src/**", "src\\**", "refs/heads/main", "src/{a"];
        for pattern in wrong {
            let error = check([&vec![pattern.to_owned()]]).unwrap_err();
            assert!(error.contains(&format!("\"{pattern}\"")), "{error}");
        }
        let good = ["src/**", "**/*.md", "Cargo.lock", "release/*"].map(str::to_owned).to_vec();
        assert_eq!(check([&good]), Ok(()));
    }
}
