//! What readers see.

mod synthetic;

use synthetic::{Asked, CONFIRMATION, LOOKS, record};
use tlslab_comparison::{
    Acknowledgement, ClassPoints, Comparison, FailOn, MARKDOWN_LIMIT, Outcome, Reason, Tracked, Verdict,
    Version, json, judge, markdown, sentence, terminal,
};
use tlslab_record::Proof;

fn comparison(scenarios: usize) -> Comparison {
    let mut effects = vec![[0.0, 0.0]; scenarios];
    effects[1] = [0.0, 0.021];
    effects[2] = [-0.04, 0.0];
    let asked = Asked { seed: 3, effects, spread: 0.003, rounds: LOOKS[1] + CONFIRMATION };
    let mut record = record(&asked);
    record.cells[1].proof = Proof::Unsupported("no <such> group | @everyone".to_owned());
    let mut comparison = judge(&record).unwrap();
    for change in &mut comparison.changes {
        if let Outcome::Compared(effect) = &mut change.outcome
            && effect.verdict.is_flagged()
        {
            effect.reasons = vec![Reason { function: "mul<u64>".to_owned(), change: 1234.0 }];
        }
    }
    comparison
}

#[test]
fn for_a_terminal() {
    insta::assert_snapshot!(terminal(&comparison(4), true));
}

#[test]
fn for_a_pull_request() {
    insta::assert_snapshot!(markdown(&comparison(4)));
}

/// The same with a history of ten points for every cell, in which changes are significant above this, as |ln ratio|.
fn with_history(threshold: f64) -> Comparison {
    let mut tracked = comparison(4);
    for change in &mut tracked.changes {
        if let Outcome::Compared(effect) = &mut change.outcome {
            effect.tracked = Some(Tracked { threshold, points: 10 });
            effect.points = vec![
                ClassPoints { class: "A".to_owned(), points: 10, comparable: true },
                ClassPoints { class: "B".to_owned(), points: 7, comparable: false },
            ];
        }
    }
    tracked
}

/// Which of `regression`, `change` and `any-regression` it fails on.
fn fails_on(comparison: &Comparison) -> [bool; 3] {
    [FailOn::Regression, FailOn::Change, FailOn::AnyRegression].map(|fail_on| comparison.fails_on(fail_on))
}

#[test]
fn one_rule_decides_what_is_marked_and_what_fails() {
    // The regression is 2.1 %, the improvement 4 %.
    let above = with_history(0.01);
    assert_eq!(fails_on(&above), [true; 3]);
    let text = markdown(&above);
    assert!(
        text.contains("🔴") && text.contains("above its own threshold of 1.01 % from 10 points"),
        "{text}"
    );

    let between = with_history(0.03);
    assert_eq!(between.highlighted().len(), 1);
    assert_eq!(between.highlighted()[0].verdict(), Some(Verdict::Improvement));
    assert_eq!((between.flagged().len(), between.below_own_threshold()), (2, 1));
    assert_eq!(fails_on(&between), [false, true, true]);
    let text = markdown(&between);
    let (first, folded) = text.split_once("<details>").unwrap();
    assert!(first.contains("1 improvement") && !text.contains("🔴"), "{text}");
    assert!(folded.contains("below its own threshold of 3.05 % from 10 points"), "{text}");
    assert!(
        folded.contains(
            "6 of 6 cells have their own threshold, 3.05 % to 3.05 %, from at least 10 points of history."
        ),
        "{text}"
    );
    assert!(folded.contains("10 of A; 7 of B (not used: another runner class)"), "{text}");
    assert!(terminal(&between, false).contains("1 regression below the threshold of its history"));

    let below = with_history(0.05);
    assert_eq!(fails_on(&below), [false, false, true]);
    assert!(!markdown(&below).contains(['🔴', '🟢']));
    assert!(
        sentence(&below).contains("2 changes below the threshold of the cell's history"),
        "{}",
        sentence(&below)
    );

    // A long history is needed: without one the policy's floor decides.
    let without = comparison(4);
    assert_eq!((without.highlighted().len(), fails_on(&without)), (2, [true; 3]));
    assert!(markdown(&without).contains("above the policy's floor of 0.10 %"), "{}", markdown(&without));
}

#[test]
fn tiny_changes_fail_nothing_but_the_raw_rule() {
    let mut tiny = comparison(4);
    for change in &mut tiny.changes {
        if let Outcome::Compared(effect) = &mut change.outcome {
            effect.tiny = effect.verdict.is_flagged();
        }
    }
    assert_eq!(fails_on(&tiny), [false, false, true]);
}

#[test]
fn what_is_acknowledged_is_shown_and_fails_nothing_until_it_is_larger() {
    let acknowledged = |up_to: f64| {
        let mut all = with_history(0.01);
        for change in &mut all.changes {
            if let Outcome::Compared(effect) = &mut change.outcome {
                let text = "needed for a fix".to_owned();
                effect.acknowledged = Some(Acknowledgement { text, up_to });
            }
        }
        all
    };
    let whole = acknowledged(1.022);
    assert_eq!(fails_on(&whole), [false, true, false], "the improvement is a change");
    let text = markdown(&whole);
    let (first, _) = text.split_once("<details>").unwrap();
    assert!(first.contains("1 acknowledged regression") && !first.contains("🔴"), "{text}");
    assert!(first.contains("acknowledged: needed for a fix"), "{text}");
    assert!(terminal(&whole, false).contains("acknowledged: needed for a fix"));
    let part = acknowledged(1.005);
    assert_eq!(fails_on(&part), [true; 3]);
    let text = markdown(&part);
    assert!(text.contains("🔴") && text.contains("only +0.50 % is acknowledged: needed for a fix"), "{text}");
}

#[test]
fn a_reader_is_shown_how_a_regression_is_acknowledged() {
    let mut named = comparison(4);
    assert!(!markdown(&named).contains("tlslab acknowledge"));
    named.pairs[0].version = Some(Version { stack: "a b".to_owned(), label: "0123456789ab".to_owned() });
    let largest = named.marked(Verdict::Regression)[0].effect().unwrap().ratio;
    let text = terminal(&named, false);
    let command = text.lines().find(|line| line.contains("tlslab acknowledge 'a b' '0123456789ab'")).unwrap();
    let up_to: f64 = command.trim_end_matches('`').split_whitespace().last().unwrap().parse().unwrap();
    assert!((0.0..0.02).contains(&(up_to - 100.0 * (largest - 1.0))), "{command}: {largest}");
}

#[test]
fn json_comes_back_as_it_was() {
    let comparison = comparison(4);
    let again: Comparison = serde_json::from_str(&json(&comparison)).unwrap();
    assert_eq!(again, comparison);
}

#[test]
fn a_comment_sums_up_rather_than_being_cut() {
    let mut large = comparison(4);
    let cells = large.changes.clone();
    for copy in 0..300 {
        large.changes.extend(cells.iter().cloned().map(|mut change| {
            change.scenario = format!("{} of copy {copy} with a name that takes some room", change.scenario);
            change
        }));
    }
    let text = markdown(&large);
    assert!(text.chars().count() <= MARKDOWN_LIMIT, "{}", text.chars().count());
    assert!(text.contains("cells with smaller changes; `comparison.json` has them"), "{text}");
    // The part before the folds is short.
    let (first, _) = text.split_once("<details>").unwrap();
    assert!(first.lines().count() < 25, "{first}");
    // No mention of anybody, as a stack's name may look like one: an invisible joiner separates the letters.
    let first = text.lines().next().unwrap().replace(['\u{2060}', '`'], "");
    let bold = first.strip_prefix("**").unwrap().split("**").next().unwrap();
    assert!(sentence(&large).starts_with(bold) && bold.contains("301 regressions (up to "), "{first}");
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    // Every line of a table is whole.
    assert!(text.lines().filter(|line| line.starts_with('|')).all(|line| line.ends_with('|')));
}

/// The same change in many cells is one line, and in Markdown each cell is in a fold.
#[test]
fn cells_that_say_the_same_share_a_line() {
    let asked =
        Asked { seed: 3, effects: vec![[-0.04, -0.03]; 6], spread: 0.003, rounds: LOOKS[1] + CONFIRMATION };
    let mut comparison = judge(&record(&asked)).unwrap();
    for change in &mut comparison.changes {
        if let Outcome::Compared(effect) = &mut change.outcome {
            effect.reasons = vec![Reason { function: "locate".to_owned(), change: -70.0 }];
        }
    }
    assert_eq!(comparison.highlighted().len(), 12);
    insta::assert_snapshot!(terminal(&comparison, false));
    assert_eq!(terminal(&comparison, true).matches("-> ").count(), 12);
    let text = markdown(&comparison);
    let (first, folded) = text.split_once("<details>").unwrap();
    assert_eq!(first.matches("| 12 cells of handshake/\\*, both sides |").count(), 1, "{first}");
    assert_eq!(folded.matches("| handshake/").count(), 12, "{folded}");

    // Another function, and a change three times as large, have lines of their own.
    for (at, change) in comparison.changes.iter_mut().enumerate() {
        if let Outcome::Compared(effect) = &mut change.outcome {
            match at {
                0 => effect.ratio = 0.88,
                1 => effect.reasons[0].function = "copy".to_owned(),
                _ => {}
            }
        }
    }
    let text = terminal(&comparison, false);
    assert!(text.contains("10 cells of handshake/*, both sides") && text.contains("copy −70"), "{text}");
    assert!(text.contains("handshake/0, client  time: −12.0 %"), "{text}");
}
