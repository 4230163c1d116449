//! Stacks that were run as other processors, as people read them.

mod synthetic;

use tlslab_estimate::Report;
use tlslab_record::{RunAs, StackIdentity};
use tlslab_report::{Further, markdown, terminal};

/// The second stack is the first one as a processor.
fn report(rounds: u32) -> Report {
    let mut record = synthetic::run(7, rounds, 3);
    let own = record.plan.stacks[0].name.clone();
    let as_old = &mut record.plan.stacks[1];
    as_old.name = format!("{own}+cpu-old");
    as_old.identity = Some(StackIdentity {
        processor: Some(RunAs { name: "old".to_owned(), title: "Old".to_owned(), ..RunAs::default() }),
        ..StackIdentity::default()
    });
    Report::of(&record)
}

#[test]
fn a_run_says_which_stack_loses_most_as_which_processor() {
    let report = report(10);
    let own = &report.processors[0].stack;
    let worst = report.processors.iter().filter_map(|one| one.ratio.as_ref().map(|ratio| (one, ratio)));
    let (worst, ratio) = worst.max_by(|one, other| one.1.value.total_cmp(&other.1.value)).unwrap();
    assert!(ratio.interval.unwrap().lower > 1.0, "the second stack is slower: {ratio:?}");
    let answer = format!("As old, {own} loses most: ");
    for text in [terminal(&report, &Further::default(), 160, false), markdown(&report)] {
        let line = text.lines().find(|line| line.contains(&answer)).unwrap_or_else(|| panic!("{text}"));
        assert!(line.contains(&format!(" in {}.", worst.scenario)), "{line}");
        let (_, table) = text.split_once("Time as another processor").unwrap();
        let row = table.lines().find(|line| line.contains(own)).unwrap();
        assert!(row.contains('±') || row.contains('['), "its interval: {row}");
    }
}

#[test]
fn without_intervals_nothing_is_said_to_be_lost() {
    let text = terminal(&report(2), &Further::default(), 120, false);
    assert!(text.contains("Time as another processor") && !text.contains("As old,"), "{text}");
}
