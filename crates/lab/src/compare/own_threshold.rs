//! Each cell's own threshold, from the history of its series.

use std::collections::HashMap;

use tlslab_comparison::{Change, ClassPoints, Comparison, Metric, Outcome, Tracked, Version};
use tlslab_figures::{epoch, runner_class};
use tlslab_history::{ENOUGH, ratio_threshold, threshold_of};
use tlslab_record::{HistoryPolicy, Point, RunRecord, Series, StackRecord, definition};
use tlslab_store::Store;
use tlslab_timeline::Timeline;

use super::shown::{ShownIn, shown_to};
use crate::run::series_name;

/// Notes in every cell the threshold that its history has, if that is long enough: of times how far versions that were measured together
/// differ, of counts and memory the tolerance of the series and how far versions differ; in either case from how many points of which kinds
/// of machines. Notes in every pair what histories call its candidate.
///
/// # Errors
/// A database that cannot be read.
pub fn track(comparison: &mut Comparison, record: &RunRecord, store: &dyn Store) -> anyhow::Result<()> {
    let plan = &record.plan;
    let mut known: HashMap<[String; 4], Vec<Series>> = HashMap::new();
    for Series { scenario, side, metric, stack, unit, class } in
        store.series()?.into_iter().map(|one| one.series)
    {
        let key = [&scenario, &side, &metric, &stack].map(Clone::clone);
        known.entry(key).or_default().push(Series { scenario, side, metric, stack, unit, class });
    }
    let class = runner_class(&plan.host);
    let places: HashMap<&str, (usize, &StackRecord)> =
        plan.stacks.iter().enumerate().map(|(place, stack)| (stack.name.as_str(), (place, stack))).collect();
    let shown = shown_to(plan, &record.counts);
    let mut shown_in = ShownIn::new(store);
    for pair in &mut comparison.pairs {
        let name = places.get(pair.new.as_str()).map(|(_, stack)| series_name(stack));
        pair.version = name.map(|name| Version { stack: name.name, label: name.label });
    }
    let pairs = comparison.pairs.clone();
    for change in &mut comparison.changes {
        let pair = &pairs[change.pair];
        let (Some((place, stack)), Some(version)) = (places.get(pair.new.as_str()), &pair.version) else {
            continue;
        };
        let (scenario, metric) = (change.scenario.as_str(), change.metric.name());
        let key = [scenario, change.side.name(), metric, &version.stack].map(str::to_owned);
        let definition_here = definition(&epoch(plan, scenario, stack, metric));
        let mut history = CellHistory::default();
        for series in known.get(&key).into_iter().flatten() {
            let mut points = store.points(series)?;
            points.retain(|point| definition(&point.epoch) == definition_here && point.run != plan.id);
            let (mut comparable, mut others) = (points, Vec::new());
            if series.class != class {
                let counted =
                    (change.metric == Metric::Instructions).then(|| shown[*place].as_ref()).flatten();
                for point in std::mem::take(&mut comparable) {
                    let is_same = match counted {
                        Some(counted) => shown_in.stack(&point)? == Some(counted),
                        None => false,
                    };
                    if is_same { comparable.push(point) } else { others.push(point) }
                }
            }
            history.add(series, comparable, &others);
        }
        history.note(change, &plan.policy.history);
    }
    Ok(())
}

/// What a database has of a cell.
#[derive(Default)]
struct CellHistory {
    series: Option<Series>,
    comparable: Vec<Point>,
    classes: Vec<ClassPoints>,
}

impl CellHistory {
    fn add(&mut self, series: &Series, comparable: Vec<Point>, others: &[Point]) {
        let count = |points: &[Point]| match series.metric == Metric::Time.name() {
            true => ratios_within_runs(points).len(),
            false => points.iter().filter(|point| point.outcome.value().is_some()).count(),
        };
        for (points, comparable) in [(count(&comparable), true), (count(others), false)] {
            if points > 0 {
                self.classes.push(ClassPoints { class: series.class.clone(), points, comparable });
            }
        }
        self.comparable.extend(comparable);
        self.series.get_or_insert_with(|| series.clone());
    }

    fn note(mut self, change: &mut Change, policy: &HistoryPolicy) {
        let (Outcome::Compared(effect), Some(series)) = (&mut change.outcome, self.series) else { return };
        self.comparable
            .sort_by(|a, b| (a.started_unix_ms, &a.run, a.place).cmp(&(b.started_unix_ms, &b.run, b.place)));
        self.classes.sort_by(|a, b| (!a.comparable, &a.class).cmp(&(!b.comparable, &b.class)));
        effect.tracked = threshold(&series, self.comparable, policy);
        effect.points = self.classes;
    }
}

/// The threshold of a series with these points, which are oldest first.
fn threshold(series: &Series, mut points: Vec<Point>, policy: &HistoryPolicy) -> Option<Tracked> {
    if series.metric == Metric::Time.name() {
        let ratios = ratios_within_runs(&points);
        let threshold = ratio_threshold(&ratios, policy.new_run_alpha)?;
        return Some(Tracked { threshold, points: ratios.len() });
    }
    let between = threshold_of(&ratios_between_versions(&points), policy.new_run_alpha, ENOUGH / 2);
    // They are of one definition, and a count depends on nothing else that an epoch has: the points are one stretch.
    for point in &mut points {
        point.epoch = definition(&point.epoch);
    }
    let timeline = Timeline::of(series.clone(), &points, &[], policy);
    let points = timeline.points.len();
    let tolerance = timeline.history?.threshold?;
    (points >= ENOUGH).then(|| Tracked { threshold: tolerance.max(between.unwrap_or(0.0)), points })
}

/// The ratios, as logarithms, of the versions that follow each other in a run.
fn ratios_within_runs(points: &[Point]) -> Vec<f64> {
    let together = points.chunk_by(|a, b| a.run == b.run);
    together.flat_map(|run| run.windows(2)).filter_map(ratio).collect()
}

/// The same of versions that follow each other in whatever run: the same program is counted alike in all.
fn ratios_between_versions(points: &[Point]) -> Vec<f64> {
    points.windows(2).filter(|pair| pair[0].label != pair[1].label).filter_map(ratio).collect()
}

fn ratio(pair: &[Point]) -> Option<f64> {
    let value = |point: &Point| point.outcome.value().map(|figure| figure.value);
    Some((value(&pair[1])? / value(&pair[0])?).ln())
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
        let tracked = threshold(&series("time"), points.clone(), &HistoryPolicy::default()).unwrap();
        assert_eq!(tracked.points, 12);
        assert!((0.006..0.012).contains(&tracked.threshold), "{tracked:?}");
        assert_eq!(threshold(&series("time"), points[..18].to_vec(), &HistoryPolicy::default()), None);
    }

    #[test]
    fn counts_have_the_tolerance_of_their_series() {
        let points: Vec<Point> = (0..10).map(|run| point(run, 0, 1e6)).collect();
        let policy = HistoryPolicy::default();
        let tracked = threshold(&series("count.instructions"), points.clone(), &policy).unwrap();
        assert_eq!(tracked, Tracked { threshold: policy.step_floor, points: 10 });
        assert_eq!(threshold(&series("count.instructions"), points[1..].to_vec(), &policy), None);
    }

    #[test]
    fn counts_of_versions_that_differ_have_a_threshold_above_that() {
        // Each version differs from the one before by 1 %; both of a push are counted, so that each is there twice.
        let value = |version: usize| 1e6 * if version.is_multiple_of(2) { 1.0 } else { 1.01 };
        let push = |run: usize| {
            let labelled = |place: u32, version: usize| Point {
                label: version.to_string(),
                ..point(run, place, value(version))
            };
            [labelled(0, run), labelled(1, run + 1)]
        };
        let points: Vec<Point> = (0..10).flat_map(push).collect();
        let policy = HistoryPolicy::default();
        let tracked = threshold(&series("count.instructions"), points.clone(), &policy).unwrap();
        assert_eq!(tracked.points, 20);
        assert!((0.03..0.06).contains(&tracked.threshold), "{tracked:?}");
        // Another kernel changes no count.
        let mut updated = points;
        updated.iter_mut().skip(7).for_each(|point| point.epoch = "kernel 2".to_owned());
        assert_eq!(threshold(&series("count.instructions"), updated, &policy), Some(tracked));
    }
}
