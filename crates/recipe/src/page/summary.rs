//! The content of a driver's file, by its own words.

/// The first sentence of a file's first comment; if the file begins with imports, of the comment before its
/// first class.
pub(super) fn summary(path: &str, source: &str) -> String {
    let begins = source.trim_start();
    let comment = if path.ends_with(".java") {
        source.split_once("/**").map_or("", |(_, inside)| inside.split("*/").next().unwrap_or_default())
    } else if let Some(inside) = begins.strip_prefix("/*") {
        inside.split("*/").next().unwrap_or_default()
    } else if let Some(inside) = begins.strip_prefix("\"\"\"") {
        inside.split("\"\"\"").next().unwrap_or_default()
    } else {
        return first_sentence(
            begins.lines().skip_while(|line| is_directive(line)).map_while(in_line_comment),
        );
    };
    first_sentence(comment.lines().map(|line| line.trim().trim_start_matches('*')))
}

/// Lines for tools, not people: a script's shell, and build tags.
fn is_directive(line: &str) -> bool {
    line.starts_with("#!") || line.starts_with("//go:") || line.is_empty()
}

fn in_line_comment(line: &str) -> Option<&str> {
    let comment = line.strip_prefix("//").or_else(|| line.strip_prefix("# "))?;
    Some(comment.trim_start_matches(['/', '!']))
}

fn first_sentence<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let words = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    words.split_once(". ").map_or(words.as_str(), |(first, _)| first).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn the_first_sentence_is_found_in_each_language() {
        let java =
            "import java.util.List;\n\n/**\n * Holds keys. More.\n *\n * <p>Much more.\n */\nclass A {}\n";
        let go = "//go:build go1.25\n\n// Groups that 1.25 has\n// and 1.24 has not.\n\npackage main\n";
        for (path, text, expected) in [
            ("a.c", "/* Pins\n * suites. More. */\n#include <a.h>\n", "Pins suites"),
            ("A.java", java, "Holds keys"),
            ("a.go", go, "Groups that 1.25 has and 1.24 has not"),
            ("a.go", "package main\n\n// later\n", ""),
            ("a.sh", "#!/bin/sh\n# Prints a home.\nset -e\n", "Prints a home"),
            (
                "a.py",
                "\"\"\"TLS over memory, as\na framework has it. This.\"\"\"\n\nimport ssl\n",
                "TLS over memory, as a framework has it",
            ),
            ("a.rs", "//! Both sides.\n\nuse a;\n", "Both sides"),
            ("a.c", "#include <a.h>\n/* later */\n", ""),
            ("a.h", "#pragma once\n", ""),
        ] {
            assert_eq!(summary(path, text), expected, "{text}");
        }
    }
}
