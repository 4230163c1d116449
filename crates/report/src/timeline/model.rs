//! The model of histories.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::Reason;
use tlslab_history::{
    Cause, Change, History, Options, Refused, Seen, Segment, StepOptions, counts_scatter, fewest_points,
    most_comparable, segments, steps,
};
use tlslab_record::{Better, Epoch, FigureOutcome, HARNESS, HistoryPolicy, Point, Series, WORK, definition};
use tlslab_stats::benjamini_hochberg;
use tlslab_text::number::counted;

use crate::timeline::places::by_place;

/// Every change of a count that repeats is seen at its point.
const FEWEST_COUNTS: usize = 2;

/// Several histories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timelines {
    /// The version of this format. It grows when a key changes its meaning or disappears, not when one is
    /// added.
    pub format: u32,
    /// The stack that values were divided by, if one was requested.
    pub reference: Option<String>,
    /// One for each series, in the order of the series.
    pub timelines: Vec<Timeline>,
}

/// One series over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// The series.
    pub series: Series,
    /// Which of its values are better: without that, a change is neither a regression nor an improvement.
    #[serde(default)]
    pub better: Better,
    /// Every value, oldest first. Segments and changes count these from 0.
    pub points: Vec<Measured>,
    /// The runs that have no value here, oldest first.
    pub holes: Vec<Hole>,
    /// Segments, changes and the threshold for a new run; `null` if they cannot be determined.
    pub history: Option<History>,
    /// Why they cannot.
    pub no_history: Option<String>,
    /// How many points that can be compared its longest part has.
    #[serde(default)]
    pub comparable: usize,
    /// With how many of them a step can be found at all.
    #[serde(default)]
    pub needed: usize,
    /// Points at which the work changed, and the difference.
    #[serde(default, deserialize_with = "by_place", skip_serializing_if = "BTreeMap::is_empty")]
    pub explained: BTreeMap<usize, String>,
    /// Notes on versions, at their first points.
    #[serde(default, deserialize_with = "by_place", skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<usize, String>,
    /// Points at which a count changed, and the cause, if it was requested.
    #[serde(default, deserialize_with = "by_place", skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<usize, Explanation>,
}

/// The cause of a changed count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The functions that take more or fewer instructions, the largest difference first.
    pub functions: Vec<Reason>,
    /// Releases between the two points that were not measured, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
}

/// A value in a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The run.
    pub run: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// The stack as the run names it.
    pub stack: String,
    /// Its version or revision.
    pub label: String,
    /// The other conditions under which two points are comparable.
    pub epoch: String,
    /// The value, in the series' unit.
    pub value: f64,
    /// The lower end of its interval, or the smallest that was seen.
    pub lower: Option<f64>,
    /// The upper end, or the largest.
    pub upper: Option<f64>,
    /// How many observations it rests on.
    pub n: u64,
    /// The reference's value in the same run.
    pub reference: Option<f64>,
    /// The reference's version: points with another one are not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_version: Option<String>,
}

/// A run without a value in a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hole {
    /// The run.
    pub run: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// Its version or revision.
    pub label: String,
    /// `unsupported` or `failed`, and why.
    pub why: String,
}

impl Timeline {
    /// The points whose work differs from that of the point before, as pairs of runs with the later one's
    /// place.
    pub fn other_work(&self) -> Vec<(usize, String, String)> {
        let work = |at: usize| Epoch::read(&self.points[at].epoch).value(WORK).map(str::to_owned);
        let is_other = |at: &usize| work(at - 1) != work(*at);
        let pair = |at: usize| (at, self.points[at - 1].run.clone(), self.points[at].run.clone());
        (1..self.points.len()).filter(is_other).map(pair).collect()
    }
}

impl Timelines {
    /// The version of the format.
    pub const FORMAT: u32 = 2;
}

impl Timeline {
    /// A series with its points, oldest first, and those of the reference in the same runs, if any.
    pub fn of(series: Series, points: &[Point], reference: &[Point], policy: &HistoryPolicy) -> Self {
        let references: BTreeMap<&str, (f64, &str)> = reference
            .iter()
            .filter_map(|point| {
                Some((point.run.as_str(), (point.outcome.value()?.value, point.label.as_str())))
            })
            .filter(|(_, (value, _))| *value > 0.0)
            .collect();
        let mut measured = Vec::new();
        let mut holes = Vec::new();
        for point in points {
            let (run, label, started) = (point.run.clone(), point.label.clone(), started(point));
            match &point.outcome {
                FigureOutcome::Value(figure) => measured.push(Measured {
                    reference: references.get(run.as_str()).map(|(value, _)| *value),
                    reference_version: references.get(run.as_str()).map(|(_, version)| (*version).to_owned()),
                    run,
                    started,
                    stack: point.stack.clone(),
                    label,
                    epoch: point.epoch.clone(),
                    value: figure.value,
                    lower: figure.lower,
                    upper: figure.upper,
                    n: figure.n,
                }),
                other => {
                    let why = other.hole().map(|(kind, reason)| format!("{kind}: {reason}"));
                    holes.push(Hole { run, started, label, why: why.unwrap_or_default() });
                }
            }
        }
        let seen: Vec<tlslab_history::Point> = measured.iter().map(seen).collect();
        let (history, no_history) = match history(&series, &seen, policy) {
            Ok(history) => (Some(history), None),
            Err(refused) => (None, Some(refused.to_string())),
        };
        Self {
            better: Better::of_series(&series),
            comparable: most_comparable(&seen),
            needed: needed(&series, &seen, policy),
            series,
            points: measured,
            holes,
            history,
            no_history,
            explained: BTreeMap::new(),
            notes: BTreeMap::new(),
            reasons: BTreeMap::new(),
        }
    }

    /// The p-values of its changes, and of the last test, which found none.
    fn p_values(&self) -> impl Iterator<Item = f64> {
        let is_tested = !self.series.is_counted() && self.history.is_some();
        let found =
            self.changes().filter(|change| change.cause == Cause::Change).filter_map(|change| change.p_value);
        found.chain([1.0]).filter(move |_| is_tested)
    }

    /// Adds a note on a version.
    pub fn annotate(&mut self, label: &str, text: &str) {
        let Some(at) = self.points.iter().position(|point| point.label == label) else { return };
        let notes = self.notes.entry(at).or_default();
        let separator = if notes.is_empty() { "" } else { "; " };
        *notes += &format!("{separator}{text}");
    }

    /// Why no step can be judged: `3 points: too few to judge a step (at least 16 are needed)`. None if steps
    /// can be judged.
    pub fn too_few(&self) -> Option<String> {
        if self.comparable >= self.needed {
            return None;
        }
        let points = counted(self.points.len(), "point");
        let comparable = match self.comparable {
            all if all == self.points.len() => String::new(),
            comparable => format!(", at most {comparable} of them comparable"),
        };
        Some(format!("{points}{comparable}: too few to judge a step (at least {} are needed)", self.needed))
    }

    /// The changes that are not the environment's alone.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        let all = self.history.iter().flat_map(|history| &history.changes);
        all.filter(|change| change.cause != Cause::Epoch)
    }

    /// Whether at this point a release with another driver begins and nothing else changes: a new release may
    /// need one. Such a change may be the library's or the driver's. A change between two points of one
    /// release is the driver's.
    pub fn is_other_driver(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.points[before]) else { return false };
        if before.label == self.points[at].label {
            return false;
        }
        let before = &before.epoch;
        let rest = |epoch: &str| Epoch::read(epoch).without(HARNESS);
        let now = &self.points[at].epoch;
        before != now && rest(before) == rest(now)
    }

    /// Changes of the program, and those that come with another driver.
    pub fn steps(&self) -> impl Iterator<Item = &Change> {
        let all = self.history.iter().flat_map(|history| &history.changes);
        all.filter(|change| match change.cause {
            Cause::Change => true,
            Cause::Epoch => self.is_other_driver(change.at),
            Cause::Machine => false,
        })
    }

    /// The segments.
    pub fn segments(&self) -> &[Segment] {
        self.history.as_ref().map_or(&[], |history| &history.segments)
    }

    /// The places at which an epoch begins, the first point's among them.
    pub fn epochs(&self) -> impl Iterator<Item = usize> {
        (0..self.points.len()).filter(|&at| at == 0 || self.points[at].epoch != self.points[at - 1].epoch)
    }

    /// The runs at the ends of segments and of epochs.
    pub fn end_runs(&self) -> impl Iterator<Item = &str> {
        let ends = self.segments().iter().flat_map(|segment| [segment.from, segment.to - 1]);
        let epochs = self.epochs().flat_map(|at| [Some(at), at.checked_sub(1)]).flatten();
        ends.chain(epochs).chain(self.points.len().checked_sub(1)).map(|at| self.points[at].run.as_str())
    }
}

/// Controls false discoveries among the changes of all series that scatter: by Benjamini and Hochberg's
/// procedure over every test that was made in them. A series with a change that does not pass is cut again by
/// the smaller α.
pub fn control(timelines: &mut [Timeline], policy: &HistoryPolicy) {
    let p_values: Vec<f64> = timelines.iter().flat_map(Timeline::p_values).collect();
    // They lie between 0 and 1.
    let q_values = benjamini_hochberg(&p_values).expect("p-values are shares");
    let passes = |(p, q): (&f64, &f64)| (*q <= policy.false_discovery_rate).then_some(*p);
    let largest = p_values.iter().zip(&q_values).filter_map(passes).reduce(f64::max);
    let smallest = p_values.iter().copied().fold(1.0, f64::min);
    let alpha = largest.unwrap_or(smallest / 2.0).min(policy.alpha);
    for timeline in timelines {
        let fails = timeline.p_values().any(|p| p > alpha && p < 1.0);
        if fails && alpha > 0.0 {
            let policy = HistoryPolicy { alpha, ..policy.clone() };
            let points: Vec<tlslab_history::Point> = timeline.points.iter().map(seen).collect();
            timeline.history = history(&timeline.series, &points, &policy).ok();
        }
    }
}

/// How a series that scatters is cut.
#[must_use]
pub fn options(policy: &HistoryPolicy) -> Options {
    Options {
        minimum_segment: policy.shortest_segment,
        alpha: policy.alpha,
        persistence: policy.persistence,
        new_run_alpha: policy.new_run_alpha,
        permutations: policy.permutations,
        seed: 0,
    }
}

fn history(
    series: &Series,
    points: &[tlslab_history::Point],
    policy: &HistoryPolicy,
) -> Result<History, Refused> {
    if series.is_counted() {
        let (floor, band) = (floor(series, policy), policy.step_band);
        return steps(points, &StepOptions { floor, band, scattered: options(policy) });
    }
    segments(points, &options(policy))
}

/// Smaller steps are ignored; on the wire and of the kernel any difference is a step.
fn floor(series: &Series, policy: &HistoryPolicy) -> f64 {
    if series.has_no_floor() { 0.0 } else { policy.step_floor }
}

/// With how many comparable points a step can be found.
fn needed(series: &Series, points: &[tlslab_history::Point], policy: &HistoryPolicy) -> usize {
    match series.is_counted() && !counts_scatter(points, floor(series, policy)) {
        true => FEWEST_COUNTS,
        false => fewest_points(&options(policy)),
    }
}

fn seen(point: &Measured) -> tlslab_history::Point {
    let bounds = point.lower.zip(point.upper);
    tlslab_history::Point {
        value: point.value,
        seen: bounds.map(|(lower, upper)| Seen { lower, upper, n: point.n }),
        reference: point.reference,
        epoch: point.epoch.clone(),
        definition: format!(
            "{}; {}",
            definition(&point.epoch),
            point.reference_version.as_deref().unwrap_or_default()
        ),
        label: point.label.clone(),
    }
}

fn started(point: &Point) -> String {
    let ms = i64::try_from(point.started_unix_ms).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(ms).map(|time| time.to_string()).unwrap_or_default()
}
