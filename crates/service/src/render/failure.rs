//! A failure for a page: once, without the runner's folders.

use tlslab_pages::service::{LogLine, OutcomeView, StepView};

/// Names of a stack, a stage and a step before a failure.
const MOST_NAMES: usize = 3;

/// Parts of a path that are shown: the file and its folders.
const PARTS: usize = 3;

/// Folders of a runner or of somebody's home; only the last parts below them are informative.
const ROOTS: [&str; 8] = ["/home/", "/root/", "/var/", "/tmp/", "/srv/", "/opt/", "/run/", "/mnt/"];

/// A text in which absolute paths of a runner are shortened to their last parts.
pub(crate) fn without_folders(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = next_path(rest) {
        shown.push_str(&rest[..at]);
        let path = &rest[at..];
        let end = path.find(is_end).unwrap_or(path.len());
        shown.push_str(&shortened(&path[..end]));
        rest = &path[end..];
    }
    shown + rest
}

/// Where the next path begins: after a space, a quote or a bracket, never within a word or an address.
fn next_path(text: &str) -> Option<usize> {
    let starts = ROOTS.iter().flat_map(|root| text.match_indices(root)).map(|(at, _)| at);
    let is_start = |at: &usize| {
        text[..*at].chars().next_back().is_none_or(|before| is_end(before) || "=:".contains(before))
            && !text[..*at].ends_with("://")
    };
    starts.filter(is_start).min()
}

fn is_end(letter: char) -> bool {
    letter.is_whitespace() || "'\"`()[]{}<>,;|".contains(letter)
}

fn shortened(path: &str) -> String {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').filter(|part| !part.is_empty()).collect();
    match parts.len() > PARTS {
        true => format!("…/{}", parts[parts.len() - PARTS..].join("/")),
        false => path.to_owned(),
    }
}

/// A text without spaces and punctuation, to compare two programs' messages on one failure.
fn bare(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Whether a text, perhaps after the names of what failed, is contained in what is shown already.
fn is_said(text: &str, shown: &str) -> bool {
    let mut rest = Some(text);
    for _ in 0..=MOST_NAMES {
        let Some(text) = rest else { return false };
        let bare = bare(text);
        if !bare.is_empty() && shown.contains(&bare) {
            return true;
        }
        rest = text.split_once(": ").map(|(_, rest)| rest);
    }
    false
}

/// Each line of a text that is not shown already.
fn unsaid(text: &str, shown: &str) -> String {
    let lines = text.lines().filter(|line| !is_said(line, shown));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Removes repetitions of a failure's reason: from its outcome, from problems in its log, and from its steps.
pub(crate) fn once(
    reason: &str,
    outcome: &mut OutcomeView,
    problems: &mut Vec<LogLine>,
    steps: &mut [StepView],
) {
    let shown = bare(reason);
    if let Some(view) = &mut outcome.error {
        view.cause = unsaid(&view.cause, &shown);
    }
    outcome.summary.retain(|text| !is_said(text, &shown));
    outcome.error.take_if(|view| view.cause.is_empty() && view.next_step.is_empty());
    problems.retain_mut(|line| {
        if line.kind == "error" {
            line.text = unsaid(&line.text, &shown);
        }
        !line.text.is_empty()
    });
    for step in steps {
        if step.cause.contains('\n') || step.cause.len() > 200 {
            step.cause = step.cause.lines().next().unwrap_or_default().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use tlslab_pages::service::ErrorView;

    use super::*;

    #[test]
    fn folders_of_a_runner_are_left_out_and_addresses_stay() {
        let shown = without_folders(
            "cc '/var/lib/tlslab-runner/jobs/7/build/src/x.c': see /home/ann/.cache/log.txt (/tmp/a)",
        );
        assert_eq!(shown, "cc '…/build/src/x.c': see …/ann/.cache/log.txt (/tmp/a)");
        for same in ["https://host/home/o/n/x/y", "a/var/b/c/d/e", "", "no path"] {
            assert_eq!(without_folders(same), same);
        }
    }

    #[test]
    fn a_failure_is_said_once_and_what_else_is_known_stays() {
        let cause = "the build of s: driver: cargo ended with 101\nerror: no crate".to_owned();
        let mut outcome = OutcomeView {
            error: Some(ErrorView { cause, next_step: String::new() }),
            summary: vec!["s: failed in driver: cargo ended with 101".to_owned(), "t: built.".to_owned()],
            ..OutcomeView::default()
        };
        let line = |kind, text: &str| LogLine { kind, text: text.to_owned(), ..LogLine::default() };
        let mut problems = vec![
            line("error", "driver: cargo ended with 101 | error: no crate"),
            line("error", "something else"),
            line("warning", "driver: cargo ended with 101"),
        ];
        let mut steps =
            [StepView { cause: "cargo ended with 101\nerror: no crate".to_owned(), ..StepView::default() }];
        once("driver: cargo ended with 101\nerror: no crate", &mut outcome, &mut problems, &mut steps);
        assert_eq!((outcome.error, outcome.summary), (None, vec!["t: built.".to_owned()]));
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert_eq!(steps[0].cause, "cargo ended with 101");
    }
}
