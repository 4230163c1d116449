//! The changes of every release, and the answer for each stack.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tlslab_comparison::Reason;
use tlslab_history::advice::{Advice, Limits};
use tlslab_history::{Cause, Change};
use tlslab_record::Series;

use super::advice::advise;
use super::render::sentence;
use crate::timeline::model::{Timeline, Timelines};

/// A step is reported from this size on, as |ln ratio|.
const SMALLEST: f64 = 0.009_950_330_853_168_1;

/// The releases of some stacks.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReleaseHistory {
    /// The version of this format. It grows when a key changes its meaning or disappears, not when one is
    /// added.
    pub format: u32,
    /// Each stack with at least two releases.
    pub stacks: Vec<StackReleases>,
    /// The stacks with one release.
    pub single: Vec<String>,
    /// Of each release and metric the largest regression, the largest first.
    pub regressions: Vec<ReleaseStep>,
    /// Of each release and metric the largest improvement, the largest first.
    pub improvements: Vec<ReleaseStep>,
}

/// A stack with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StackReleases {
    /// Which release to skip, and which to move to.
    pub sentence: String,
    /// The answer as data.
    pub advice: Advice,
}

/// The largest step of a release in one metric and direction.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReleaseStep {
    /// The release.
    pub label: String,
    /// The series with the largest step.
    pub series: Series,
    /// The value of the release before, or the level before it where values scatter.
    pub before: f64,
    /// The value of the release, or its level.
    pub after: f64,
    /// The ratio to the value before it; none if that was 0.
    pub ratio: Option<f64>,
    /// How many series of this metric step in this direction.
    pub cells: usize,
    /// Whether the release needed another driver, which may be the cause.
    pub is_other_driver: bool,
    /// The functions that caused it, the largest change first, if they were requested.
    pub functions: Vec<Reason>,
    /// Releases between that were not measured.
    pub between: Vec<String>,
    /// The note on the release.
    pub note: Option<String>,
}

impl ReleaseHistory {
    /// The version of the format.
    pub const FORMAT: u32 = 1;

    /// Of series in the order of versions.
    #[must_use]
    pub fn of(timelines: &Timelines) -> Self {
        let all: Vec<&Timeline> = timelines.timelines.iter().collect();
        let (several, single): (Vec<Advice>, Vec<Advice>) =
            advise(all.iter().copied()).into_iter().partition(|advice| advice.releases.len() > 1);
        let answer = |advice: Advice| StackReleases { sentence: sentence(&advice), advice };
        let (regressions, improvements) = release_steps(&all);
        Self {
            format: Self::FORMAT,
            stacks: several.into_iter().map(answer).collect(),
            single: single.into_iter().map(|advice| advice.stack).collect(),
            regressions,
            improvements,
        }
    }
}

/// The regressions and the improvements of 1 % or more, each of a release and metric by its largest one, the
/// largest first. Steps that are negligible and those of series without a direction are neither.
pub(crate) fn release_steps(timelines: &[&Timeline]) -> (Vec<ReleaseStep>, Vec<ReleaseStep>) {
    let mut kinds = [BTreeMap::new(), BTreeMap::new()];
    for timeline in timelines {
        for change in timeline.steps().filter(|change| is_large(timeline, change)) {
            let Some(is_regression) = timeline.better.is_regression(change.after > change.before) else {
                continue;
            };
            let series = &timeline.series;
            let key = (series.stack.as_str(), change.label.as_str(), series.metric.as_str());
            let steps: &mut Vec<ReleaseStep> = kinds[usize::from(!is_regression)].entry(key).or_default();
            steps.push(step(timeline, change));
        }
    }
    let [regressions, improvements] = kinds.map(|kind| {
        let mut largest: Vec<ReleaseStep> = kind.into_values().filter_map(largest).collect();
        largest.sort_by(|one, other| size(other.ratio).total_cmp(&size(one.ratio)));
        largest
    });
    (regressions, improvements)
}

/// Whether a step is listed: by 1 % or more, and not negligible.
pub(crate) fn is_large(timeline: &Timeline, change: &Change) -> bool {
    let is_negligible = (change.after - change.before).abs() < Limits::default().least(&timeline.series);
    !is_negligible && size(change.ratio) >= SMALLEST
}

/// |ln ratio|; infinite from 0 and to 0.
fn size(ratio: Option<f64>) -> f64 {
    ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs())
}

fn largest(steps: Vec<ReleaseStep>) -> Option<ReleaseStep> {
    let cells = steps.len();
    let first = |one: &ReleaseStep, other: &ReleaseStep| {
        size(one.ratio).total_cmp(&size(other.ratio)).then(other.series.cmp(&one.series))
    };
    let largest = steps.into_iter().max_by(first)?;
    Some(ReleaseStep { cells, ..largest })
}

fn step(timeline: &Timeline, change: &Change) -> ReleaseStep {
    let reason = timeline.reasons.get(&change.at);
    let (before, after) = values(timeline, change);
    ReleaseStep {
        label: change.label.clone(),
        series: timeline.series.clone(),
        before,
        after,
        ratio: (before != 0.0).then(|| after / before),
        cells: 1,
        is_other_driver: change.cause == Cause::Epoch,
        functions: reason.map(|reason| reason.functions.clone()).unwrap_or_default(),
        between: reason.map(|reason| reason.between.clone()).unwrap_or_default(),
        note: timeline.notes.get(&change.at).cloned(),
    }
}

/// For counts the releases' own values, converted to the environment of the first point: a level represents
/// several.
fn values(timeline: &Timeline, change: &Change) -> (f64, f64) {
    let releases = timeline.releases();
    let place = releases.iter().position(|release| release.label == change.label);
    let is_first = change.at.checked_sub(1).is_some_and(|at| timeline.points[at].label != change.label);
    match place.and_then(|at| Some((releases.get(at.checked_sub(1)?)?, &releases[at]))) {
        Some((before, after)) if is_first && timeline.series.is_counted() => (before.chained, after.chained),
        _ => (change.before, change.after),
    }
}
