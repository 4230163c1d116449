//! Baseline, candidate and change of a cell come from one estimator, whatever the distribution of the times.

mod synthetic;

use proptest::prelude::*;
use synthetic::{Asked, CONFIRMATION, LOOKS, record};
use tlslab_comparison::{Comparison, Outcome, Verdict, judge, markdown, sentence, terminal};

/// Every cell's candidate lies on the side of its baseline that its ratio and its verdict name.
fn agrees(comparison: &Comparison) {
    for effect in comparison.changes.iter().filter_map(|change| change.effect()) {
        let shown = (effect.candidate - effect.baseline).total_cmp(&0.0);
        assert_eq!(shown, (effect.ratio - 1.0).total_cmp(&0.0), "{effect:?}");
        assert!((effect.candidate / effect.baseline - effect.ratio).abs() < 1e-9, "{effect:?}");
        match effect.verdict {
            Verdict::Regression => assert!(effect.candidate > effect.baseline, "{effect:?}"),
            Verdict::Improvement => assert!(effect.candidate < effect.baseline, "{effect:?}"),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A share of the rounds runs at another speed, which medians of the unpaired times follow and the paired ratio does not.
    #[test]
    fn baseline_and_candidate_never_contradict_the_change(
        seed in 0_u64..1000,
        effect in -0.1..0.1_f64,
        slow in proptest::collection::vec(any::<[bool; 2]>(), (LOOKS[1] + CONFIRMATION) as usize),
        times in 1.5..4.0_f64,
    ) {
        let asked = Asked { seed, effects: vec![[effect, 0.0]; 2], spread: 0.004, rounds: LOOKS[1] + CONFIRMATION };
        let mut record = record(&asked);
        for sample in &mut record.samples {
            if slow[sample.round as usize][sample.stack] {
                let phases = &mut sample.measurement.client.phases;
                phases.handshake_ns = (phases.handshake_ns as f64 * times) as u64;
            }
        }
        agrees(&judge(&record).unwrap());
    }
}

/// A comparison whose candidate is a quarter slower in every third round of the first scenario.
fn of_two_kinds() -> Comparison {
    let asked = Asked { seed: 5, effects: vec![[0.0; 2]; 2], spread: 0.004, rounds: LOOKS[1] + CONFIRMATION };
    let mut record = record(&asked);
    for sample in record.samples.iter_mut().filter(|sample| sample.scenario == 0 && sample.stack == 1) {
        if sample.round % 3 == 0 {
            let phases = &mut sample.measurement.client.phases;
            phases.handshake_ns = (phases.handshake_ns as f64 * 1.25) as u64;
        }
    }
    judge(&record).unwrap()
}

#[test]
fn rounds_of_two_kinds_are_named_where_there_are_any() {
    let comparison = of_two_kinds();
    let found: Vec<_> = comparison
        .changes
        .iter()
        .filter(|change| change.effect().is_some_and(|effect| effect.groups.is_some()))
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].scenario, comparison.changes[0].scenario);
    let modes = found[0].effect().unwrap().groups.unwrap();
    assert!((modes.lower - 1.0).abs() < 0.01 && (modes.upper - 1.25).abs() < 0.01, "{modes:?}");
    assert!((modes.upper_share - 1.0 / 3.0).abs() < 0.05, "{modes:?}");
    let line = "rounds fall into two groups: 6";
    assert!(terminal(&comparison, true).contains(line), "{}", terminal(&comparison, true));
    assert!(markdown(&comparison).contains(line), "{}", markdown(&comparison));
}

#[test]
fn counts_have_separators_and_their_unit_once() {
    let mut comparison = judged();
    for change in &mut comparison.changes {
        change.metric = tlslab_comparison::Compared::Instructions;
        if let Outcome::Compared(effect) = &mut change.outcome {
            (effect.baseline, effect.candidate) = (39_153.0, 39_415.0);
        }
    }
    let text = terminal(&comparison, true);
    assert!(text.contains("  39,153 -> 39,415 instructions"), "{text}");
    assert_eq!(text.matches("instructions:").count(), text.matches(" instructions\n").count(), "{text}");
}

#[test]
fn a_tiny_change_is_folded_and_not_in_the_headline() {
    let mut comparison = judged();
    let flagged = comparison.flagged().len();
    assert!(flagged > 0 && comparison.tiny() == 0, "{}", sentence(&comparison));
    for change in &mut comparison.changes {
        if let Outcome::Compared(effect) = &mut change.outcome {
            effect.tiny = effect.verdict.is_flagged();
        }
    }
    assert_eq!(
        (comparison.tiny(), comparison.below_own_threshold(), comparison.highlighted().len()),
        (flagged, 0, 0)
    );
    let text = markdown(&comparison);
    let (first, folded) = text.split_once("<details>").unwrap();
    assert!(first.contains("tiny changes below 0.50 %") && !first.contains("Largest"), "{text}");
    assert!(!text.contains('🔴') && folded.contains("tiny, below the policy's floor of"), "{text}");
    assert!(
        terminal(&comparison, false).contains("2 tiny (regression below 0.50 %)"),
        "{}",
        terminal(&comparison, false)
    );
}

/// The first text of a comment.
#[test]
fn names_of_stacks_have_no_invisible_letters() {
    let mut comparison = judged();
    comparison.pairs[0].candidate = "library@path:https://a/#1".to_owned();
    let text = markdown(&comparison);
    assert!(text.starts_with("**`library@path:https://a/#1` against `"), "{text}");
}

fn judged() -> Comparison {
    judge(&record(&Asked {
        seed: 3,
        effects: vec![[0.03, 0.0], [0.03, 0.0]],
        spread: 0.003,
        rounds: LOOKS[1] + CONFIRMATION,
    }))
    .unwrap()
}
