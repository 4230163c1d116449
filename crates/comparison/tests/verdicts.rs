//! From samples to verdicts.

mod synthetic;

use synthetic::{Asked, CONFIRMATION, LOOKS, record};
use tlslab_comparison::{
    Change, Compared, FailOn, Flagged, Outcome, Verdict, judge, judge_runs, open, to_confirm,
};
use tlslab_contention::{Contention, Step};
use tlslab_protocol::{Measure, Side};
use tlslab_record::{
    CONFIRMING_PROCESSES, FIRST_PROCESSES, Proof, RunRecord, StackState, Weighed, Weight, WeightKind,
};

const ALL: u32 = LOOKS[1] + CONFIRMATION;

fn ask(effects: Vec<[f64; 2]>) -> Asked {
    Asked { seed: 7, effects, spread: 0.003, rounds: ALL }
}

#[test]
fn a_change_is_found_on_its_side_and_nothing_else_is() {
    let mut effects = vec![[0.0, 0.0]; 8];
    effects[2] = [0.0, 0.02];
    effects[5] = [-0.03, 0.0];
    let comparison = judge(&record(&ask(effects))).unwrap();
    let flagged: Vec<_> = comparison
        .flagged()
        .iter()
        .map(|change| (change.scenario.clone(), change.side, change.verdict().unwrap()))
        .collect();
    assert_eq!(
        flagged,
        [
            ("handshake/5".to_owned(), Some(Side::Client), Verdict::Improvement),
            ("handshake/2".to_owned(), Some(Side::Server), Verdict::Regression),
        ]
    );
    let effect = comparison.flagged()[1].effect().unwrap();
    let interval = effect.interval.unwrap();
    assert!(interval.lower < 1.0202 && 1.0202 < interval.upper, "{interval:?}");
    assert!(interval.upper - interval.lower < 0.01, "{interval:?}");
    assert!(effect.confirmation.as_ref().unwrap().agrees);
    assert_eq!(comparison.changes.len(), 16);
    assert!(comparison.changes.iter().all(|change| change.metric == Compared::Time));
}

#[test]
fn a_clear_change_is_decided_at_the_first_look_and_a_small_one_waits() {
    let effects = vec![[0.05, 0.05], [0.0, 0.004]];
    let mut first = record(&Asked { rounds: LOOKS[0], ..ask(effects.clone()) });
    first.complete = false;
    let still_open = open(&first);
    assert!(!still_open.contains(&(0, 0)), "a change of 5 % is plain");
    assert!(still_open.contains(&(1, 0)) && still_open.contains(&(1, 1)), "{still_open:?}");
    let mut all = record(&Asked { rounds: LOOKS[1], ..ask(effects) });
    all.complete = false;
    assert!(open(&all).is_empty());
    let Flagged { timed, counted, weighed } = to_confirm(&all);
    assert!(timed.contains(&(0, 0)) && timed.contains(&(0, 1)));
    assert!(counted.is_empty() && weighed.is_empty());
    // Before the confirmation there is no regression.
    let comparison = judge(&all).unwrap();
    assert_eq!(comparison.count(Verdict::Regression), 0);
    let effect = comparison.changes[0].effect().unwrap();
    assert!(effect.note.as_ref().unwrap().contains("not confirmed yet"), "{effect:?}");
}

/// A comparison of contention: the server's serial instructions of both stacks in each process.
fn contending(processes: &[[u64; 2]]) -> RunRecord {
    let mut record = record(&Asked { rounds: 0, ..ask(vec![[0.0, 0.0]]) });
    record.plan.metrics = vec![Measure::Contention];
    for (process, both) in (0..).zip(processes) {
        for (stack, serial_instructions) in both.iter().copied().enumerate() {
            let step = Step { serial_instructions, ..Step::default() };
            let steps = [("server.handshake.1".to_owned(), step)].into();
            let found = Contention { connections: 1, threads: 2, steps, ..Contention::default() };
            let weighed = Weighed::Contention(Box::new(found));
            record.weights.push(Weight {
                scenario: 0,
                stack,
                kind: WeightKind::Contention,
                process,
                weighed,
            });
        }
    }
    record
}

#[test]
fn contention_that_differs_between_processes_is_confirmed_by_others() {
    let scattered: Vec<[u64; 2]> =
        [1_126_377, 1_126_274, 1_126_301, 1_126_290, 1_126_350, 1_126_333].map(|serial| [0, serial]).to_vec();
    assert_eq!(scattered.len() as u32, FIRST_PROCESSES + CONFIRMING_PROCESSES);
    let serial = |record: &RunRecord| {
        let changes = judge(record).unwrap().changes;
        let is_it = |change: &&Change| {
            change.metric == Compared::SerialInstructions && change.side == Some(Side::Server)
        };
        changes.iter().find(is_it).unwrap().effect().unwrap().clone()
    };
    let first = contending(&scattered[..FIRST_PROCESSES as usize]);
    assert_eq!(to_confirm(&first).weighed.len(), 2);
    assert_eq!(serial(&first).verdict, Verdict::Inconclusive);
    let all = contending(&scattered);
    let effect = serial(&all);
    assert_eq!((effect.verdict, effect.n), (Verdict::Regression, 6));
    let comparison = judge(&all).unwrap();
    assert!(tlslab_comparison::markdown(&comparison).contains("| from zero |"), "no ratio of nothing");
    // A change that the other seeds do not show was random; one that is the same for all needs no others.
    let not_again = [&scattered[..2], &[[0, 0]; 4]].concat();
    assert_eq!(serial(&contending(&not_again)).verdict, Verdict::Inconclusive);
    assert!(to_confirm(&contending(&[[3_587, 0]; 2])).weighed.is_empty());
    assert_eq!(serial(&contending(&[[3_587, 0]; 2])).verdict, Verdict::Improvement);
}

#[test]
fn what_a_second_measurement_does_not_show_is_not_called_a_change() {
    let effects = vec![[0.02, 0.0]];
    let mut changed = record(&Asked { rounds: LOOKS[1], ..ask(effects) });
    let calm = record(&Asked { seed: 8, ..ask(vec![[0.0, 0.0]]) });
    // The rounds of confirmation are those of a record without a change.
    changed.visits.extend(calm.visits.iter().filter(|visit| visit.round >= LOOKS[1]).cloned());
    changed.samples.extend(calm.samples.iter().filter(|sample| sample.round >= LOOKS[1]).cloned());
    let comparison = judge(&changed).unwrap();
    assert!(comparison.flagged().is_empty());
    let effect = comparison.changes[0].effect().unwrap();
    assert_eq!(effect.verdict, Verdict::Inconclusive);
    assert!(!effect.confirmation.as_ref().unwrap().agrees);
}

#[test]
fn the_same_code_is_said_to_be_the_same() {
    let mut record = record(&ask(vec![[0.03, 0.0]]));
    record.plan.comparison.as_mut().unwrap().pairs[0].identical = true;
    let comparison = judge(&record).unwrap();
    assert_eq!(comparison.count(Verdict::Identical), 2);
    assert!(tlslab_comparison::sentence(&comparison).contains("identical binary"));
}

#[test]
fn a_cell_that_either_lacks_is_listed_with_its_reason() {
    let mut record = record(&ask(vec![[0.0, 0.0]; 3]));
    record.cells[3].proof = Proof::Unsupported("no such group".to_owned());
    record.cells.retain(|cell| (cell.scenario, cell.stack) != (2, 0));
    let comparison = judge(&record).unwrap();
    assert_eq!(comparison.missing().count(), 4);
    let Outcome::Missing { baseline_missing, candidate_missing } = &comparison.changes[2].outcome else {
        panic!()
    };
    assert_eq!((baseline_missing, candidate_missing.as_deref()), (&None, Some("unsupported: no such group")));
    assert!(comparison.has_failures(), "a cell that was never proven has failed");
    // A candidate that was not built is the only reason; the baseline was not tried.
    record.plan.stacks[1].state = StackState::Failed("not built: no source\n  log: l".to_owned());
    record.cells.clear();
    record.plan.metrics = vec![Measure::Time, Measure::Count];
    let comparison = judge(&record).unwrap();
    assert_eq!(comparison.changes.len(), 12, "times and counts");
    for change in &comparison.changes {
        let Outcome::Missing { baseline_missing, candidate_missing } = &change.outcome else { panic!() };
        let reason = "failed: the stack did not take part: not built: no source";
        assert_eq!((baseline_missing, candidate_missing.as_deref()), (&None, Some(reason)));
    }
    assert!(comparison.has_failures());
}

#[test]
fn runs_made_apart_are_held_to_a_higher_floor_and_share_a_reference_where_they_can() {
    let run =
        |seed, effect| RunRecord { ..record(&Asked { seed, rounds: 32, ..ask(vec![[effect, 0.0]; 4]) }) };
    // The second stack of both, by the first one, which is the same program in both.
    let comparison = judge_runs(&run(1, 0.0), &run(2, 0.1), &[(1, 1)]);
    let suspects = comparison.suspects();
    assert_eq!(suspects.len(), 4, "{}", tlslab_comparison::terminal(&comparison, true));
    assert!(suspects.iter().all(|change| change.side == Some(Side::Client)));
    assert!(suspects[0].effect().unwrap().note.as_ref().unwrap().contains("measured separately"));
    // Differences between runs are in no visit, so nothing fails.
    assert!(comparison.flagged().is_empty() && !comparison.fails_on(FailOn::Change));
    assert!(tlslab_comparison::sentence(&comparison).contains(": 4 suspected changes (up to +"));
    // A change below the floor does not count.
    let comparison = judge_runs(&run(1, 0.0), &run(2, 0.015), &[(1, 1)]);
    assert!(comparison.suspects().is_empty());
    let mut other = run(3, 0.0);
    other.plan.scenarios[0].name = "handshake/other".to_owned();
    let comparison = judge_runs(&run(1, 0.0), &other, &[(1, 1)]);
    assert_eq!(comparison.missing().count(), 4, "two sides that are new and two that are gone");
}

#[test]
fn false_alarms_are_rare_and_changes_are_found() {
    let (mut alarms, mut found) = (0, 0);
    for seed in 0..60 {
        let mut effects = vec![[0.0, 0.0]; 8];
        effects[0] = [0.005, 0.0];
        let comparison = judge(&record(&Asked { seed, ..ask(effects) })).unwrap();
        for change in comparison.flagged() {
            match (change.scenario.as_str(), change.side) {
                ("handshake/0", Some(Side::Client)) => found += 1,
                _ => alarms += 1,
            }
        }
    }
    // 60 comparisons of 15 cells without a change; 0.5 % at 0.3 % from round to round.
    assert!(alarms <= 1, "{alarms} false alarms");
    assert!(found >= 54, "found {found} of 60");
}

#[test]
fn where_processes_differ_visits_are_shorter_after_the_first_look() {
    let record = record(&Asked { seed: 3, effects: vec![[0.0, 0.0]], spread: 0.01, rounds: 16 });
    // Five blocks of 12 ms in 0.3 s, whose pairs of slices agree: three are enough.
    let lengths = tlslab_comparison::visit_lengths(&record);
    assert_eq!(lengths.len(), 1);
    assert!((lengths[&0] - (0.3 - 2.0 * 0.012)).abs() < 1e-3, "{lengths:?}");
    // Later rounds change nothing in it.
    let more = self::record(&Asked { seed: 3, effects: vec![[0.0, 0.0]], spread: 0.01, rounds: 32 });
    assert_eq!(tlslab_comparison::visit_lengths(&more), lengths);
}

#[test]
fn the_same_code_is_measured_until_the_first_look_and_not_confirmed() {
    let mut record = record(&Asked { seed: 3, effects: vec![[0.004, 0.004]], spread: 0.01, rounds: 16 });
    record.complete = false;
    assert!(!tlslab_comparison::open(&record).is_empty());
    record.plan.comparison.as_mut().unwrap().pairs[0].identical = true;
    assert!(tlslab_comparison::open(&record).is_empty());
    let mut whole = self::record(&Asked { seed: 3, effects: vec![[0.05, 0.05]], spread: 0.01, rounds: 32 });
    assert!(!tlslab_comparison::to_confirm(&whole).timed.is_empty());
    whole.plan.comparison.as_mut().unwrap().pairs[0].identical = true;
    assert!(tlslab_comparison::to_confirm(&whole).timed.is_empty());
}
