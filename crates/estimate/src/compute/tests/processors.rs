//! Ratios of a stack as another processor over itself, worked out by hand.

use tlslab_record::{RunAs, StackIdentity};

use super::*;

/// `base`, and the same as a processor; per round and block, each one's time, ns.
fn run_as(rounds: &[[&[u64]; 2]]) -> RunRecord {
    let mut record = record(Work::Handshake);
    record.plan.stacks[1] = StackRecord {
        identity: Some(StackIdentity {
            processor: Some(RunAs { name: "old".to_owned(), title: "Old".to_owned(), ..RunAs::default() }),
            ..StackIdentity::default()
        }),
        ..stack("base+cpu-old")
    };
    for (round, blocks) in rounds.iter().enumerate() {
        visit(&mut record, round as u32, *blocks);
    }
    record
}

#[test]
fn a_stack_as_another_processor_is_paired_with_itself_by_block() {
    // The machine slows down from block to block.
    let rounds: [[&[u64]; 2]; 4] = [
        [&[1_000, 3_000], &[2_500, 7_500]],
        [&[2_000, 4_000], &[5_000, 10_000]],
        [&[500, 5_000], &[1_250, 12_500]],
        [&[700, 70], &[1_750, 175]],
    ];
    let report = Report::of(&run_as(&rounds));
    let [client, server] = &report.processors[..] else { panic!("{:?}", report.processors) };
    assert_eq!((client.stack.as_str(), client.processor.as_str()), ("base", "old"));
    assert_eq!((client.scenario.as_str(), client.side, server.side), ("one", Side::Client, Side::Server));
    let ratio = client.ratio.as_ref().unwrap();
    assert!((ratio.value - 2.5).abs() < 1e-12 && ratio.n == 4, "{ratio:?}");
    let interval = ratio.interval.unwrap();
    assert!((interval.lower - 2.5).abs() < 1e-12 && (interval.upper - 2.5).abs() < 1e-12);
    assert!((server.ratio.as_ref().unwrap().value - 1.0).abs() < 1e-12);
}

#[test]
fn without_itself_a_stack_has_no_ratio_and_without_a_figure_a_reason() {
    let visits: [[&[u64]; 2]; 1] = [[&[1_000], &[2_000]]];
    let mut alone = run_as(&visits);
    alone.plan.stacks[0].name = "another".to_owned();
    assert!(Report::of(&alone).processors.is_empty());
    let mut failed = run_as(&visits);
    failed.cells[1].proof = Proof::Failed("it saw avx2".to_owned());
    let found = Report::of(&failed).processors;
    assert_eq!(found[0].ratio, None);
    assert_eq!(found[0].no_ratio.as_deref(), Some("base+cpu-old failed: it saw avx2"));
}
