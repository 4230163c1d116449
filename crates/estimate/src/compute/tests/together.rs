//! Ratios of scenarios, worked out by hand.

use super::*;

/// Two scenarios of one visit; per round and block, the client's time of `base` in either, ns.
fn pair(together: Vec<Vec<usize>>, rounds: &[[&[u64]; 2]]) -> RunRecord {
    let mut record = record(Work::Handshake);
    record.plan.scenarios.push(scenario("two", Work::Handshake));
    record.plan.together = together;
    let again: Vec<CellState> =
        record.cells.iter().map(|cell| CellState { scenario: 1, ..cell.clone() }).collect();
    record.cells.extend(again);
    for (round, of_scenarios) in rounds.iter().enumerate() {
        for (scenario, blocks) in of_scenarios.iter().enumerate() {
            let (visits, samples) = (record.visits.len(), record.samples.len());
            visit(&mut record, round as u32, [blocks, blocks]);
            record.visits[visits].scenario = scenario;
            record.samples[samples..].iter_mut().for_each(|sample| sample.scenario = scenario);
        }
    }
    record
}

fn ratio(report: &Report) -> crate::model::Estimated {
    report.scenario_ratio("base", ["two", "one"], Whose::Client, Metric::Time).unwrap()
}

#[test]
fn a_scenario_over_another_is_paired_by_block() {
    // The machine slows down from block to block; the second scenario takes 1.1 times as long in all but one block.
    let rounds: [[&[u64]; 2]; 4] = [
        [&[1_000, 3_000, 9_000], &[1_100, 3_300, 90_000]],
        [&[2_000, 4_000, 8_000], &[2_200, 4_400, 8_800]],
        [&[500, 5_000, 50_000], &[550, 5_500, 55_000]],
        [&[700, 70, 7_000], &[770, 77, 7_700]],
    ];
    let mut record = pair(vec![vec![0, 1]], &rounds);
    record.plan.estimator = tlslab_record::VisitEstimator::Median;
    let report = Report::of(&record);
    assert_eq!(report.together.len(), 1);
    assert_eq!(report.together[0].scenarios, ["one", "two"]);
    // Two stacks, two sides.
    assert_eq!(report.together[0].ratios.len(), 4);
    let found = ratio(&report);
    assert_eq!(found.n, 4);
    assert!((found.value - 1.1).abs() < 1e-12, "{found:?}");
    let interval = found.interval.expect("four visits suffice for 80 %");
    assert!((interval.lower - 1.1).abs() < 1e-12 && (interval.upper - 1.1).abs() < 1e-12);
    let turned = report.scenario_ratio("base", ["one", "two"], Whose::Client, Metric::Time).unwrap();
    assert!((turned.value - 1.0 / 1.1).abs() < 1e-12);
    // A report that is read again has the same; one of an earlier version has none.
    let text = serde_json::to_string(&report).unwrap();
    let read: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(read.together, report.together);
    let mut older: Value = serde_json::from_str(&text).unwrap();
    older.as_object_mut().unwrap().remove("together");
    assert!(serde_json::from_value::<Report>(older).unwrap().together.is_empty());
}

#[test]
fn slices_of_different_attempts_are_no_pairs() {
    let rounds: [[&[u64]; 2]; 5] = [[&[1_000, 1_000], &[2_000, 2_000]]; 5];
    let mut record = pair(vec![vec![0, 1]], &rounds);
    let is_it = |scenario: usize, round: u32| scenario == 1 && round == 2;
    for visit in record.visits.iter_mut().filter(|visit| is_it(visit.scenario, visit.round)) {
        visit.attempt = 1;
    }
    for sample in record.samples.iter_mut().filter(|sample| is_it(sample.scenario, sample.round)) {
        sample.attempt = 1;
    }
    assert_eq!(ratio(&Report::of(&record)).n, 4);
}

#[test]
fn without_a_group_there_is_no_ratio_and_a_hole_has_its_reason() {
    let rounds: [[&[u64]; 2]; 4] = [[&[1_000, 1_000], &[2_000, 2_000]]; 4];
    assert!(Report::of(&pair(vec![], &rounds)).together.is_empty());
    let mut record = pair(vec![vec![0, 1]], &rounds);
    let failed = Proof::Failed("it broke".to_owned());
    record.cells.push(CellState { scenario: 1, stack: 0, proof: failed });
    let report = Report::of(&record);
    let of = |stack: &str| report.together[0].ratios.iter().find(|one| one.stack == stack).unwrap();
    assert_eq!(of("base").ratio, None);
    assert_eq!(of("base").no_ratio.as_deref(), Some("two is failed: it broke"));
    assert!(of("other").ratio.is_some());
}
