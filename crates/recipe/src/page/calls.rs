//! A driver's files, with the library's functions or names that each uses.

use std::collections::BTreeSet;

use tlslab_text::{markdown, markdown_code};

use super::folder::DriverFolder;
use super::{summary::summary, uses::used};

/// The driver's files, as a section of its page.
pub(super) fn table(folder: &DriverFolder) -> String {
    let own = defined(folder);
    let mut text = "\n## What it calls\n\n\
        Of files in C and C++: each function, macro or callback of the library that is named with arguments. Of files in other languages: \
        each name of a package that the file imports, or of the language's own modules for cryptography and TLS.\n\n\
        | file | lines | what it holds | calls |\n|---|---:|---|---|\n"
        .to_owned();
    for (path, source) in &folder.files {
        let mut calls = if is_c(path) { called(source) } else { used(path, source) };
        calls.retain(|name| !is_c(path) || is_foreign(name, &own));
        let calls: Vec<String> = calls.iter().map(|name| markdown_code(name)).collect();
        let lines = source.lines().count();
        text += &format!(
            "| {} | {lines} | {} | {} |\n",
            markdown_code(path),
            markdown(&summary(path, source)),
            calls.join(" ")
        );
    }
    text
}

fn is_c(path: &str) -> bool {
    [".c", ".cc", ".h", ".hh"].iter().any(|ending| path.ends_with(ending))
}

/// Names of a library have several parts, or begin with a capital; those of the C library do not.
fn is_foreign(name: &str, own: &BTreeSet<String>) -> bool {
    let is_kit = name.to_ascii_lowercase().starts_with("tlslab");
    (name.contains('_') || name.contains(|letter: char| letter.is_ascii_uppercase()))
        && !is_kit
        && !own.contains(name)
}

/// Names that the folder's C and C++ define: at the beginning of a line, before a parenthesis.
fn defined(folder: &DriverFolder) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, text) in folder.files.iter().filter(|(path, _)| is_c(path)) {
        for line in text.lines().filter(|line| !line.starts_with([' ', '\t', '}'])) {
            names.extend(called(line).into_iter().next());
            // A macro, with or without arguments.
            let macro_name = line.strip_prefix("#define ").and_then(|rest| rest.split(['(', ' ']).next());
            names.extend(macro_name.map(str::to_owned));
        }
    }
    names
}

/// Names before a parenthesis, outside of comments and strings, each once, in order of appearance.
fn called(source: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut rest = source;
    let mut word = String::new();
    while let Some(letter) = rest.chars().next() {
        let skipped = ["/*", "//", "\"", "'"].into_iter().find(|open| rest.starts_with(open));
        if let Some(open) = skipped {
            rest = after(rest, open);
            word.clear();
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        if letter.is_ascii_alphanumeric() || letter == '_' {
            word.push(letter);
        } else {
            if letter == '('
                && word.starts_with(|first: char| !first.is_ascii_digit())
                && !names.contains(&word)
            {
                names.push(std::mem::take(&mut word));
            }
            word.clear();
        }
    }
    names
}

/// The text after a comment or a string.
fn after<'t>(text: &'t str, open: &str) -> &'t str {
    let inside = &text[open.len()..];
    match open {
        "/*" => inside.split_once("*/").map_or("", |(_, rest)| rest),
        "//" => inside.find('\n').map_or("", |end| &inside[end..]),
        quote => {
            let mut escaped = false;
            for (at, letter) in inside.char_indices() {
                match letter {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    letter if quote.starts_with(letter) => return &inside[at + 1..],
                    _ => {}
                }
            }
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> DriverFolder {
        DriverFolder {
            name: "one".into(),
            readme: String::new(),
            files: files.iter().map(|&(path, text)| (path.into(), text.into())).collect(),
            shares: vec![],
        }
    }

    #[test]
    fn calls_of_the_library_are_named_and_no_others() {
        let source = "/* Pins. More of it. */\n#define OWN_MACRO(a) (a)\nstatic int own_call(int a) {\n  if (a) return LIB_set_it(a, \
                      \"LIB_in_text(\\\"\"); /* LIB_in_comment() */\n  // LIB_in_line(1)\n  strlen(\"\"); tlslab_failed(0); \
                      OWN_MACRO(1); LIB_set_it(2); return own_call(LIB_other (3));\n}\n";
        let table = table(&folder(&[("pin.c", source), ("a.go", "// Package a.\nfunc Lib_x() {}\n")]));
        let row = table.lines().find(|line| line.contains("pin.c")).unwrap();
        assert_eq!(row, "| `pin.c` | 7 | Pins | `LIB_set_it` |");
        assert!(table.ends_with("| `a.go` | 2 | Package a |  |\n"), "{table}");
    }

    #[test]
    fn a_file_that_ends_within_a_comment_or_a_text_is_read_to_its_end() {
        assert_eq!(called("a_b(); /* c_d("), ["a_b"]);
        assert_eq!(called("a_b(\"c_d("), ["a_b"]);
        assert_eq!(called("x = 'é'; e_f('\\'', '\\\\')"), ["e_f"]);
    }
}
