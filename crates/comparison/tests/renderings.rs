//! What readers see.

mod synthetic;

use synthetic::{Asked, CONFIRMATION, LOOKS, record};
use tlslab_comparison::{
    Comparison, MARKDOWN_LIMIT, Outcome, Reason, Tracked, Verdict, json, judge, markdown, sentence, terminal,
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

#[test]
fn what_lies_below_its_own_threshold_is_not_highlighted() {
    let mut tracked = comparison(4);
    // The regression is 2.1 %, the improvement 4 %.
    for change in &mut tracked.changes {
        if let Outcome::Compared(effect) = &mut change.outcome {
            effect.tracked = Some(Tracked { threshold: 0.03, points: 23 });
        }
    }
    let only = tracked.highlighted();
    assert_eq!(only.len(), 1);
    assert_eq!(only[0].verdict(), Some(Verdict::Improvement));
    assert_eq!((tracked.flagged().len(), tracked.below_own_threshold()), (2, 1));
    let text = markdown(&tracked);
    let (first, folded) = text.split_once("<details>").unwrap();
    assert!(first.contains("1 improvement") && !first.contains("🔴"), "{text}");
    assert!(folded.contains("below its own threshold of 3.05 % (23 points)"), "{text}");
    assert!(folded.contains("6 of 6 cells have one from at least 23 points"), "{text}");
    assert!(terminal(&tracked, false).contains("1 regression below the threshold of its history"));
    // A long history is needed: without one the fixed floor decides.
    assert_eq!(comparison(4).highlighted().len(), 2);
    for change in &mut tracked.changes {
        if let Outcome::Compared(effect) = &mut change.outcome {
            effect.tracked = Some(Tracked { threshold: 0.05, points: 23 });
        }
    }
    assert!(
        sentence(&tracked).contains("2 changes below the threshold of the cell's history"),
        "{}",
        sentence(&tracked)
    );
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
    assert!(text.contains("highlighted cells with smaller changes"), "{text}");
    // No mention of anybody, as a stack's name may look like one: the letters are apart by a joiner that nobody sees.
    let first = text.lines().next().unwrap().replace(['\u{2060}', '`'], "");
    assert_eq!(first, format!("**{}**", sentence(&large)));
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    // Every line of a table is whole.
    assert!(text.lines().filter(|line| line.starts_with('|')).all(|line| line.ends_with('|')));
}
