//! The page of all commands equals their help. `UPDATE=1` regenerates it.

use std::fs;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md");

fn help(words: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    let output =
        program.args(words).arg("--help").env("COLUMNS", "110").env("NO_COLOR", "1").output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// The verbs in their groups, as the help lists them: a title, then lines of a verb and what it does.
fn groups(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut groups: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in text.lines().take_while(|line| *line != "Options:") {
        if let Some(title) = line.strip_suffix(':').filter(|title| !title.contains(' ')) {
            groups.push((title.to_owned(), Vec::new()));
        } else if let (Some((_, verbs)), Some((verb, about))) =
            (groups.last_mut(), line.strip_prefix("  ").and_then(|line| line.split_once(' ')))
        {
            verbs.push((verb.to_owned(), about.trim().to_owned()));
        }
    }
    groups
}

fn page() -> String {
    let all = help(&[]);
    let groups = groups(&all);
    let mut page = format!("# All commands\n\n```text\n{all}\n```\n");
    for (title, verbs) in &groups {
        page += &format!("\n## {title}\n\n");
        for (verb, about) in verbs {
            page += &format!("- [`tlslab {verb}`](#tlslab-{verb}): {about}\n");
        }
    }
    for (verb, _) in groups.iter().flat_map(|(_, verbs)| verbs) {
        page += &format!("\n### tlslab {verb}\n\n```text\n{}\n```\n", help(&[verb]));
    }
    page
}

#[test]
fn the_page_is_what_the_help_says() {
    let page = page();
    assert!(page.matches("\n### tlslab ").count() > 25, "{page}");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(PAGE, &page).unwrap();
    }
    let written = fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        written == page,
        "docs/commands.md: run `UPDATE=1 cargo test -p tlslab --test commands_page` and look at the change"
    );
}
