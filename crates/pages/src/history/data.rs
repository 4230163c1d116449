//! The data of the plots, compact: runs, versions and names once, series as arrays that refer to them by
//! place.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use tlslab_history::Cause;
use tlslab_record::Epoch;
use tlslab_report::timeline::{Measured, Timeline, Timelines};
use tlslab_text::number::change;

use super::names::in_parts;
use super::options::HistoryOptions;
use super::steps::{class, is_by_time, why};
use crate::links::Links;
use crate::site::metric_words;
use crate::target::Target;

/// All series.
#[derive(Serialize)]
pub(super) struct Histories {
    /// The stack that values were divided by to find steps.
    reference: Option<String>,
    /// Whether points are in the order of time; otherwise in that of versions.
    is_by_time: bool,
    /// Identifier, start, address.
    runs: Vec<(String, String, Option<String>)>,
    labels: Vec<String>,
    epochs: Vec<String>,
    scenarios: Vec<String>,
    /// Titles of scenarios for people.
    scenario_titles: Vec<String>,
    stacks: Vec<String>,
    metrics: Vec<String>,
    /// The metrics as people call them.
    words: Vec<String>,
    units: Vec<String>,
    hosts: Vec<String>,
    /// Runs and labels of the points; series that were measured together share them.
    axes: Vec<Axis>,
    series: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct Axis {
    runs: Vec<usize>,
    labels: Vec<usize>,
}

#[derive(Serialize)]
struct Entry {
    scenario: usize,
    stack: usize,
    side: String,
    metric: usize,
    unit: usize,
    host: usize,
    axis: usize,
    values: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lower: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    upper: Vec<Option<f64>>,
    /// From, to and level.
    segments: Vec<(usize, usize, f64)>,
    steps: Vec<StepData>,
    /// The beginning of an epoch, and its differences from the one before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    epochs: Vec<(usize, usize)>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    notes: BTreeMap<usize, String>,
    /// Run, label and reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    holes: Vec<(usize, usize, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_history: Option<String>,
    /// Why no step can be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    too_few: Option<String>,
}

/// A change: at, before, after, ratio, class, cause.
type StepData = (usize, f64, f64, Option<f64>, &'static str, Option<String>);

impl Histories {
    pub(super) fn of(timelines: &Timelines, options: &HistoryOptions, links: &dyn Links) -> Self {
        let mut names = Names::default();
        let series: Vec<Entry> =
            timelines.timelines.iter().map(|timeline| entry(timeline, options, &mut names)).collect();
        let runs = names.runs.into_iter().map(|(run, started)| {
            let href = links.to(&Target::Run(run.clone()));
            (run, started, href)
        });
        let scenarios = names.scenarios.all;
        Self {
            reference: timelines.reference.clone(),
            is_by_time: is_by_time(timelines),
            runs: runs.collect(),
            labels: names.labels.all,
            epochs: names.epochs.all,
            scenario_titles: scenarios.iter().map(|scenario| in_parts(scenario)).collect(),
            scenarios,
            stacks: names.stacks.all,
            words: names.metrics.all.iter().map(|metric| metric_words(metric).to_owned()).collect(),
            metrics: names.metrics.all,
            units: names.units.all,
            hosts: names.hosts.all,
            axes: names.axes,
            series,
        }
    }
}

fn entry(timeline: &Timeline, options: &HistoryOptions, names: &mut Names) -> Entry {
    let of = &timeline.series;
    let runs = timeline.points.iter().map(|point| names.run(&point.run, &point.started)).collect();
    let labels = timeline.points.iter().map(|point| names.labels.place(&point.label)).collect();
    let bounds = |of: fn(&Measured) -> Option<f64>| -> Vec<Option<f64>> {
        let has_any = timeline.points.iter().any(|point| of(point).is_some_and(|bound| bound != point.value));
        let rounded = timeline.points.iter().map(|point| of(point).map(rounded));
        if has_any { rounded.collect() } else { vec![] }
    };
    let changes = timeline.history.iter().flat_map(|history| &history.changes);
    let steps = changes.filter(|change| change.cause != Cause::Epoch || timeline.is_other_driver(change.at));
    let steps = steps.map(|change| {
        let size = change.ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs());
        let class = class(change, timeline.better, size, options.negligible);
        let [before, after] = [change.before, change.after].map(rounded);
        (change.at, before, after, change.ratio.map(rounded), class, why(timeline, change.at))
    });
    let epochs = timeline.epochs().filter(|at| *at > 0);
    let hole = |hole: &tlslab_report::timeline::Hole, names: &mut Names| {
        (names.run(&hole.run, &hole.started), names.labels.place(&hole.label), hole.why.clone())
    };
    Entry {
        scenario: names.scenarios.place(&of.scenario),
        stack: names.stacks.place(&of.stack),
        side: of.side.clone(),
        metric: names.metrics.place(&of.metric),
        unit: names.units.place(&of.unit),
        host: names.hosts.place(&of.class),
        axis: names.axis(Axis { runs, labels }),
        values: timeline.points.iter().map(|point| rounded(point.value)).collect(),
        lower: bounds(|point| point.lower),
        upper: bounds(|point| point.upper),
        segments: timeline.segments().iter().map(|part| (part.from, part.to, rounded(part.level))).collect(),
        steps: steps.collect(),
        epochs: epochs.map(|at| (at, names.epochs.place(&new_epoch(timeline, at)))).collect(),
        notes: timeline.notes.clone(),
        holes: timeline.holes.iter().map(|one| hole(one, names)).collect(),
        threshold: timeline.history.as_ref().and_then(|history| history.threshold),
        no_history: timeline.no_history.clone(),
        too_few: timeline.too_few(),
    }
}

/// The differences of an epoch from the one before.
fn new_epoch(timeline: &Timeline, at: usize) -> String {
    let [before, now] = [at - 1, at].map(|at| Epoch::read(&timeline.points[at].epoch));
    let mut parts = now.since(&before);
    parts.extend(timeline.explained.get(&at).cloned());
    let text = if parts.is_empty() { "another environment".to_owned() } else { parts.join("; ") };
    // The same release in both environments shows the environment's effect.
    match timeline.environment_change(at).and_then(|change| change.ratio) {
        Some(ratio) => format!("{text}; {} itself {}", timeline.points[at].label, change(ratio)),
        None => text,
    }
}

/// Seven significant digits; whole numbers are unchanged.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || value.fract() == 0.0 || !value.is_finite() {
        return value;
    }
    let power = 10_f64.powi(6 - value.abs().log10().floor() as i32);
    (value * power).round() / power
}

/// Names in the order in which they came, each once.
#[derive(Default)]
struct Once {
    all: Vec<String>,
    places: HashMap<String, usize>,
}

impl Once {
    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.all.push(name.to_owned());
        self.places.insert(name.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }
}

#[derive(Default)]
struct Names {
    runs: Vec<(String, String)>,
    run_places: HashMap<String, usize>,
    labels: Once,
    epochs: Once,
    scenarios: Once,
    stacks: Once,
    metrics: Once,
    units: Once,
    hosts: Once,
    axes: Vec<Axis>,
    axis_places: HashMap<Axis, usize>,
}

impl Names {
    fn run(&mut self, run: &str, started: &str) -> usize {
        if let Some(place) = self.run_places.get(run) {
            return *place;
        }
        self.runs.push((run.to_owned(), started.to_owned()));
        self.run_places.insert(run.to_owned(), self.runs.len() - 1);
        self.runs.len() - 1
    }

    fn axis(&mut self, axis: Axis) -> usize {
        if let Some(place) = self.axis_places.get(&axis) {
            return *place;
        }
        self.axes.push(axis.clone());
        self.axis_places.insert(axis, self.axes.len() - 1);
        self.axes.len() - 1
    }
}
