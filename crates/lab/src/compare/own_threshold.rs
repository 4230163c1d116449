//! Each cell's own threshold, from the history of its series.

use std::collections::HashMap;

use tlslab_comparison::{Change, Comparison, Metric, Outcome, Tracked};
use tlslab_figures::{epoch, runner_class};
use tlslab_history::{ENOUGH, ratio_threshold};
use tlslab_record::{HistoryPolicy, Plan, Point, Series, StackRecord, definition};
use tlslab_store::Store;
use tlslab_timeline::Timeline;

use crate::run::series_name;

/// Notes in every cell the threshold that its history has, if that is long enough: of times how far versions that were measured together
/// differ, of counts and memory the tolerance of the series.
///
/// # Errors
/// A database that cannot be read.
pub fn track(comparison: &mut Comparison, plan: &Plan, store: &dyn Store) -> anyhow::Result<()> {
    let known: Vec<Series> = store.series()?.into_iter().map(|one| one.series).collect();
    let class = runner_class(&plan.host);
    let stacks: HashMap<&str, &StackRecord> =
        plan.stacks.iter().map(|stack| (stack.name.as_str(), stack)).collect();
    let pairs = comparison.pairs.clone();
    for change in &mut comparison.changes {
        let Some(stack) = stacks.get(pairs[change.pair].new.as_str()) else { continue };
        let name = series_name(stack).name;
        let is_it = |one: &&Series| {
            let cell = one.scenario == change.scenario && one.side == change.side.name();
            cell && one.metric == change.metric.name() && one.stack == name && one.class == class
        };
        let Some(series) = known.iter().find(is_it) else { continue };
        let comparable = definition(&epoch(plan, &change.scenario, stack, change.metric.name()));
        let mut points = store.points(series)?;
        points.retain(|point| definition(&point.epoch) == comparable && point.run != plan.id);
        set(change, threshold(series, &points, &plan.policy.history));
    }
    Ok(())
}

fn set(change: &mut Change, tracked: Option<Tracked>) {
    if let Outcome::Compared(effect) = &mut change.outcome {
        effect.tracked = tracked;
    }
}

/// The threshold of a series with these points, which are oldest first.
fn threshold(series: &Series, points: &[Point], policy: &HistoryPolicy) -> Option<Tracked> {
    if series.metric == Metric::Time.name() {
        let ratios = ratios_within_runs(points);
        let threshold = ratio_threshold(&ratios, policy.new_run_alpha)?;
        return Some(Tracked { threshold, points: ratios.len() });
    }
    let timeline = Timeline::of(series.clone(), points, &[], policy);
    let points = timeline.points.len();
    let threshold = timeline.history?.threshold?;
    (points >= ENOUGH).then_some(Tracked { threshold, points })
}

/// The ratios, as logarithms, of the versions that follow each other in a run.
fn ratios_within_runs(points: &[Point]) -> Vec<f64> {
    let together = points.chunk_by(|a, b| a.run == b.run);
    let ratio = |pair: &[Point]| {
        let value = |point: &Point| point.outcome.value().map(|figure| figure.value);
        Some((value(&pair[1])? / value(&pair[0])?).ln())
    };
    together.flat_map(|run| run.windows(2)).filter_map(ratio).collect()
}

#[cfg(test)]
mod tests {
    use tlslab_record::{FigureOutcome, FigureValue};

    use super::*;

    fn series(metric: &str) -> Series {
        Series {
            scenario: "s".into(),
            stack: "library".into(),
            side: "client".into(),
            metric: metric.into(),
            unit: (if metric == "time" { "ns" } else { "instructions" }).into(),
            class: "c".into(),
        }
    }

    fn point(run: usize, place: u32, value: f64) -> Point {
        Point {
            run: format!("run{run}"),
            started_unix_ms: run as u64,
            stack: "library@1".into(),
            place,
            label: format!("{run}.{place}"),
            epoch: String::new(),
            outcome: FigureOutcome::Value(FigureValue {
                value,
                lower: Some(value),
                upper: Some(value),
                n: 3,
            }),
        }
    }

    #[test]
    fn times_are_compared_with_those_beside_them_alone() {
        // The machine is twice as fast in every other run; within each the versions differ by 0.2 %.
        let pairs = |run: usize| {
            let level = if run.is_multiple_of(2) { 100.0 } else { 50.0 };
            let sign = if run.is_multiple_of(3) { -1.0 } else { 1.0 };
            [point(run, 0, level), point(run, 1, level * (1.0 + sign * 0.002))]
        };
        let points: Vec<Point> = (0..12).flat_map(pairs).collect();
        let tracked = threshold(&series("time"), &points, &HistoryPolicy::default()).unwrap();
        assert_eq!(tracked.points, 12);
        assert!((0.006..0.012).contains(&tracked.threshold), "{tracked:?}");
        assert_eq!(threshold(&series("time"), &points[..18], &HistoryPolicy::default()), None);
    }

    #[test]
    fn counts_have_the_tolerance_of_their_series() {
        let points: Vec<Point> = (0..10).map(|run| point(run, 0, 1e6)).collect();
        let policy = HistoryPolicy::default();
        let tracked = threshold(&series("count.instructions"), &points, &policy).unwrap();
        assert_eq!(tracked, Tracked { threshold: policy.step_floor, points: 10 });
        assert_eq!(threshold(&series("count.instructions"), &points[1..], &policy), None);
    }
}
