//! Whatever happened in a run, every scenario × stack × side is in the report, with a value or a reason.

mod synthetic;

use proptest::prelude::*;
use proptest::sample::Index;
use tlslab_estimate::{Metric, Report};
use tlslab_record::{Proof, StackState};
use tlslab_report::{Further, csv, json, markdown, terminal};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_cell_vanishes(
        seed in any::<u64>(),
        rounds in 0_u32..3,
        lost_cells in prop::collection::vec(any::<Index>(), 0..6),
        turned in prop::collection::vec((any::<Index>(), any::<bool>()), 0..6),
        cut in prop::collection::vec(any::<Index>(), 0..10),
        lost_samples in prop::collection::vec(any::<Index>(), 0..200),
        empty_samples in prop::collection::vec(any::<Index>(), 0..20),
        broken_stack in prop::option::of(0_usize..4),
        baseline in prop::sample::select(vec!["openssl-3.5.4", "wolfssl-5.8.2", "nobody"]),
        confidence in prop::sample::select(vec![0.5, 0.99, 1.5]),
    ) {
        let mut record = synthetic::run(seed, rounds, 2);
        record.plan.baseline = baseline.to_owned();
        record.plan.policy.confidence = confidence;
        if let Some(stack) = broken_stack {
            record.plan.stacks[stack].state = StackState::Failed("broken".to_owned());
        }
        for at in lost_cells {
            record.cells.remove(at.index(record.cells.len()));
        }
        for (at, unsupported) in turned {
            let at = at.index(record.cells.len());
            let reason = "because".to_owned();
            record.cells[at].proof =
                if unsupported { Proof::Unsupported(reason) } else { Proof::Failed(reason) };
        }
        for at in cut.iter().filter(|_| rounds > 0) {
            let at = at.index(record.visits.len());
            record.visits[at].complete = false;
        }
        for at in empty_samples.iter().filter(|_| rounds > 0) {
            let at = at.index(record.samples.len());
            record.samples[at].measurement.iterations = 0;
        }
        for at in &lost_samples {
            if !record.samples.is_empty() {
                record.samples.remove(at.index(record.samples.len()));
            }
        }

        let report = Report::of(&record);
        for scenario in &report.scenarios {
            let speed = scenario.family.speed();
            for stack in &report.stacks {
                for &side in scenario.resolved.work.sides() {
                    for metric in [Metric::Time, speed] {
                        let cell = report.cell(scenario.name(), &stack.name, side, metric);
                        prop_assert!(cell.is_some(), "{} {} {side} {metric}", scenario.name(), stack.name);
                        let outcome = &cell.unwrap().outcome;
                        prop_assert!(outcome.measured().is_some() || !outcome.hole().unwrap().1.is_empty());
                    }
                }
            }
        }
        for cell in &report.cells {
            if let Some(measured) = cell.outcome.measured() {
                let estimated = &measured.estimated;
                prop_assert!(estimated.value.is_finite() && estimated.n > 0);
                prop_assert!(estimated.interval.is_some() != estimated.no_interval.is_some());
                if let Some(interval) = estimated.interval {
                    prop_assert!(interval.lower <= estimated.value && estimated.value <= interval.upper);
                }
                let is_baseline = cell.stack == report.run.baseline;
                prop_assert!(is_baseline || measured.ratio.is_some() != measured.no_ratio.is_some());
            }
        }
        let text = terminal(&report, &Further::default(), 80, false);
        let page = markdown(&report);
        for scenario in &report.scenarios {
            prop_assert!(text.contains(scenario.name()), "{}", scenario.name());
            prop_assert!(page.contains(scenario.name()), "{}", scenario.name());
        }
        prop_assert_eq!(csv(&report).matches("\r\n").count(), report.cells.len() + 1);
        let _ = serde_json::from_str::<Report>(&json(&report)).unwrap();
    }
}
