//! Made-up series of releases.

use tlslab_record::{Better, Series};

use super::{Advice, Excess, Limits, ReleasePoint, ReleaseSeries};

const RELEASES: [&str; 5] = ["1.0", "1.9", "1.10", "2.0", "2.1"];

fn series(metric: &str, unit: &str, better: Better, values: &[Option<f64>]) -> ReleaseSeries {
    let text = str::to_owned;
    let series = Series {
        scenario: text("handshake/1.3"),
        stack: text("library"),
        side: text("client"),
        metric: text(metric),
        unit: text(unit),
        class: text("some processor"),
    };
    let point = |(label, value): (&&str, &Option<f64>)| {
        let (label, is_other_driver) = ((*label).to_owned(), false);
        Some(ReleasePoint { label, value: (*value)?, stretch: 0, is_other_driver })
    };
    ReleaseSeries { series, better, releases: RELEASES.iter().zip(values).filter_map(point).collect() }
}

fn instructions(values: &[f64]) -> ReleaseSeries {
    let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    series("count.instructions", "instructions", Better::Smaller, &values)
}

fn advise(series: &[ReleaseSeries]) -> Advice {
    let releases: Vec<&str> =
        RELEASES.into_iter().filter(|label| series.iter().any(|one| one.has(label))).collect();
    Advice::of("library", &releases, series, 0, &Limits::default())
}

fn skipped(advice: &Advice) -> Vec<&str> {
    advice.skip.iter().map(|one| one.label.as_str()).collect()
}

fn labels(excess: &Excess) -> (&str, &str, Option<&str>, Option<&str>) {
    let label = |value: &Option<super::ReleaseValue>| value.clone().map(|value| value.label);
    let (later, back) = (label(&excess.later), label(&excess.back));
    let known = |label: Option<String>| RELEASES.into_iter().find(|one| Some(*one) == label.as_deref());
    (&excess.before.label, &excess.here.label, known(later), known(back))
}

#[test]
fn a_step_up_and_back_is_skipped() {
    let advice = advise(&[instructions(&[100.0, 220.0, 210.0, 102.0, 101.0])]);
    assert_eq!(skipped(&advice), ["1.9", "1.10"]);
    let worst = &advice.skip[0].because[0];
    assert_eq!(labels(worst), ("1.0", "1.9", Some("2.1"), Some("2.0")));
    assert_eq!(worst.times, Some(220.0 / 101.0), "the best later release is closer than the one before");
    let move_to = advice.move_to.unwrap();
    assert_eq!((&*move_to.label, move_to.is_newest, move_to.near_best), ("2.1", true, 1));
    assert!(move_to.still.is_empty() && move_to.passed_over.is_empty());
}

#[test]
fn a_step_that_comes_back_in_part_is_skipped_and_lasts() {
    let advice = advise(&[instructions(&[100.0, 220.0, 150.0, 150.0, 140.0])]);
    assert_eq!(skipped(&advice), ["1.9"], "1.10 is less than 10 % above 2.1");
    assert_eq!(labels(&advice.skip[0].because[0]), ("1.0", "1.9", Some("2.1"), None));
    let move_to = advice.move_to.unwrap();
    assert_eq!((&*move_to.label, &*move_to.still[0].since), ("2.1", "1.9"));
    assert_eq!(move_to.still[0].excess.times, Some(1.4));
    assert_eq!(advice.best.unwrap().label, "1.0");
}

#[test]
fn a_step_up_that_never_comes_back_is_none_to_skip() {
    let advice = advise(&[instructions(&[100.0, 100.0, 150.0, 151.0, 150.0])]);
    assert!(advice.skip.is_empty(), "no later release is better");
    assert_eq!(labels(advice.largest_step.as_ref().unwrap()), ("1.9", "1.10", Some("2.1"), None));
    let move_to = advice.move_to.unwrap();
    assert_eq!((&*move_to.label, &*move_to.still[0].since), ("2.1", "1.10"));
    // 1.0 and 1.9 are equal; the newer of them is named.
    assert_eq!(advice.best.unwrap().label, "1.9");
}

#[test]
fn the_newest_release_is_passed_over_if_it_steps_up() {
    let advice = advise(&[instructions(&[100.0, 90.0, 90.0, 90.0, 120.0])]);
    assert!(advice.skip.is_empty());
    let move_to = advice.move_to.unwrap();
    assert_eq!((&*move_to.label, move_to.is_newest), ("2.0", false));
    assert_eq!(labels(&move_to.passed_over[0]), ("2.0", "2.1", None, None));
}

#[test]
fn only_improvements_leave_nothing_to_skip() {
    let advice = advise(&[instructions(&[100.0, 80.0, 60.0, 40.0, 20.0])]);
    assert!(advice.skip.is_empty() && advice.largest_step.is_none());
    assert_eq!(advice.move_to.unwrap().label, "2.1");
    assert_eq!(advice.best.unwrap().label, "2.1");
}

#[test]
fn one_release_has_no_answer() {
    let advice = advise(&[instructions(&[100.0])]);
    assert_eq!((advice.releases.len(), advice.series, advice.unjudged), (1, 0, 1));
    assert!(advice.skip.is_empty() && advice.move_to.is_none() && advice.best.is_none());
}

#[test]
fn missing_cells_are_no_values() {
    let partial =
        series("count.instructions", "instructions", Better::Smaller, &[Some(100.0), None, Some(130.0)]);
    let whole = series("heap.peak", "bytes", Better::Smaller, &[Some(90e3); 5]);
    let advice = advise(&[partial.clone(), whole.clone()]);
    // In the partial series no later release of 1.10 is known, and 1.9 is unknown.
    assert!(advice.skip.is_empty());
    let move_to = advice.move_to.unwrap();
    assert_eq!((&*move_to.label, move_to.series, move_to.near_best), ("2.1", 1, 1));
    // A release needs values in half of the series to be one to move to.
    let advice = advise(&[partial.clone(), partial, whole]);
    assert_eq!(advice.move_to.unwrap().label, "1.0", "1.10 steps up, 1.9 has one value of three");
}

#[test]
fn larger_rates_are_better() {
    let rate = |values: [f64; 5]| series("throughput", "MB/s", Better::Larger, &values.map(Some));
    let advice = advise(&[rate([100.0, 50.0, 99.0, 99.0, 110.0])]);
    assert_eq!(skipped(&advice), ["1.9"]);
    let worst = &advice.skip[0].because[0];
    assert_eq!(labels(worst), ("1.0", "1.9", Some("2.1"), Some("1.10")));
    assert_eq!(worst.times, Some(2.0));
    assert!(advise(&[rate([50.0, 60.0, 70.0, 80.0, 90.0])]).largest_step.is_none());
    let unknown = series("score", "", Better::Unknown, &[Some(1.0), Some(9.0), Some(1.0)]);
    assert_eq!(advise(&[unknown]).unjudged, 1);
}

#[test]
fn negligible_differences_condemn_nothing() {
    let few =
        |values: [f64; 5]| series("contention.atomics", "operations", Better::Smaller, &values.map(Some));
    assert!(advise(&[few([4.0, 90.0, 12.0, 12.0, 4.0])]).skip.is_empty());
    let advice = advise(&[few([0.0, 9000.0, 600.0, 600.0, 600.0])]);
    assert_eq!(skipped(&advice), ["1.9"]);
    assert_eq!(advice.skip[0].because[0].times, Some(15.0));
    let heap = series("heap.peak", "bytes", Better::Smaller, &[40.0, 290.0, 40.0].map(Some));
    assert!(advise(&[heap]).skip.is_empty());
}

#[test]
fn stretches_are_never_compared() {
    let mut split = instructions(&[100.0, 500.0, 500.0, 100.0, 100.0]);
    for at in 1..5 {
        split.releases[at].stretch = 1 + at / 3;
    }
    let advice = advise(&[split.clone()]);
    assert!(advice.skip.is_empty() && advice.largest_step.is_none(), "{advice:?}");
    split.releases.iter_mut().for_each(|release| release.stretch = 0);
    split.releases[1].is_other_driver = true;
    let advice = advise(&[split]);
    assert_eq!(skipped(&advice), ["1.9", "1.10"]);
    assert!(advice.skip[0].because[0].is_other_driver);
}

#[test]
fn the_largest_excess_comes_first() {
    let small = instructions(&[100.0, 120.0, 100.0, 100.0, 100.0]);
    let mut large = instructions(&[100.0, 300.0, 100.0, 100.0, 100.0]);
    large.series.side = "server".to_owned();
    let advice = advise(&[small, large]);
    let sides: Vec<&str> = advice.skip[0].because.iter().map(|one| one.series.side.as_str()).collect();
    assert_eq!(sides, ["server", "client"]);
}
