//! Programs that test features of a stack.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Outcome, Trial};

/// A program that each stack's driver can be, by another name, and a script for it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialOf {
    /// A few words.
    pub title: String,
    /// The run whose stacks are tested.
    pub measurement: String,
    /// The name by which the driver is started.
    pub program: String,
    /// The script, next to the document. Its one argument is the file that it writes: a line for each part,
    /// JSON of an [`Outcome`].
    pub script: String,
    /// How long it may take, s.
    #[serde(default = "ten_minutes")]
    pub timeout_s: u32,
}

fn ten_minutes() -> u32 {
    600
}

impl TrialOf {
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_name = |name: &str| !name.is_empty() && !name.contains('/') && !name.starts_with('.');
        let is_below = |path: &str| path.split('/').all(is_name);
        match () {
            _ if !is_name(&self.program) => Err("program is a name without folders".to_owned()),
            _ if !is_below(&self.script) => Err("script is a path below the document's folder".to_owned()),
            _ => Ok(()),
        }
    }
}

/// The output of a program.
///
/// # Errors
/// Fails on the first line that is not an outcome.
pub fn outcomes(text: &str) -> Result<Vec<Outcome>, String> {
    let read = |(at, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|cause| format!("line {} of what it wrote: {cause}", at + 1))
    };
    text.lines().enumerate().map(read).collect()
}

impl Trial {
    /// The parts that any stack has.
    pub fn parts(&self) -> Vec<&str> {
        let mut parts: Vec<&str> = Vec::new();
        for outcome in self.stacks.iter().flat_map(|stack| &stack.outcomes) {
            if !parts.contains(&outcome.part.as_str()) {
                parts.push(&outcome.part);
            }
        }
        parts
    }

    /// The title row, then a row for each stack: how many cases of each part passed, and which did not.
    pub fn lines(&self) -> Vec<Vec<String>> {
        let parts = self.parts();
        let own = |text: &str| text.to_owned();
        let head = [own("stack")].into_iter().chain(parts.iter().map(|part| own(part)));
        let mut lines = vec![head.chain([own("did not pass")]).collect::<Vec<_>>()];
        for of in &self.stacks {
            let cell = |part: &&str| match of.outcomes.iter().find(|outcome| outcome.part == **part) {
                Some(Outcome { passed, failed, skipped, .. }) => {
                    format!("{passed} passed, {failed} failed, {skipped} skipped")
                }
                None => format!("failed: {}", of.hole.as_deref().unwrap_or("it says nothing of this part")),
            };
            let failures: Vec<&str> =
                of.outcomes.iter().flat_map(|outcome| &outcome.failures).map(String::as_str).collect();
            let cells = [of.stack.clone()].into_iter().chain(parts.iter().map(cell));
            let described =
                if failures.is_empty() { of.hole.clone().unwrap_or_default() } else { failures.join(", ") };
            lines.push(cells.chain([described]).collect());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TrialOfStack;

    #[test]
    fn what_a_program_wrote_is_read_line_by_line() {
        let line = r#"{"part":"test_ssl","passed":2,"failed":1,"skipped":0,"failures":["a.b"]}"#;
        let read = outcomes(&format!("{line}\n")).unwrap();
        assert_eq!((read[0].passed, read[0].failures.as_slice()), (2, &["a.b".to_owned()][..]));
        let wrong = outcomes(&format!("{line}\n{{}}\n")).unwrap_err();
        assert!(wrong.starts_with("line 2 of what it wrote: missing field"), "{wrong}");
    }

    #[test]
    fn a_stack_that_says_nothing_keeps_its_row() {
        let outcome = Outcome { part: "one".to_owned(), passed: 3, failed: 0, skipped: 1, failures: vec![] };
        let hole = Some("it ended with status 1".to_owned());
        let trial = Trial {
            title: "tests".to_owned(),
            stacks: vec![
                TrialOfStack { stack: "a".to_owned(), outcomes: vec![outcome], hole: None },
                TrialOfStack { stack: "b".to_owned(), outcomes: vec![], hole },
            ],
        };
        let lines = trial.lines();
        assert_eq!(lines[1], ["a", "3 passed, 0 failed, 1 skipped", ""]);
        assert_eq!(lines[2][1], "failed: it ended with status 1");
    }
}
