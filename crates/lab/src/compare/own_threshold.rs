//! Each cell's own threshold, from the history of its series.
//!
//! What is judged is never part of the sample that judges it. A history consists of versions that were on the
//! branch or released: commits that were the baseline of a comparison or were measured alone. A candidate
//! counts only from then on.

use std::collections::{BTreeMap, HashMap, HashSet};

use tlslab_comparison::{Change, ClassPoints, Compared, Comparison, Outcome, Tracked, Version};
use tlslab_history::figures::{epoch, runner_class};
use tlslab_history::{ENOUGH, neighbour_threshold, ratio_threshold};
use tlslab_recipe::{is_number, prefix};
use tlslab_record::{HistoryPolicy, Point, RunRecord, Series, definition};
use tlslab_report::timeline::Timeline;
use tlslab_stats::median;
use tlslab_store::Store;

use super::shown::{ShownIn, shown_to};
use crate::run::series_name;

/// Sets in every pair the names of its stacks in histories, and which of their points are comparable with the
/// candidate.
pub(super) fn describe(comparison: &mut Comparison, record: &RunRecord) {
    let plan = &record.plan;
    let mut shown = shown_to(plan, &record.counts);
    let place_of = |name: &str| plan.stacks.iter().position(|stack| stack.name == name);
    let in_history = |place: usize| {
        let name = series_name(&plan.stacks[place]);
        Version { stack: name.name, label: name.label }
    };
    for pair in &mut comparison.pairs {
        pair.baseline_in_history = place_of(&pair.baseline).map(in_history);
        let Some(place) = place_of(&pair.candidate) else { continue };
        pair.version = Some(in_history(place));
        let stack = &plan.stacks[place];
        let of_scenario = |scenario: &str| definition(&epoch(plan, scenario, stack, Compared::Time.name()));
        let scenarios = plan.scenarios.iter().map(|scenario| &scenario.name);
        pair.definitions = scenarios.map(|name| (name.clone(), of_scenario(name))).collect();
        pair.processor = shown[place].take();
    }
}

/// Sets in every cell the threshold from its history, if that is long enough. For times: how far versions
/// that were measured together differ. For counts and memory: the tolerance of the series and how far
/// versions scatter. Also notes from how many points of which kinds of machines.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn track(comparison: &mut Comparison, store: &dyn Store, policy: &HistoryPolicy) -> anyhow::Result<()> {
    let mut known: HashMap<[String; 4], Vec<Series>> = HashMap::new();
    for Series { scenario, side, metric, stack, unit, class } in
        store.series()?.into_iter().map(|one| one.series)
    {
        let key = [&scenario, &side, &metric, &stack].map(Clone::clone);
        known.entry(key).or_default().push(Series { scenario, side, metric, stack, unit, class });
    }
    let branch = Branch::read(store)?;
    let class = runner_class(&comparison.host);
    let mut shown_in = ShownIn::new(store);
    let (pairs, runs) = (comparison.pairs.clone(), comparison.runs.clone());
    // What is sent and what is asked of the kernel have none: any difference is a change.
    for change in comparison.changes.iter_mut().filter(|change| !change.metric.has_no_floor()) {
        let pair = &pairs[change.pair];
        let (Some(version), Some(definition_here)) = (&pair.version, pair.definitions.get(&change.scenario))
        else {
            continue;
        };
        let (scenario, metric) = (change.scenario.as_str(), change.metric.name());
        let key = [scenario, change.side_name(), metric, &version.stack].map(str::to_owned);
        let counted = pair.processor.as_deref().filter(|_| change.metric == Compared::Instructions);
        let mut history = CellHistory::default();
        for series in known.get(&key).into_iter().flatten() {
            let mut points = store.points(series)?;
            points.retain(|point| {
                definition(&point.epoch) == *definition_here
                    && !runs.contains(&point.run)
                    && point.label != version.label
                    && branch.has(&version.stack, &point.label)
            });
            let (mut comparable, mut others) = (points, Vec::new());
            if series.class != class {
                for point in std::mem::take(&mut comparable) {
                    let is_same = counted.is_some() && shown_in.stack(&point)? == counted;
                    if is_same { comparable.push(point) } else { others.push(point) }
                }
            }
            history.add(series, comparable, &others);
        }
        history.note(change, policy);
    }
    Ok(())
}

/// The versions that were on a branch or released, by stack.
struct Branch(HashSet<(String, String)>);

impl Branch {
    /// A commit was on the branch if a candidate was compared with it, or if it was measured alone: if it is
    /// the first of its stack in a run.
    fn read(store: &dyn Store) -> anyhow::Result<Self> {
        let mut seen: HashSet<(String, String)> = HashSet::new();
        let mut branch = HashSet::new();
        for one in store.appearances()? {
            if seen.insert((one.run, one.stack.clone())) {
                branch.insert((one.stack, one.label));
            }
        }
        Ok(Self(branch))
    }

    fn has(&self, stack: &str, label: &str) -> bool {
        // Seven digits or more may be a commit as well.
        let is_release = prefix(label).is_some() && !(is_number(label) && label.len() >= 7);
        is_release || self.0.contains(&(stack.to_owned(), label.to_owned()))
    }
}

/// The points of a cell in a database.
#[derive(Default)]
struct CellHistory {
    series: Option<Series>,
    comparable: Vec<Point>,
    classes: Vec<ClassPoints>,
}

impl CellHistory {
    fn add(&mut self, series: &Series, comparable: Vec<Point>, others: &[Point]) {
        let count = |points: &[Point]| match series.metric == Compared::Time.name() {
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
    if series.metric == Compared::Time.name() {
        let ratios = ratios_within_runs(&points);
        let threshold = ratio_threshold(&ratios, policy.new_run_alpha)?;
        return Some(Tracked { threshold, points: ratios.len() });
    }
    let scatter = neighbour_threshold(&levels(&points), policy.new_run_alpha);
    // They have one definition, and a count depends on nothing else in an epoch: the points are one stretch.
    for point in &mut points {
        point.epoch = definition(&point.epoch);
    }
    let timeline = Timeline::of(series.clone(), &points, &[], policy);
    let points = timeline.points.len();
    let tolerance = timeline.history?.threshold?;
    (points >= ENOUGH).then(|| Tracked { threshold: tolerance.max(scatter.unwrap_or(0.0)), points })
}

/// The ratios, as logarithms, of consecutive versions in a run: one for each two versions, even if they were
/// measured several times.
fn ratios_within_runs(points: &[Point]) -> Vec<f64> {
    let mut of_pairs: BTreeMap<[&str; 2], Vec<f64>> = BTreeMap::new();
    let together = points.chunk_by(|a, b| a.run == b.run);
    for pair in together.flat_map(|run| run.windows(2)).filter(|pair| pair[0].label != pair[1].label) {
        let (one, other) = (pair[0].label.as_str(), pair[1].label.as_str());
        let Some(ratio) = ratio(pair) else { continue };
        let (key, ratio) = if one < other { ([one, other], ratio) } else { ([other, one], -ratio) };
        of_pairs.entry(key).or_default().push(ratio);
    }
    of_pairs.into_values().filter_map(|ratios| median(&ratios).ok()).collect()
}

/// One logarithm for each version, in the order of first measurement: counts of the same program agree in all
/// runs.
fn levels(points: &[Point]) -> Vec<f64> {
    let mut labels: Vec<&str> = Vec::new();
    let mut values: HashMap<&str, Vec<f64>> = HashMap::new();
    for point in points {
        let Some(figure) = point.outcome.value() else { continue };
        let of_label = values.entry(&point.label).or_default();
        if of_label.is_empty() {
            labels.push(&point.label);
        }
        of_label.push(figure.value);
    }
    labels.iter().filter_map(|label| median(&values[label]).ok()).map(f64::ln).collect()
}

fn ratio(pair: &[Point]) -> Option<f64> {
    let value = |point: &Point| point.outcome.value().map(|figure| figure.value);
    Some((value(&pair[1])? / value(&pair[0])?).ln())
}

#[cfg(test)]
mod tests;
