//! The answers of all stacks with their regressions and improvements, as texts.

use std::fmt::Write;

use tlslab_text::markdown as safe;
use tlslab_text::number::counted;

use super::step_table::StepTable;
use crate::timeline::release_steps::{ReleaseHistory, ReleaseStep};

/// How many steps a text lists.
const LISTED: usize = 10;

/// For a terminal.
pub fn releases_terminal(history: &ReleaseHistory) -> String {
    let mut text = String::new();
    for stack in &history.stacks {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{}.\n", stack.sentence);
    }
    for (title, steps) in kinds(history) {
        let _ = writeln!(text, "{title}");
        match listed(steps) {
            [] => text.push_str("  none\n\n"),
            listed => {
                let _ = writeln!(text, "{}", StepTable::of(listed, false).terminal());
            }
        }
        let _ = write!(text, "{}", rest(steps).map(|rest| format!("  {rest}\n\n")).unwrap_or_default());
    }
    text.push_str(&single(history));
    text
}

/// For a repository.
pub fn releases_markdown(history: &ReleaseHistory) -> String {
    let mut text = String::new();
    for stack in &history.stacks {
        let _ = writeln!(text, "{}.\n", safe(&stack.sentence));
    }
    text.push_str(&step_sections(history));
    let single = single(history);
    if !single.is_empty() {
        let _ = write!(text, "\n{}", safe(&single));
    }
    text
}

/// The regressions and the improvements of all stacks, each as a section.
pub(super) fn step_sections(history: &ReleaseHistory) -> String {
    let mut sections = Vec::new();
    for (title, steps) in kinds(history) {
        let mut section = match listed(steps) {
            [] => format!("## {title}\n\nNone.\n"),
            listed => format!("## {title}\n\n{}", StepTable::of(listed, false).markdown()),
        };
        if let Some(rest) = rest(steps) {
            let _ = writeln!(section, "\n{rest}.");
        }
        sections.push(section);
    }
    sections.join("\n")
}

fn kinds(history: &ReleaseHistory) -> [(&'static str, &[ReleaseStep]); 2] {
    [("Regressions", &history.regressions), ("Improvements", &history.improvements)]
}

fn listed(steps: &[ReleaseStep]) -> &[ReleaseStep] {
    &steps[..steps.len().min(LISTED)]
}

fn rest(steps: &[ReleaseStep]) -> Option<String> {
    let rest = steps.len().checked_sub(LISTED + 1)? + 1;
    Some(format!("{} of 1 % or more", counted(rest, "smaller step")))
}

fn single(history: &ReleaseHistory) -> String {
    match history.single.len() {
        0 => String::new(),
        number => format!("{} with one release: {}.\n", counted(number, "stack"), history.single.join(", ")),
    }
}
