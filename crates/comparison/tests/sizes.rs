//! Verdicts on sizes, which are read once.

mod synthetic;

use synthetic::{Asked, record};
use tlslab_comparison::{Compared, Verdict, judge, judge_runs, markdown};
use tlslab_protocol::Measure;
use tlslab_record::{Plan, RunRecord, SizeOutcome, StackSize};

fn sized(bytes: [u64; 2]) -> RunRecord {
    let mut record = record(&Asked { seed: 7, effects: vec![], spread: 0.003, rounds: 1 });
    record.plan.metrics = vec![Measure::Size];
    record.plan.scenarios.clear();
    let none = || SizeOutcome::Unsupported { unsupported: "static".to_owned() };
    let of = |stack: usize| StackSize {
        stack,
        text: SizeOutcome::Read { bytes: bytes[stack] },
        data: SizeOutcome::Read { bytes: 5_000 },
        shared: none(),
        build_s: Some(1.0 + stack as f64),
    };
    record.plan.sizes = vec![of(0), of(1)];
    record
}

fn verdicts(record: &RunRecord) -> Vec<(Compared, Verdict)> {
    let comparison = judge(record).unwrap();
    comparison.changes.iter().map(|change| (change.metric, change.verdict().unwrap())).collect()
}

#[test]
fn any_byte_is_a_change_and_the_floor_decides_whether_it_matters() {
    let data = (Compared::DataSize, Verdict::NotSignificant);
    for (bytes, verdict) in [
        ([1_000_000, 1_000_000], Verdict::NotSignificant),
        ([1_000_000, 1_000_001], Verdict::Changed),
        ([1_000_000, 1_020_000], Verdict::Regression),
        ([1_000_000, 980_000], Verdict::Improvement),
    ] {
        assert_eq!(verdicts(&sized(bytes)), [(Compared::CodeSize, verdict), data], "{bytes:?}");
    }
}

#[test]
fn a_size_has_no_side_and_builds_have_no_verdict() {
    let comparison = judge(&sized([1_000_000, 1_020_000])).unwrap();
    let change = serde_json::to_value(&comparison.changes[0]).unwrap();
    assert_eq!(change["scenario"], "library");
    assert!(change.get("side").is_none(), "{change}");
    let text = markdown(&comparison);
    assert!(text.contains("| library | code size | +2.00 %, exact |"), "{text}");
    let all = serde_json::to_string(&comparison).unwrap();
    assert!(!all.contains("build_s"), "{all}");
}

#[test]
fn a_stack_without_a_size_has_a_reason() {
    let mut record = sized([1, 2]);
    record.plan.sizes[1].text = SizeOutcome::Unsupported { unsupported: "a script".to_owned() };
    let text = markdown(&judge(&record).unwrap());
    assert!(text.contains("unsupported: a script"), "{text}");
}

#[test]
fn two_recorded_runs_have_their_sizes_compared() {
    let (before, after) = (sized([1_000_000, 7]), sized([1_020_000, 7]));
    let comparison = judge_runs(&before, &after, &[(0, 0)]);
    let found: Vec<_> = comparison.changes.iter().map(|change| (change.metric, change.verdict())).collect();
    let expected = [
        (Compared::CodeSize, Some(Verdict::Regression)),
        (Compared::DataSize, Some(Verdict::NotSignificant)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn plans_without_sizes_are_read_as_they_were() {
    let mut record = sized([1, 2]);
    record.plan.sizes.clear();
    let text = serde_json::to_string(&record.plan).unwrap();
    assert!(!text.contains("\"sizes\""), "{text}");
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), record.plan);
}
